package dev.sand.frontend.deployment;

import dev.sand.event.Digests;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** Whole folders: copied with the same rules as an archive is unpacked, hashed by content, deleted. */
public final class Folders {
    private Folders() {}

    /** Copies the files and folders of an application but for what is {@link Ignored}; refuses links, special files, odd names, too much. */
    public static void copy(Path from, Path to, long mostBytes, int mostEntries) throws IOException {
        Ignored ignored = Ignored.of(from);
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            private long bytes;
            private int entries;

            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                if (folder.equals(from)) {
                    Files.createDirectories(to);
                    return FileVisitResult.CONTINUE;
                }
                if (ignored.has(from.relativize(folder))) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(target(folder, 0));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (ignored.has(from.relativize(file))) {
                    return FileVisitResult.CONTINUE;
                }
                if (!attributes.isRegularFile()) {
                    throw Archive.refuse("'" + from.relativize(file) + "' is a link or a special file; only files and folders are taken")
                            .asException();
                }
                Files.copy(file, target(file, attributes.size()), StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.COPY_ATTRIBUTES);
                return FileVisitResult.CONTINUE;
            }

            private Path target(Path path, long size) {
                String inside = from.relativize(path).toString();
                EntryName.segments(inside);
                bytes += size;
                if (bytes > mostBytes || ++entries > mostEntries) {
                    throw Archive.refuse("the folder has more than " + mostBytes + " bytes or " + mostEntries + " entries").asException();
                }
                return to.resolve(inside);
            }
        });
    }

    /** @return what is the same for the same files: SHA-256 over names, executable bits and contents, in order of name */
    static String digest(Path folder) throws IOException {
        MessageDigest digest = Digests.sha256();
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files = walk.filter(Files::isRegularFile).sorted(Comparator.comparing(path -> folder.relativize(path).toString())).toList();
        }
        for (Path file : files) {
            String head = folder.relativize(file) + "\0" + Files.isExecutable(file) + "\0" + Files.size(file) + "\0";
            digest.update(head.getBytes(StandardCharsets.UTF_8));
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    public static void delete(Path folder) {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot empty " + folder, e);
        }
    }
}
