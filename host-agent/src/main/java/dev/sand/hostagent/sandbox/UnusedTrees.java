package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes bundles and installed requirements that no version names any more. A sandbox that runs has links of its own to the
 * files; one that was built a moment ago is not registered yet, so young trees stay.
 */
final class UnusedTrees {
    static final Duration YOUNG = Duration.ofHours(1);
    static final int CHECKS_KEPT = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(UnusedTrees.class);
    private final Home home;
    private final Supplier<Set<String>> named;

    /** @param named content addresses of bundles and requirements that some version has; called by whoever builds */
    UnusedTrees(Home home, Supplier<Set<String>> named) {
        this.home = home;
        this.named = named;
    }

    /** @param young younger trees stay; failing leaves them to the next time */
    void remove(Duration young) {
        try {
            Instant before = Instant.now().minus(young);
            Set<String> used = named.get();
            int removed = remove(home.bundles(), used, before) + remove(home.dependencies(), used, before);
            for (Path mark : oldestFirst(home.checks()).reversed().stream().skip(CHECKS_KEPT).toList()) {
                Files.deleteIfExists(mark);
            }
            if (removed > 0) {
                LOG.info("removed {} bundles and sets of requirements that no version has", removed);
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("files of old versions stay: {}", e.toString());
        }
    }

    private int remove(Path folder, Set<String> used, Instant before) throws IOException {
        int removed = 0;
        for (Path tree : oldestFirst(folder)) {
            if (!used.contains(tree.getFileName().toString()) && modified(tree).isBefore(before)) {
                // Out of the way first: half a tree under its name would be taken for the whole.
                Path going = Files.move(tree, home.staging().resolve("unused-" + SandboxIds.next()));
                LinkedTrees.delete(going);
                LinkedTrees.delete(home.spares().resolve(folder.getFileName() + "-" + tree.getFileName()));
                removed++;
            }
        }
        return removed;
    }

    private static List<Path> oldestFirst(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.sorted(Comparator.comparing(UnusedTrees::modified)).toList();
        }
    }

    private static Instant modified(Path path) {
        try {
            return Files.getLastModifiedTime(path).toInstant();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
