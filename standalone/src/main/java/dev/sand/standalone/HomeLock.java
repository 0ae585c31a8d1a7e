package dev.sand.standalone;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One platform a home: a lock that the system releases when the process ends, however it ends. */
final class HomeLock implements AutoCloseable {
    private final FileChannel channel;

    private HomeLock(FileChannel channel) {
        this.channel = channel;
    }

    /** @throws IllegalStateException when another platform has it; the home exists already */
    static HomeLock take(Path home) throws IOException {
        Path file = home.resolve("lock");
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            String owner = owner(channel);
            channel.close();
            throw new IllegalStateException("the home " + home + " is in use" + owner + ": stop that platform, or choose another --home");
        }
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
        return new HomeLock(channel);
    }

    private static String owner(FileChannel channel) throws IOException {
        ByteBuffer pid = ByteBuffer.allocate(20);
        channel.read(pid, 0);
        String text = new String(pid.array(), 0, pid.position(), StandardCharsets.US_ASCII);
        return text.isEmpty() ? "" : " by process " + text;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
