package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void what_is_not_said_has_a_default_that_is_shown() {
        Options options = Options.parse(new String[] {"--home", "/tmp/sand-x"}, Map.of());
        assertThat(options.host()).isEqualTo("127.0.0.1");
        assertThat(options.port()).isEqualTo(7263);
        assertThat(options.effective()).containsEntry("body-limit", 6 << 20).containsEntry("secrets", "none");
    }

    @Test
    void both_ways_to_write_an_option_mean_the_same() {
        assertThat(Options.parse(new String[] {"--home=/tmp/sand-x", "--pool=3", "--folder-deploy", "--listen=[::1]:0"}, Map.of()))
                .isEqualTo(Options.parse(new String[] {"--folder-deploy", "--home", "/tmp/sand-x", "--pool", "3", "--listen", "[::1]:0"},
                        Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--pool=17", "--pool=x", "--listen=7263", "--listen=host:99999", "--sandbox=jail", "--body-limit=lots",
        "--body-limit=2GiB", "--unknown=1", "--drain=soon", "loose"})
    void what_means_nothing_is_refused(String option) {
        assertThatThrownBy(() -> Options.parse(new String[] {"--home=/tmp/sand-x", option}, Map.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Options.parse(new String[0], Map.of())).hasMessageContaining("--home");
    }

    private static final String[] HOST = {"--home=/tmp/sand-x", "--role=host", "--host-id=host-a", "--bus=kafka:k1:9092,k2:9092",
        "--store=cassandra:c1,c2:9999", "--cluster-key=/etc/sand/key"};

    private static Options with(String[] options, String... more) {
        String[] all = Arrays.copyOf(options, options.length + more.length);
        System.arraycopy(more, 0, all, options.length, more.length);
        return Options.parse(all, Map.of());
    }

    @Test
    void a_host_of_a_cluster_says_where_it_is() {
        ClusterOptions cluster = with(HOST, "--labels=ssd, zone=a", "--advertise=a.internal:7264").cluster();
        assertThat(cluster.role()).isEqualTo(ClusterOptions.Role.HOST);
        assertThat(cluster.kafka()).isEqualTo("k1:9092,k2:9092");
        assertThat(cluster.labels()).containsExactly("ssd", "zone=a");
        assertThat(cluster.advertise()).isEqualTo("a.internal:7264");
        assertThat(cluster.agentListen().getPort()).isEqualTo(7264);
        assertThat(cluster.store().contactPoints()).hasSize(2);
        assertThat(with(HOST, "--agent-listen=127.0.0.1:9000").cluster().advertise()).endsWith(":9000");
        assertThat(with(HOST).effective()).containsEntry("cluster-key", "/etc/sand/key (masked)").containsEntry("role", "host");
    }

    @Test
    void a_part_apart_has_the_management_too_unless_it_is_told_otherwise() {
        assertThat(with(HOST).management().folder()).isEqualTo(Checkout.management()).isNotNull();
        assertThat(with(HOST, "--management=off").management().isOn()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--role=both", "--bus=rabbit:x", "--bus=kafka:", "--bus=embedded", "--store=embedded", "--host-id=a b",
        "--labels=a b", "--advertise=here", "--agent-listen=here", "--session=soon", "--store-copies=0", "--bus-copies=x"})
    void what_makes_no_part_of_a_cluster_is_refused(String option) {
        assertThatThrownBy(() -> with(HOST, option)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(option.substring(2, option.indexOf('=')).equals("bus") || option.startsWith("--store=") ? "--" : option
                        .substring(0, option.indexOf('=')));
    }

    @Test
    void what_a_cluster_needs_is_asked_for_by_name() {
        for (int i = 2; i < HOST.length; i++) {
            String[] without = new String[HOST.length - 1];
            System.arraycopy(HOST, 0, without, 0, i);
            System.arraycopy(HOST, i + 1, without, i, HOST.length - 1 - i);
            String missing = HOST[i].substring(0, HOST[i].indexOf('='));
            assertThatThrownBy(() -> Options.parse(without, Map.of())).as(missing).hasMessageContaining(missing);
        }
    }

    @TempDir
    Path folder;

    @Test
    void options_come_from_a_file_and_the_command_line_wins() throws Exception {
        Path yaml = Files.writeString(folder.resolve("host.yaml"), """
                home: /tmp/sand-x
                role: host
                host-id: host-a
                bus: kafka:k1:9092
                store: cassandra:c1
                cluster-key: /etc/sand/key
                labels: [ssd, zone=a]
                pool: 3
                folder-deploy: true
                """);
        Options options = Options.parse(new String[] {"--config", yaml.toString(), "--pool", "2"}, Map.of());
        assertThat(options.pool()).isEqualTo(2);
        assertThat(options.folderDeploy()).isTrue();
        assertThat(options.cluster().labels()).containsExactly("ssd", "zone=a");
        Path lines = Files.writeString(folder.resolve("host.conf"),
                "# a host\nhome=/tmp/sand-x\nrole=host\nhost-id=host-a\nbus=kafka:k1:9092\nstore=cassandra:c1\n"
                        + "cluster-key=/etc/sand/key\nlabels=ssd,zone=a\npool=2\nfolder-deploy=true\n");
        assertThat(Options.parse(new String[] {"--config=" + lines}, Map.of())).isEqualTo(options);
    }

    @Test
    void a_file_that_says_what_is_no_option_is_refused() throws Exception {
        for (String text : new String[] {"colour: red", "--home: x", "config: other.yaml", "home:", "- a", "home: {a: b}", "a: [", "pool: many"}) {
            Path file = Files.writeString(folder.resolve("bad.yaml"), (text.startsWith("home") ? "" : "home: /tmp/sand-x\n") + text + "\n");
            assertThatThrownBy(() -> Options.parse(new String[] {"--config", file.toString()}, Map.of())).as(text)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> Options.parse(new String[] {"--config", folder.resolve("none").toString()}, Map.of()))
                .hasMessageContaining("cannot read");
    }

    @Test
    void a_login_comes_from_a_file_and_is_never_shown() throws Exception {
        Path login = Files.writeString(folder.resolve("login"), "user=sand\npassword=s3cret\n");
        Options options = with(HOST, "--store-login", login.toString());
        assertThat(options.cluster().store().user()).isEqualTo("sand");
        assertThat(options.effective().toString()).doesNotContain("s3cret");
        assertThat(options.cluster().store().toString()).doesNotContain("s3cret");
        Files.writeString(login, "name=sand\n");
        assertThatThrownBy(() -> options.cluster().store()).hasMessageContaining("user=").hasMessageNotContaining("name=sand");
    }
}
