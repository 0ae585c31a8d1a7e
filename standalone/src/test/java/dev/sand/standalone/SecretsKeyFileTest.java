package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.SecretsKey;
import dev.sand.datalayer.StoredSecrets;
import dev.sand.hostagent.sandbox.Home;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretsKeyFileTest {
    private static final String VALUE = "canary-of-this-test";
    @TempDir
    private Path home;

    private SecretsKey key(String... options) throws Exception {
        String[] all = Stream.concat(Stream.of("--home", home.toString()), Stream.of(options)).toArray(String[]::new);
        return SecretsKeyFile.of(Options.parse(all, Map.of()), new Home(home));
    }

    @Test
    void on_one_machine_a_key_is_made_once_and_for_this_user_alone() throws Exception {
        MemoryStore store = new MemoryStore();
        new StoredSecrets(store, key()).set("shop", "KEY", VALUE, 1);
        Path file = home.resolve("secrets.key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(new StoredSecrets(store, key()).open("shop").values()).containsEntry("KEY", VALUE);
    }

    @Test
    void a_cluster_has_the_operators_key_or_none() throws Exception {
        Path cluster = Files.writeString(home.resolve("cluster.key"), "the secret of this test's cluster, 32 bytes and more");
        String[] options = {"--host-id=h", "--bus=kafka:k:9092", "--store=cassandra:c", "--cluster-key=" + cluster, "--role=host"};
        assertThat(key(options)).isNull();
        assertThat(home.resolve("secrets.key")).doesNotExist();
        assertThat(key(Stream.concat(Stream.of(options), Stream.of("--secrets-key=" + cluster)).toArray(String[]::new))).isNotNull();
    }

    @Test
    void files_that_are_no_keys_are_told_by_name() throws Exception {
        Path file = Files.writeString(home.resolve("short"), "short");
        assertThatIllegalArgumentException().isThrownBy(() -> key("--secrets-key=" + file)).withMessageContaining(file.toString());
        assertThatIllegalArgumentException().isThrownBy(() -> key("--secrets-key=" + file + ",")).withMessageContaining("FILE[,OLD…]");
    }
}
