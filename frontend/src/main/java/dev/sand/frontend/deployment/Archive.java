package dev.sand.frontend.deployment;

import dev.sand.event.LeftOut;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.ProblemException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Unpacks an uploaded zip into an empty folder. Nothing of it is trusted: names that leave the folder, links, special files
 * and more bytes or entries than allowed are refused, by counting what comes out and not by what the archive says.
 */
final class Archive {
    /** Text compresses to a tenth or so; a thousandth is a bomb. Small files are let be, whatever their ratio. */
    private static final long MOST_RATIO = 200;
    private static final long RATIO_FROM_BYTES = 1 << 20;
    /** A name and what archivers note beside it. */
    private static final int MOST_ENTRY_BYTES = 1024;
    private final long mostBytes;
    private final int mostEntries;
    private long written;

    Archive(long mostBytes, int mostEntries) {
        this.mostBytes = mostBytes;
        this.mostEntries = mostEntries;
    }

    /** @return the folder with sand.yaml in it: the target, or the one folder that the archive consists of */
    Path unpack(Path file, Path target) throws IOException {
        Map<String, Integer> modes;
        try {
            // Before java.util.zip reads the whole of it, too.
            modes = ZipModes.read(file, (long) mostEntries * MOST_ENTRY_BYTES);
        } catch (ZipException e) {
            throw unreadable(e);
        }
        try (ZipFile zip = new ZipFile(file.toFile())) {
            if (zip.size() > mostEntries) {
                throw tooLarge("it has " + zip.size() + " entries, the limit is " + mostEntries)
                        .with("limit", mostEntries).with("actual", zip.size()).asException();
            }
            Set<String> seen = new HashSet<>();
            for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements();) {
                ZipEntry entry = entries.nextElement();
                List<String> segments = EntryName.segments(entry.getName());
                if (segments.stream().anyMatch(LeftOut::is)) {
                    continue;
                }
                if (!seen.add(String.join("/", segments))) {
                    throw refuse("it has the entry '" + entry.getName() + "' twice").asException();
                }
                unpack(zip, entry, target.resolve(String.join("/", segments)), modes.getOrDefault(entry.getName(), 0));
            }
        } catch (ZipException | IllegalArgumentException e) {
            throw unreadable(e);
        }
        return root(target);
    }

    private static ProblemException unreadable(Exception e) {
        return refuse("it cannot be read as a zip: " + e.getMessage()).asException();
    }

    private void unpack(ZipFile zip, ZipEntry entry, Path path, int mode) throws IOException {
        int kind = mode & ZipModes.KIND;
        if (kind != 0 && kind != ZipModes.REGULAR && kind != ZipModes.FOLDER) {
            throw refuse("'" + entry.getName() + "' is a link or a special file; only files and folders are taken").asException();
        }
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        if (Files.isDirectory(path) || path.getParent() != null && Files.isRegularFile(path.getParent())) {
            throw refuse("'" + entry.getName() + "' is a file and a folder").asException();
        }
        Files.createDirectories(path.getParent());
        try (InputStream in = zip.getInputStream(entry); OutputStream out = Files.newOutputStream(path)) {
            copy(entry, in, out);
        }
        boolean executable = (mode & 0111) != 0;
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }

    private void copy(ZipEntry entry, InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[64 * 1024];
        long size = 0;
        long packed = Math.max(1, entry.getCompressedSize());
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            size += n;
            written += n;
            if (written > mostBytes) {
                throw tooLarge("it unpacks to more than " + mostBytes + " bytes").with("limit", mostBytes)
                        .with("actual", written).asException();
            }
            if (size > RATIO_FROM_BYTES && size / packed > MOST_RATIO) {
                throw tooLarge("'" + entry.getName() + "' unpacks to over " + MOST_RATIO + " times its size")
                        .with("limit", MOST_RATIO).with("actual", size / packed).asException();
            }
            out.write(buffer, 0, n);
        }
    }

    private static Path root(Path target) throws IOException {
        if (Files.exists(target.resolve(SandYaml.FILE))) {
            return target;
        }
        try (var inside = Files.list(target)) {
            List<Path> top = inside.toList();
            boolean one = top.size() == 1 && Files.exists(top.getFirst().resolve(SandYaml.FILE));
            return one ? top.getFirst() : target;
        }
    }

    private static Problem tooLarge(String why) {
        return Problem.caller(413, "archive-too-large", "The archive is over a limit", "The archive is refused: " + why + ".");
    }

    static Problem refuse(String why) {
        return Problem.caller(422, "invalid-archive", "The archive is refused", "The archive is refused: " + why + ".");
    }
}
