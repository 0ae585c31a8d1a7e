package dev.sand.hostlink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/** An application's folder that comes as an archive: written as it comes, unpacked when it is whole, deleted in the end. Any thread. */
final class ReceivedFolder {
    private final Path work;
    private boolean isDeleted;
    /** Null until something comes: whoever hears of the folder does not wait for a disk. */
    private Path root;
    private FileChannel channel;

    ReceivedFolder(Path work) {
        this.work = work;
    }

    private FileChannel channel() throws IOException {
        if (isDeleted) {
            throw new IOException("the application's files have been deleted");
        }
        if (root == null) {
            root = Files.createTempDirectory(work, "b");
            channel = FileChannel.open(archive(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }
        return channel;
    }

    /** Makes the folder, and empties it. */
    static void clean(Path work) throws IOException {
        if (Files.exists(work)) {
            delete(work);
        }
        Files.createDirectories(work);
        Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwx------"));
    }

    private Path archive() {
        return root.resolve("archive");
    }

    synchronized void write(ByteBuffer chunk) throws IOException {
        while (chunk.hasRemaining()) {
            channel().write(chunk);
        }
    }

    synchronized Path unpack() throws IOException {
        channel().close();
        Path folder = Files.createDirectory(root.resolve("folder"));
        FolderArchive.unpack(archive(), folder);
        Files.delete(archive());
        return folder;
    }

    synchronized void delete() throws IOException {
        isDeleted = true;
        if (channel != null) {
            channel.close();
        }
        if (root != null) {
            delete(root);
            root = null;
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
