package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files on their way from a developer's folder to a sandbox's. */
final class StoredTreesTest {
    @TempDir
    Path folder;

    private String stage(Map<String, String> files) throws IOException {
        Path source = Files.createTempDirectory(folder, "source");
        return BundleStore.stage(TestTrees.write(source, files), Files.createTempDirectory(folder, "staged"));
    }

    @Test
    void theAddressIsTheContents() throws IOException {
        String address = stage(Map.of("a/x.py", "1", "b.py", "2"));

        assertThat(stage(Map.of("b.py", "2", "a/x.py", "1", "__pycache__/x.pyc", "3", "a/y.pyc", "4"))).isEqualTo(address);
        assertThat(stage(Map.of("b.py", "2", "a/x.py", "1", ".DS_Store", "3", "__MACOSX/b.py", "4", ".sandignore", "5"))).isEqualTo(address);
        assertThat(stage(Map.of("a/x.py", "2", "b.py", "1"))).isNotEqualTo(address);
        assertThat(stage(Map.of("ax.py", "1", "b.py", "2"))).isNotEqualTo(address);
        assertThat(stage(Map.of("a/x.py", "12", "b.py", ""))).isNotEqualTo(address);
    }

    @Test
    void aLinkedTreeSharesItsFiles() throws IOException {
        Path tree = TestTrees.write(folder.resolve("tree"), Map.of("a/b/x.py", "1", "y.py", "2"));

        LinkedTrees.link(tree, folder.resolve("copy"));

        assertThat(Files.getAttribute(folder.resolve("copy/a/b/x.py"), "unix:ino")).isEqualTo(Files.getAttribute(tree.resolve("a/b/x.py"), "unix:ino"));
        assertThat(folder.resolve("copy/y.py")).hasContent("2");
    }

    @Test
    void aSpareIsUsedOnceAndMadeAgain() throws IOException {
        Home home = new Home(folder.resolve("home")).prepare();
        Path tree = TestTrees.bundle(home, "b1", Map.of("x.py", "1"));
        LinkedTrees trees = new LinkedTrees(home);
        trees.prepare(tree);
        Path spare = home.spares().resolve("bundles-b1");
        assertThat(spare).exists();

        trees.place(tree, folder.resolve("one"));
        assertThat(spare).doesNotExist();
        trees.place(tree, folder.resolve("two"));
        trees.prepare(tree);

        assertThat(folder.resolve("one/x.py")).hasContent("1");
        assertThat(folder.resolve("two/x.py")).hasContent("1");
        assertThat(spare.resolve("x.py")).hasContent("1");
    }

    @Test
    void aHomeThatLeavesNoRoomForSocketsIsRefused() {
        Home deep = new Home(folder.resolve("x".repeat(120)));

        assertThatThrownBy(deep::prepare).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("107").hasMessageContaining("--home");
        assertThat(deep.root()).doesNotExist();
    }

    @Test
    void requirementsAreMergedAndRememberWhoAsked() throws IOException {
        TestTrees.write(folder, Map.of("requirements.txt", "numpy>=2 # arrays\n\n", "grains/a/requirements.txt", "Pillow==11.0\nnumpy>=2\n",
                "grains/b/requirements.txt", "numpy \\\n  <3\nopencv_python-headless\n"));

        Requirements requirements = Requirements.of(folder, List.of("b", "a", "none"));

        assertThat(requirements.distinct()).containsExactly("Pillow==11.0", "numpy <3", "numpy>=2", "opencv_python-headless");
        assertThat(requirements.mentionedIn("ERROR: Cannot install pillow==11.0 because")).isEqualTo("grain a: Pillow==11.0");
        assertThat(requirements.mentionedIn("No matching distribution found for opencv-python-headless")).contains("grain b");
        assertThat(requirements.mentionedIn("numpy-stl is no one's")).isEmpty();
    }

    @Test
    void onlyTheEndOfALongOutputIsKept() {
        List<String> lines = new ArrayList<>();
        OutputTail tail = new OutputTail(10, lines::add);
        byte[] text = "first line\nsecond\nthird".getBytes(StandardCharsets.UTF_8);

        tail.write(text, text.length);
        tail.flush();

        assertThat(tail.text()).isEqualTo("cond\nthird");
        assertThat(lines).containsExactly("first line", "second", "third");
    }
}
