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

/** An application's folder that comes as an archive: written as it comes, unpacked when it is whole, deleted in the end. */
final class ReceivedFolder {
    private final Path root;
    private FileChannel channel;

    ReceivedFolder(Path work) throws IOException {
        root = Files.createTempDirectory(work, "b");
        channel = FileChannel.open(archive(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
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

    void write(ByteBuffer chunk) throws IOException {
        while (chunk.hasRemaining()) {
            channel.write(chunk);
        }
    }

    Path unpack() throws IOException {
        channel.close();
        Path folder = Files.createDirectory(root.resolve("folder"));
        FolderArchive.unpack(archive(), folder);
        Files.delete(archive());
        return folder;
    }

    void delete() throws IOException {
        channel.close();
        delete(root);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
