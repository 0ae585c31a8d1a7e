package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sand.frontend.access.KeyedDoor;
import dev.sand.frontend.access.OpenDoor;
import dev.sand.hostagent.sandbox.SandboxConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No platform listens where other machines reach it without asking for a key. */
class DoorsTest {
    @TempDir
    Path folder;

    private static Options with(String... options) {
        String[] all = new String[options.length + 1];
        all[0] = "--home=/tmp/sand-x";
        System.arraycopy(options, 0, all, 1, options.length);
        return Options.parse(all, Map.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "127.1.2.3:7263", "localhost:7263", "[::1]:7263", "::1:7263"})
    void this_machine_alone_needs_no_key(String listen) throws IOException {
        assertThat(Doors.of(with("--listen", listen))).isInstanceOf(OpenDoor.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0:7263", "[::]:7263", "192.0.2.7:7263", "*:7263", "nobody.invalid:7263"})
    void other_machines_need_one_or_an_account(String listen) throws IOException {
        Options asked = with("--listen", listen);
        assertThatIllegalArgumentException().isThrownBy(() -> Doors.check(asked, false)).withMessageContaining("--operator-key")
                .withMessageContaining("sand account create").withMessageContaining(listen);
        Doors.check(asked, true);
        assertThat(Doors.of(asked)).isInstanceOf(KeyedDoor.class);
        Doors.check(with("--listen", listen, "--operator-key=/run/key"), false);
        assertThat(with("--listen", listen, "--operator-key=/run/key").effective()).containsEntry("operator-key", "/run/key (masked)");
    }

    @Test
    void a_key_is_wanted_on_this_machine_too_when_there_is_one() throws IOException {
        Path key = Files.writeString(folder.resolve("key"), "0123456789012345678901234567890123456789\n");
        assertThat(Doors.of(with("--operator-key=" + key))).isInstanceOf(KeyedDoor.class);
        Files.writeString(key, "short");
        assertThatIllegalArgumentException().isThrownBy(() -> Doors.of(with("--operator-key=" + key)))
                .withMessageContaining(key.toString()).withMessageContaining("32");
    }

    @Test
    void further_names_are_names_and_of_an_open_platform() {
        assertThat(with("--allow-host=sand.local, build").allowHosts()).containsExactly("sand.local", "build");
        assertThatIllegalArgumentException().isThrownBy(() -> with("--allow-host=sand.local:80")).withMessageContaining("no port");
        assertThatIllegalArgumentException().isThrownBy(() -> with("--allow-host=build", "--operator-key=/run/key"));
    }

    @Test
    void plain_processes_are_taken_where_others_reach_only_when_they_are_named() {
        String[] far = {"--listen=0.0.0.0:7263", "--operator-key=/run/key"};
        assertThat(with(far).sandbox()).isEqualTo(SandboxConfiguration.Kind.DOCKER);
        assertThat(with(far[0], far[1], "--sandbox=process").sandbox()).isEqualTo(SandboxConfiguration.Kind.PROCESS);
        assertThat(with("--operator-key=/run/key").sandbox()).as("behind a proxy").isEqualTo(SandboxConfiguration.Kind.DOCKER);
        assertThat(with().sandbox()).isEqualTo(SandboxConfiguration.Kind.AUTO);
    }
}
