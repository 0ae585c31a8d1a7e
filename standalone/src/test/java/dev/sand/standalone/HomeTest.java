package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HomeTest {
    @TempDir
    Path home;

    @Test
    void a_home_is_used_by_one_platform_at_a_time() throws Exception {
        try (HomeLock first = HomeLock.take(home)) {
            assertThat(first).isNotNull();
            assertThatThrownBy(() -> HomeLock.take(home)).hasMessageContaining("in use by process " + ProcessHandle.current().pid());
        }
        HomeLock.take(home).close();
    }

    @Test
    void secrets_are_read_again_when_the_file_has_changed() throws Exception {
        Path file = home.resolve("secrets.json");
        Files.writeString(file, "{\"mail\": {\"KEY\": \"one\"}}");
        OperatorsSecrets secrets = new OperatorsSecrets(file);
        assertThat(secrets.of("mail")).containsEntry("KEY", "one");
        assertThat(secrets.of("other")).isEmpty();
        Files.writeString(file, "{\"mail\": {\"KEY\": \"two\"}}");
        Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() + 5_000));
        assertThat(secrets.of("mail")).containsEntry("KEY", "two");
        Files.writeString(file, "{\"mail\"");
        Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() + 10_000));
        assertThat(secrets.of("mail")).containsEntry("KEY", "two");
        assertThat(new OperatorsSecrets(null).of("mail")).isEmpty();
        assertThatThrownBy(() -> new OperatorsSecrets(home.resolve("gone"))).hasMessageContaining("cannot read the secrets");
    }
}
