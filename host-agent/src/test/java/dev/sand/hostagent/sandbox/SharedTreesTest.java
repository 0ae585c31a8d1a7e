package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.BundleArchive;
import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one host has built, another can run. */
final class SharedTreesTest {
    @TempDir
    Path folder;

    private final BundleArchive archive = new BundleArchive(new MemoryStore());

    @Test
    void aHostFetchesWhatAnotherHasBuilt() throws IOException {
        Home builder = new Home(folder.resolve("builder")).prepare();
        TestTrees.bundle(builder, "b1", Map.of("grains/g/handler.py", TestTrees.HELLO));
        TestTrees.write(builder.dependencies().resolve("d1"), Map.of("six.py", "1"));
        new SharedTrees(builder, archive, false).share("b1", "d1");

        Home other = new Home(folder.resolve("other")).prepare();
        SharedTrees trees = new SharedTrees(other, archive, false);
        trees.ensure(version("b1", "d1"));
        trees.ensure(version("b1", "d1"));

        assertThat(other.bundles().resolve("b1/grains/g/handler.py")).hasContent(TestTrees.HELLO);
        assertThat(Files.getPosixFilePermissions(other.bundles().resolve("b1/grains/g/handler.py")).toString()).as("sealed")
                .doesNotContain("WRITE");
        assertThat(other.dependencies().resolve("d1/six.py")).hasContent("1");
        assertThat(other.staging()).as("nothing half made stays").isEmptyDirectory();
    }

    @Test
    void whatNobodyHasIsNotThereAndOneHostAloneSharesNothing() throws IOException {
        Home home = new Home(folder.resolve("home")).prepare();
        new SharedTrees(home, archive, false).ensure(version("none", null));
        assertThat(home.bundles().resolve("none")).doesNotExist();
        SharedTrees alone = new SharedTrees(home, null, false);
        alone.share("none", null);
        alone.ensure(version("none", null));
    }

    private static ApplicationVersion version(String bundle, String dependencies) {
        return Started.version("app", bundle, dependencies, null);
    }
}
