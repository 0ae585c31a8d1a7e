package dev.sand.frontend.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sand.frontend.http.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldersTest {
    private static final int ENTRIES = 10;
    @TempDir
    private Path temp;
    private Path from;
    private Path to;

    @BeforeEach
    void fill() throws Exception {
        from = Files.createDirectories(temp.resolve("from"));
        to = Files.createDirectories(temp.resolve("to"));
        Files.writeString(Files.createDirectories(from.resolve("grains/a")).resolve("handler.py"), "1");
        Files.writeString(from.resolve("sand.yaml"), "name: a");
    }

    @Test
    void litterIsLeftOutHoweverMuchThereIs() throws Exception {
        Path litter = Files.createDirectories(from.resolve(".git/objects"));
        for (int i = 0; i < 10 * ENTRIES; i++) {
            Files.writeString(litter.resolve("o" + i), "x");
        }
        Folders.copy(from, to, 1_000, ENTRIES);
        assertThat(to.resolve("grains/a/handler.py")).hasContent("1");
        assertThat(to.resolve("sand.yaml")).exists();
        assertThat(to.resolve(".git")).doesNotExist();
    }

    @Test
    void tooMuchIsRefusedAndNotCutOff() throws Exception {
        for (int i = 0; i < ENTRIES; i++) {
            Files.createDirectory(from.resolve("folder" + i));
        }
        assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> Folders.copy(from, to, 1_000, ENTRIES));
        assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> Folders.copy(from, to, 5, 100));
    }

    @Test
    void linksAreRefused() throws Exception {
        Files.createSymbolicLink(from.resolve("link"), Path.of("/etc/passwd"));
        assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> Folders.copy(from, to, 1_000, ENTRIES));
    }
}
