package dev.sand.frontend.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sand.frontend.http.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
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
        Files.writeString(Files.createDirectories(from.resolve("grains/node_modules/x")).resolve("index.js"), "x");
        Folders.copy(from, to, 1_000, ENTRIES);
        assertThat(to.resolve("grains/node_modules")).doesNotExist();
        assertThat(to.resolve("grains/a/handler.py")).hasContent("1");
        assertThat(to.resolve("sand.yaml")).exists();
        assertThat(to.resolve(".git")).doesNotExist();
    }

    /** The same as of the command's zip (test_sandignore_names_what_else_stays_out). */
    @Test
    void whatItsSandignoreNamesStays() throws Exception {
        for (String file : List.of("notes/todo.txt", "grains/a/draft.txt", "grains/a/keep.md", "sand.md", "docs/sand.md", "a1.bin", "ab.bin")) {
            Files.createDirectories(from.resolve(file).getParent());
            Files.writeString(from.resolve(file), "x");
        }
        Files.writeString(from.resolve(".sandignore"), "# ours\nnotes/\n*.txt\n/sand.md\na[!a-z].bin\n");
        Folders.copy(from, to, 1_000, 100);
        try (Stream<Path> files = Files.walk(to)) {
            assertThat(files.filter(Files::isRegularFile).map(file -> to.relativize(file).toString())).containsExactlyInAnyOrder("sand.yaml",
                    "grains/a/handler.py", "grains/a/keep.md", "docs/sand.md", "ab.bin");
        }
        Files.writeString(from.resolve(".sandignore"), "[z-a]");
        assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> Folders.copy(from, to, 1_000, 100));
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
