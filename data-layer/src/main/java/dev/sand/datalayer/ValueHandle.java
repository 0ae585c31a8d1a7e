package dev.sand.datalayer;

import com.sun.nio.file.ExtendedOpenOption;
import dev.sand.event.FullDisk;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The {@link ValueFile}, opened for one thread at a time: an interrupt closes the channel that it finds the thread in. What lies in
 * memory outside of the heap goes to the disk from there, where the file system can do that: a copy of it among the kernel's pages,
 * which nobody reads, costs four times as much of a processor.
 */
final class ValueHandle implements Closeable {
    /** The kernel lets one at a time write to a file, and who waits for that keeps a processor. */
    private final ReentrantLock turn;
    private final RandomAccessFile file;
    /** Null: not possible here. */
    private FileChannel direct;

    /** @param turn of all who write to the file */
    ValueHandle(Path path, ReentrantLock turn) throws IOException {
        this.turn = turn;
        this.file = new RandomAccessFile(path.toFile(), "rw");
        try {
            direct = FileChannel.open(path, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT);
        } catch (IOException | UnsupportedOperationException e) {
            direct = null; // as tmpfs has it
        }
    }

    boolean isDirect() {
        return direct != null;
    }

    void read(byte[] value, long at) throws IOException {
        file.seek(at);
        file.readFully(value);
    }

    void write(ByteBuffer value, long at) throws IOException {
        int done = writeBlocks(value, at);
        if (done == value.remaining()) {
            return;
        }
        ByteBuffer left = value.slice(value.position() + done, value.remaining() - done);
        turn.lock();
        try {
            if (left.hasArray()) {
                file.seek(at);
                file.write(left.array(), left.arrayOffset(), left.remaining());
            }
            while (!left.hasArray() && left.hasRemaining()) {
                file.getChannel().write(left, at + done + left.position());
            }
        } finally {
            turn.unlock();
        }
    }

    /** @return how many bytes: whole blocks, or 0 where that is not possible */
    private int writeBlocks(ByteBuffer value, long at) throws IOException {
        int whole = value.remaining() / Extents.BLOCK * Extents.BLOCK;
        if (direct == null || !value.isDirect() || value.alignmentOffset(value.position(), Extents.BLOCK) != 0) {
            return 0;
        }
        ByteBuffer left = value.slice(value.position(), whole);
        try {
            while (left.hasRemaining()) {
                direct.write(left, at + left.position());
            }
            return whole;
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            if (FullDisk.is(e)) {
                throw e;
            }
            direct.close(); // it has larger blocks, say; what else is wrong is told the other way
            direct = null;
            return 0;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
        if (direct != null) {
            direct.close();
        }
    }
}
