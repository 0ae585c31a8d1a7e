package dev.sand.hostlink;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder of plain files as one stream: for each file in order of its path, the path, whether it is executable, its size, its
 * bytes; an empty path ends it. Not compressed: it travels within a cluster. Links and special files are left to the reader
 * of the folder to refuse, and are not packed.
 */
final class FolderArchive {
    static final int MOST_FILES = 20_000;
    private static final int BUFFER_BYTES = 64 * 1024;

    private FolderArchive() {}

    static void pack(Path folder, Path archive) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files = walk.filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)).sorted().toList();
        }
        try (OutputStream file = Files.newOutputStream(archive);
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(file, BUFFER_BYTES))) {
            for (Path path : files) {
                if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    throw new IOException(folder.relativize(path) + " is a link or a special file");
                }
                out.writeUTF(folder.relativize(path).toString());
                out.writeBoolean(Files.getPosixFilePermissions(path).contains(PosixFilePermission.OWNER_EXECUTE));
                out.writeLong(Files.size(path));
                Files.copy(path, out);
            }
            out.writeUTF("");
        }
    }

    /** Unpacks into an empty folder. @throws IOException when the archive is damaged, or would write outside of it */
    static void unpack(Path archive, Path folder) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(archive), BUFFER_BYTES))) {
            int files = 0;
            for (String name = in.readUTF(); !name.isEmpty(); name = in.readUTF()) {
                if (++files > MOST_FILES) {
                    throw new IOException("the folder has more than " + MOST_FILES + " files");
                }
                Path target = inside(folder, name);
                boolean executable = in.readBoolean();
                Files.createDirectories(target.getParent());
                copy(in, target, in.readLong());
                Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
            }
        }
    }

    private static Path inside(Path folder, String name) throws IOException {
        Path path = Path.of(name);
        boolean plain = !path.isAbsolute() && path.normalize().equals(path);
        for (Path segment : path) {
            plain &= !segment.toString().equals("..") && !segment.toString().equals(".") && !segment.toString().isEmpty();
        }
        if (!plain) {
            throw new IOException("'" + name + "' is no place inside of a folder");
        }
        return folder.resolve(path);
    }

    private static void copy(InputStream in, Path target, long size) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (OutputStream out = Files.newOutputStream(target, StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE)) {
            for (long left = size; left > 0;) {
                int n = in.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (n < 0) {
                    throw new EOFException("the archive ends in the middle of " + target.getFileName());
                }
                out.write(buffer, 0, n);
                left -= n;
            }
        }
    }
}
