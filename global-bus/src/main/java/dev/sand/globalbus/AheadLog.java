package dev.sand.globalbus;

import static dev.sand.globalbus.AheadLogReader.BATCH_BYTES;
import static dev.sand.globalbus.AheadLogReader.HEAD;
import static dev.sand.globalbus.AheadLogReader.HEAD_BYTES;
import static dev.sand.globalbus.AheadLogReader.RECORD_BYTES;

import dev.sand.globalbus.AheadLogReader.Found;
import dev.sand.globalbus.BusCommand.Append;
import dev.sand.globalbus.BusException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file beside the database to which records are written before a transaction has them, in one write: who waits for the file, or the
 * disk, does not wait for SQLite, many share its transaction, and what is trimmed before that comes is never in one.
 *
 * <pre>
 * file:   what it is, 64 bytes; batches, one behind another, from the start again once the database has all
 * batch:  number i64, bytes i32, checksum of number and content i32; content: records
 * record: position i64, time i64, bytes i32; value
 * </pre>
 * Batches are numbered one by one over both logs of a bus ({@link Unsettled}), so that after a loss of power, of which each file may have any
 * pages, nothing counts that lies behind something that is not there. Of who works for the writer, but for {@link #force}.
 */
final class AheadLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AheadLog.class);
    private static final int BUFFER_BYTES = 512 << 10;
    private static final long MOST_BYTES = 32L << 20;
    /** What is in both logs has to go into the database, and into what SQLite writes ahead of that: with less room on the disk it goes there at once. */
    private static final long ROOM_BYTES = 4 * MOST_BYTES;
    private static final long LOOK_BYTES = 1 << 20;

    private final Path file;
    private final Sync sync;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final CRC32C checksum = new CRC32C();
    private final AtomicBoolean written = new AtomicBoolean();
    private final ReentrantLock syncing = new ReentrantLock();
    /** Guarded by that. */
    private IOException broken;
    private volatile FileChannel channel;
    private boolean isOfBefore;
    private long end = HEAD_BYTES;
    /** Each is in memory, too. */
    private int records;
    private FileStore disk;
    /** Up to where there was room when it was looked. */
    private long roomEnd = HEAD_BYTES;

    /** How a file is brought to the disk. */
    interface Sync {
        Sync DISK = channel -> channel.force(false);

        void force(FileChannel channel) throws IOException;
    }

    private AheadLog(Path file, Sync sync) {
        this.file = file;
        this.sync = sync;
    }

    /** @param found given what is in it, in the order in which it was written @throws BusException it is there, and cannot be read */
    static AheadLog open(Path file, Sync sync, List<Found> found) {
        AheadLog log = new AheadLog(file, sync);
        boolean isThere = Files.exists(file, LinkOption.NOFOLLOW_LINKS);
        try {
            log.open(found);
        } catch (IOException e) {
            log.close();
            if (isThere) { // perhaps with what nothing else has
                throw new BusException(Kind.BROKEN, file + " cannot be read, and may have the last that was written: " + e, e);
            }
            log.abandon(e);
        }
        return log;
    }

    private void open(List<Found> found) throws IOException {
        channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        disk = Files.getFileStore(file);
        AheadLogReader reader = new AheadLogReader(channel);
        if (reader.isOfNoUse()) {
            begin();
            return;
        }
        isOfBefore = reader.isOfBefore();
        end = reader.read(found, MOST_BYTES);
        written.set(end > HEAD_BYTES); // for all that is known
    }

    /** On a full disk it cannot: there is nothing of it then. */
    private void begin() {
        try {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(HEAD), 0);
            try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
                folder.force(true); // its name
            }
            written.set(true);
            isOfBefore = false;
        } catch (IOException e) {
            abandon(e);
        }
    }

    /** @return true: they are in the file, whatever becomes of this process; false: nothing has happened */
    boolean write(List<Append> appends, long atMs, long number) {
        long bytes = BATCH_BYTES;
        for (Append append : appends) {
            bytes += RECORD_BYTES + append.value.length;
        }
        if (channel == null || end + bytes > MOST_BYTES) {
            return false;
        }
        try {
            if (end >= roomEnd && disk.getUsableSpace() < ROOM_BYTES) {
                return false;
            }
            roomEnd = end >= roomEnd ? end + LOOK_BYTES : roomEnd;
            write(appends, atMs, number, (int) bytes - BATCH_BYTES);
        } catch (IOException e) {
            return failed(e);
        }
        end += bytes;
        records += appends.size();
        written.set(true);
        return true;
    }

    private void write(List<Append> appends, long atMs, long number, int bytes) throws IOException {
        buffer.clear().putLong(number);
        checksum.reset();
        checksum.update(buffer.slice(0, Long.BYTES));
        buffer.putInt(bytes).putInt(0);
        long at = end;
        for (Append append : appends) {
            at = room(RECORD_BYTES, at);
            int head = buffer.position();
            buffer.putLong(append.partition().position(append.offset)).putLong(atMs).putInt(append.value.length);
            checksum.update(buffer.slice(head, RECORD_BYTES));
            checksum.update(append.value);
            for (int from = 0; from < append.value.length; ) {
                at = room(1, at);
                int part = Math.min(append.value.length - from, buffer.remaining());
                buffer.put(append.value, from, part);
                from += part;
            }
        }
        boolean isWhole = at == end;
        if (isWhole) {
            buffer.putInt(12, (int) checksum.getValue());
        }
        at = empty(at);
        if (!isWhole) { // the one write that makes a batch of what is there
            buffer.putInt((int) checksum.getValue());
            empty(end + 12);
        }
    }

    /** @return where what is in the buffer belongs, which has room for so many bytes */
    private long room(int bytes, long at) throws IOException {
        return buffer.remaining() < bytes ? empty(at) : at;
    }

    private long empty(long at) throws IOException {
        long to = at;
        buffer.flip();
        while (buffer.hasRemaining()) {
            to += channel.write(buffer, to);
        }
        buffer.clear();
        return to;
    }

    /** A full disk, most likely: what is in it stays, and the next write is tried where this one was. */
    private boolean failed(IOException e) {
        if (!channel.isOpen()) {
            abandon(e);
        }
        LOG.debug("{}: {}", file, e.toString());
        return false;
    }

    /**
     * What was written is on the disk when it returns. Any thread that nobody interrupts: that would close the file.
     *
     * @throws IOException it is not, and nobody knows what of it: so says each call from then on, though the kernel says it once
     */
    void force() throws IOException {
        syncing.lock(); // who finds nothing to do waits for who does it
        try {
            if (broken != null) {
                throw new IOException(broken);
            }
            if (written.getAndSet(false)) {
                forceFile();
            }
        } catch (IOException e) {
            broken = broken == null ? e : broken;
            throw e;
        } finally {
            syncing.unlock();
        }
    }

    private void forceFile() throws IOException {
        FileChannel open = channel;
        if (open == null) {
            throw new IOException(file + " is closed");
        }
        sync.force(open);
    }

    boolean isUsable() {
        return channel != null;
    }

    /** Whether it is time for a transaction: there is no room for long, or none at all. */
    boolean isToBeLeft() {
        return channel == null || end + records * (long) Backlog.ENVELOPE_BYTES > MOST_BYTES / 2;
    }

    /** The database has all that was written, and on the disk. */
    void clear() {
        end = HEAD_BYTES;
        roomEnd = HEAD_BYTES;
        records = 0;
        if (isOfBefore && channel != null) {
            begin();
        }
    }

    private void abandon(IOException e) {
        LOG.warn("global bus: {} cannot be used, records wait for the database from now on: {}", file, e.toString());
        close();
    }

    @Override
    public String toString() {
        return file.toString();
    }

    @Override
    public void close() {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            LOG.debug("{} stays open: {}", file, e.getMessage());
        }
        channel = null;
    }
}
