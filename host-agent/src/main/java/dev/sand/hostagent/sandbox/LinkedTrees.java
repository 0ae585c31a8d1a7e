package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts an immutable tree (a bundle, installed requirements) into a sandbox's folder without copying it. Hard-linking the two
 * thousand files of numpy and OpenCV takes 20 to 60 ms, too long for a claim; so a linked copy of each tree in use is kept
 * ready, and a claim renames it into place. Any thread.
 */
final class LinkedTrees {
    private static final int MOST_SPARES = 64;
    private static final Logger LOG = LoggerFactory.getLogger(LinkedTrees.class);
    private final Home home;

    LinkedTrees(Home home) {
        this.home = home;
    }

    /** The tree at {@code target}, which does not exist yet: renamed when a spare is there, linked now otherwise. */
    void place(Path tree, Path target) throws IOException {
        try {
            Files.move(spare(tree), target, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException none) {
            link(tree, target);
        }
    }

    /** Makes the spare of a tree when there is none. Failing is harmless: the next claim links by itself. */
    void prepare(Path tree) {
        Path spare = spare(tree);
        if (Files.exists(spare)) {
            return;
        }
        Path half = home.staging().resolve("spare-" + SandboxIds.next());
        try {
            link(tree, half);
            Files.move(half, spare, StandardCopyOption.ATOMIC_MOVE);
            bound();
        } catch (IOException e) {
            LOG.debug("no spare of {}: {}", tree, e.toString());
            delete(half);
        }
    }

    private Path spare(Path tree) {
        return home.spares().resolve(tree.getParent().getFileName() + "-" + tree.getFileName());
    }

    private void bound() throws IOException {
        List<Path> oldest;
        try (Stream<Path> all = Files.list(home.spares())) {
            oldest = all.sorted(Comparator.comparingLong(path -> path.toFile().lastModified())).toList();
        }
        oldest.stream().limit(Math.max(0, oldest.size() - MOST_SPARES)).forEach(LinkedTrees::delete);
    }

    /** Links every file; copies where the file system cannot link (another one, too many links). */
    static void link(Path tree, Path target) throws IOException {
        int depth = tree.getNameCount();
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                Files.createDirectory(there(folder));
                SandboxFolder.readable(there(folder));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                try {
                    Files.createLink(there(file), file);
                } catch (IOException | UnsupportedOperationException cannotLink) {
                    Files.copy(file, there(file), StandardCopyOption.COPY_ATTRIBUTES);
                }
                return FileVisitResult.CONTINUE;
            }

            private Path there(Path path) {
                return path.getNameCount() == depth ? target : target.resolve(path.subpath(depth, path.getNameCount()));
            }
        });
    }

    /** Removes a tree, and says so in the log when something of it stays. */
    static void delete(Path tree) {
        try {
            Files.walkFileTree(tree, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path folder, IOException failed) throws IOException {
                    Files.delete(folder);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException gone) {
            return;
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("cannot remove {}: {}", tree, e.toString());
        }
    }
}
