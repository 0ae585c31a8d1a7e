package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class UnusedTreesTest {
    private Path root;
    private Home home;

    @BeforeEach
    void make() throws Exception {
        root = Files.createTempDirectory("sand-u");
        home = new Home(root).prepare();
        for (String bundle : new String[] {"old", "live"}) {
            TestTrees.bundle(home, bundle, Map.of("grains/hello/handler.py", TestTrees.HELLO));
        }
        Files.createDirectories(home.dependencies().resolve("numpy"));
        Files.createDirectories(home.dependencies().resolve("pillow"));
        Files.createDirectories(home.spares().resolve("bundles-old"));
    }

    @AfterEach
    void delete() {
        LinkedTrees.delete(root);
    }

    @Test
    void whatNoVersionNamesGoesWithItsSpare() {
        new UnusedTrees(home, () -> Set.of("live", "numpy")).remove(Duration.ofSeconds(-10));
        assertThat(home.bundles().toFile().list()).containsExactly("live");
        assertThat(home.dependencies().toFile().list()).containsExactly("numpy");
        assertThat(home.spares().toFile().list()).isEmpty();
        assertThat(home.staging().toFile().list()).isEmpty();
    }

    @Test
    void aTreeThatWasBuiltAMomentAgoIsNobodysYetAndStays() {
        new UnusedTrees(home, Set::of).remove(UnusedTrees.YOUNG);
        assertThat(home.bundles().toFile().list()).containsExactlyInAnyOrder("live", "old");
    }

    @Test
    void whereVersionsCannotBeReadEverythingStays() {
        new UnusedTrees(home, () -> {
            throw new IllegalStateException("the store is away");
        }).remove(Duration.ofSeconds(-10));
        assertThat(home.bundles().toFile().list()).containsExactlyInAnyOrder("live", "old");
    }
}
