package dev.sand.globalbus;

import dev.sand.globalbus.BusCommand.Append;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file beside the database to which records are written before a transaction has them, in one write: so that who waits for the file
 * does not wait for SQLite, and many share its transaction. It is for the death of this process alone: it is never brought to
 * the disk, and nothing is taken from one of an earlier run of the machine, of whose files the disk may have any state.
 *
 * <pre>
 * file:   the machine's run, 64 bytes; batches, one behind another, from the start again once the database has all
 * batch:  generation i64, bytes i32, checksum of generation and content i32; content: records
 * record: position i64, time i64, bytes i32; value
 * </pre>
 * Of who works for the writer.
 */
final class AheadLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AheadLog.class);
    private static final Path RUN = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int HEAD_BYTES = 64;
    private static final int BATCH_BYTES = 16;
    private static final int RECORD_BYTES = 20;
    private static final int MOST_IN_BATCH = 512 << 10;
    private static final long MOST_BYTES = 4L << 20;

    /** One that the database may not have. @param generation of two logs, that of the later one is higher */
    record Found(long generation, long position, long atMs, byte[] value) {}

    private final Path file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(MOST_IN_BATCH);
    private final CRC32C checksum = new CRC32C();
    private FileChannel channel;
    private long generation;
    private long end = HEAD_BYTES;

    private AheadLog(Path file) {
        this.file = file;
    }

    /** @param found given what is in it, in the order in which it was written */
    static AheadLog open(Path file, List<Found> found) {
        AheadLog log = new AheadLog(file);
        try {
            byte[] run = run();
            log.channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            if (Arrays.equals(run, log.head())) {
                log.read(found);
            } else {
                log.channel.truncate(0);
                log.channel.write(ByteBuffer.wrap(run), 0);
            }
        } catch (IOException e) {
            log.abandon(e);
        }
        return log;
    }

    /** What names the time since the machine was started. */
    private static byte[] run() throws IOException {
        byte[] head = new byte[HEAD_BYTES];
        byte[] id = Files.readString(RUN).strip().getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(id, 0, head, 0, Math.min(id.length, head.length));
        return head;
    }

    private byte[] head() throws IOException {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        channel.read(head, 0);
        return head.array();
    }

    private void read(List<Found> found) throws IOException {
        for (ByteBuffer batch = batch(); batch != null; batch = batch()) {
            if (end > HEAD_BYTES && batch.getLong(0) != generation) {
                return; // of an earlier time round
            }
            generation = batch.getLong(0);
            end += batch.limit();
            batch.position(BATCH_BYTES);
            while (batch.hasRemaining()) {
                long position = batch.getLong();
                long atMs = batch.getLong();
                byte[] value = new byte[batch.getInt()];
                batch.get(value);
                found.add(new Found(generation, position, atMs, value));
            }
        }
    }

    /** @return the batch that begins at the end; null: none does, or not all of it is there */
    private ByteBuffer batch() throws IOException {
        ByteBuffer head = ByteBuffer.allocate(BATCH_BYTES);
        if (channel.read(head, end) < BATCH_BYTES) {
            return null;
        }
        int bytes = head.getInt(8);
        if (bytes <= 0 || bytes > MOST_IN_BATCH - BATCH_BYTES || end + BATCH_BYTES + bytes > channel.size()) {
            return null;
        }
        ByteBuffer batch = ByteBuffer.allocate(BATCH_BYTES + bytes);
        for (int read = 0; batch.hasRemaining() && read >= 0; ) {
            read = channel.read(batch, end + batch.position());
        }
        return checksum(batch.flip()) == batch.getInt(12) ? batch : null;
    }

    private int checksum(ByteBuffer batch) {
        checksum.reset();
        checksum.update(batch.slice(0, 8));
        checksum.update(batch.slice(BATCH_BYTES, batch.limit() - BATCH_BYTES));
        return (int) checksum.getValue();
    }

    /** @return true: they are in the file, whatever becomes of this process; false: they are to be in the database before anybody hears of them */
    boolean write(List<Append> appends, long atMs) {
        long bytes = BATCH_BYTES;
        for (Append append : appends) {
            bytes += RECORD_BYTES + append.value.length;
        }
        if (channel == null || bytes > MOST_IN_BATCH || end + bytes > MOST_BYTES) {
            return false;
        }
        buffer.clear().position(BATCH_BYTES);
        for (Append append : appends) {
            buffer.putLong(append.partition().position(append.offset)).putLong(atMs).putInt(append.value.length).put(append.value);
        }
        buffer.flip();
        buffer.putLong(0, generation).putInt(8, buffer.limit() - BATCH_BYTES).putInt(12, checksum(buffer));
        try {
            for (long at = end; buffer.hasRemaining(); ) {
                at += channel.write(buffer, at);
            }
        } catch (IOException e) {
            return failed(e);
        }
        end += bytes;
        return true;
    }

    /** A full disk, most likely: what is in it stays, and the next write is tried where this one was. */
    private boolean failed(IOException e) {
        if (!channel.isOpen()) {
            abandon(e);
        }
        LOG.debug("{}: {}", file, e.toString());
        return false;
    }

    /** The database has all that was written. @param next of what is written from now on */
    void clear(long next) {
        generation = next;
        end = HEAD_BYTES;
    }

    private void abandon(IOException e) {
        LOG.warn("global bus: {} cannot be used, records wait for the database from now on: {}", file, e.toString());
        close();
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

    /** In the order of their writing. */
    static List<Append> asAppends(List<Found> found, BusTopics topics) {
        List<Append> missing = new ArrayList<>();
        for (Found each : found) {
            Partition partition = topics.of(each.position());
            long offset = each.position() - (partition == null ? 0 : partition.position(0));
            if (partition != null && offset == partition.next) { // before it are those that the database has
                partition.next++;
                missing.add(Append.found(partition, offset, each));
            }
        }
        return missing;
    }
}
