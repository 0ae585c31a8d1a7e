package dev.sand.hostagent.sandbox;

import dev.sand.event.Digests;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.BuildException;
import dev.sand.event.LeftOut;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Immutable trees under a name that is the hash of what is in them: applications' files, installed requirements. A tree is made
 * in the staging folder and appears under its name whole or not at all.
 */
final class BundleStore {
    static final int MOST_FILES = 20_000;
    static final long MOST_BYTES = 512L << 20;
    private BundleStore() {}

    /**
     * Copies an application folder.
     *
     * @return the content address of the copy
     * @throws BuildException when there is something in it that cannot be part of an application
     */
    static String stage(Path source, Path target) throws IOException {
        List<Path> files = files(source);
        MessageDigest digest = Digests.sha256();
        long bytes = 0;
        Files.createDirectories(target);
        for (Path file : files) {
            Path relative = source.relativize(file);
            Path copy = target.resolve(relative);
            Files.createDirectories(copy.getParent());
            boolean executable = isExecutable(file);
            bytes += Files.size(file);
            if (bytes > MOST_BYTES) {
                throw new BuildException(Failure.limit(Errors.TOO_LARGE, "the application's files have more than " + (MOST_BYTES >> 20)
                        + " MiB together; large data belongs into the data layer or a requirement", Failure.Source.CALLER, MOST_BYTES, bytes));
            }
            digest.update(head(relative, executable, Files.size(file)));
            try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
                    OutputStream out = new DigestOutputStream(Files.newOutputStream(copy), digest)) {
                in.transferTo(out);
            }
            Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString(executable ? "r-xr-xr-x" : "r--r--r--"));
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The content address that a copy of the folder would have. */
    static String address(Path source) throws IOException {
        MessageDigest digest = Digests.sha256();
        for (Path file : files(source)) {
            digest.update(head(source.relativize(file), isExecutable(file), Files.size(file)));
            try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
                    OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
                in.transferTo(out);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static boolean isExecutable(Path file) throws IOException {
        return Files.isExecutable(file) && Files.getPosixFilePermissions(file).stream().anyMatch(p -> p.name().equals("OWNER_EXECUTE"));
    }

    private static byte[] head(Path relative, boolean executable, long size) {
        return (relative + "\0" + (executable ? "x" : "-") + "\0" + size + "\0").getBytes(StandardCharsets.UTF_8);
    }

    /** In byte order of their paths, so that the hash does not depend on the file system. */
    private static List<Path> files(Path source) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean leftOut = !folder.equals(source) && LeftOut.is(folder.getFileName().toString());
                return leftOut ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (LeftOut.is(file.getFileName().toString())) {
                    return FileVisitResult.CONTINUE;
                }
                if (!attributes.isRegularFile()) {
                    throw refused(source.relativize(file) + " is a " + (attributes.isSymbolicLink() ? "link" : "special file")
                            + "; an application has plain files and folders only");
                }
                found.add(file);
                if (found.size() > MOST_FILES) {
                    throw new BuildException(Failure.limit(Errors.TOO_LARGE, "the application has more than " + MOST_FILES + " files",
                            Failure.Source.CALLER, MOST_FILES, found.size()));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        found.sort((a, b) -> a.toString().compareTo(b.toString()));
        return found;
    }

    static BuildException refused(String cause) {
        return new BuildException(Failure.caller(Errors.BAD_REQUEST, cause));
    }

    /** Gives a staged tree its name. One that is there already is the same one, and stays. */
    static void commit(Path staged, Path named) throws IOException {
        try {
            Files.move(staged, named, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException there) {
            touch(named);
            LinkedTrees.delete(staged);
        }
    }

    /** Somebody is about to name it: it is young again. */
    static void touch(Path named) throws IOException {
        Files.setLastModifiedTime(named, FileTime.from(Instant.now()));
    }

    /** Nobody may change it from now on; everybody who gets to see it may read it. */
    static void seal(Path tree, boolean giveToRoot) throws IOException {
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                own(folder);
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!attributes.isRegularFile()) {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }
                own(file);
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(
                        Files.isExecutable(file) ? "r-xr-xr-x" : "r--r--r--"));
                return FileVisitResult.CONTINUE;
            }

            private void own(Path path) throws IOException {
                if (giveToRoot) {
                    Files.setAttribute(path, "unix:uid", 0, LinkOption.NOFOLLOW_LINKS);
                    Files.setAttribute(path, "unix:gid", 0, LinkOption.NOFOLLOW_LINKS);
                }
            }
        });
    }

    static String hash(List<String> lines) {
        return HexFormat.of().formatHex(Digests.sha256(String.join("\n", lines)));
    }
}
