package dev.sand.frontend.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** Whole folders: copied with the same rules as an archive is unpacked, hashed by content, deleted. */
final class Folders {
    private Folders() {}

    /** Copies files and folders; refuses links, special files, odd names, too much. */
    static void copy(Path from, Path to, long mostBytes, int mostEntries) throws IOException {
        long bytes = 0;
        int entries = 0;
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(from)) {
            paths = walk.limit(mostEntries + 1L).sorted().toList();
        }
        for (Path path : paths) {
            Path inside = from.relativize(path);
            if (inside.toString().isEmpty() || stream(inside).anyMatch(Archive::isLitter)) {
                continue;
            }
            EntryName.segments(inside.toString());
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(to.resolve(inside.toString()));
                continue;
            }
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                throw Archive.refuse("'" + inside + "' is a link or a special file; only files and folders are taken").asException();
            }
            bytes += Files.size(path);
            if (bytes > mostBytes || ++entries > mostEntries) {
                throw Archive.refuse("the folder has more than " + mostBytes + " bytes or " + mostEntries + " entries").asException();
            }
            Path target = to.resolve(inside.toString());
            Files.createDirectories(target.getParent());
            Files.copy(path, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    /** @return what is the same for the same files: SHA-256 over names, executable bits and contents, in order of name */
    static String digest(Path folder) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
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

    static void delete(Path folder) {
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

    private static Stream<String> stream(Path path) {
        return Stream.iterate(0, i -> i < path.getNameCount(), i -> i + 1).map(i -> path.getName(i).toString());
    }
}
