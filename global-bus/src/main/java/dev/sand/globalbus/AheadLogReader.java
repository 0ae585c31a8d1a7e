package dev.sand.globalbus;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/** What an earlier run has left in an {@link AheadLog}. */
final class AheadLogReader {
    static final int HEAD_BYTES = 64;
    static final byte[] HEAD = Arrays.copyOf("sand-ahead-2".getBytes(StandardCharsets.US_ASCII), HEAD_BYTES);
    static final int BATCH_BYTES = 16;
    static final int RECORD_BYTES = 20;
    /** A log of before begins with what names the machine's run, and is of use in that alone; there all batches have one number. */
    private static final Path RUN = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Pattern ANY_RUN = Pattern.compile("[0-9a-f-]{36}\\x00{" + (HEAD_BYTES - 36) + "}");

    /** One that the database may not have. @param number its batch's @param ofBefore of a platform of before: numbers say its order alone */
    record Found(long number, boolean ofBefore, long position, long atMs, byte[] value) {}

    private final FileChannel channel;
    private final byte[] head = new byte[HEAD_BYTES];
    private final boolean ofBefore;
    private final CRC32C checksum = new CRC32C();
    private long end = HEAD_BYTES;

    /** @throws IOException it cannot be read, or is none */
    AheadLogReader(FileChannel channel) throws IOException {
        this.channel = channel;
        channel.read(ByteBuffer.wrap(head), 0);
        boolean ofSomeRun = ANY_RUN.matcher(new String(head, StandardCharsets.ISO_8859_1)).matches();
        ofBefore = ofSomeRun && Arrays.equals(Arrays.copyOf(Files.readString(RUN).strip().getBytes(StandardCharsets.US_ASCII), HEAD_BYTES), head);
        if (!isNew() && !ofSomeRun && !Arrays.equals(HEAD, head)) {
            throw new IOException("nobody knows what it begins with");
        }
    }

    /** Nothing is in it, or nothing was brought to the disk before a loss of power. */
    private boolean isNew() {
        return Arrays.equals(head, new byte[HEAD_BYTES]);
    }

    boolean isOfNoUse() {
        return !ofBefore && !Arrays.equals(HEAD, head);
    }

    boolean isOfBefore() {
        return ofBefore;
    }

    /** @param found given what is there, in the order in which it was written @param mostBytes of a batch @return where that ends */
    long read(List<Found> found, long mostBytes) throws IOException {
        long last = 0;
        for (ByteBuffer batch = batch(mostBytes); batch != null; batch = batch(mostBytes)) {
            long number = batch.getLong(0);
            if (end > HEAD_BYTES && number != (ofBefore ? last : last + 1)) {
                return end; // of an earlier time round
            }
            last = number;
            end += batch.limit();
            batch.position(BATCH_BYTES);
            while (batch.hasRemaining()) {
                long position = batch.getLong();
                long atMs = batch.getLong();
                byte[] value = new byte[batch.getInt()];
                batch.get(value);
                found.add(new Found(number, ofBefore, position, atMs, value));
            }
        }
        return end;
    }

    /** @return the batch that begins at the end; null: none does, or not all of it is there */
    private ByteBuffer batch(long mostBytes) throws IOException {
        ByteBuffer start = ByteBuffer.allocate(BATCH_BYTES);
        if (channel.read(start, end) < BATCH_BYTES) {
            return null;
        }
        int bytes = start.getInt(8);
        if (bytes <= 0 || bytes > mostBytes || end + BATCH_BYTES + bytes > channel.size()) {
            return null;
        }
        ByteBuffer batch = ByteBuffer.allocate(BATCH_BYTES + bytes);
        for (int read = 0; batch.hasRemaining() && read >= 0; ) {
            read = channel.read(batch, end + batch.position());
        }
        batch.flip();
        checksum.reset();
        checksum.update(batch.slice(0, 8));
        checksum.update(batch.slice(BATCH_BYTES, batch.limit() - BATCH_BYTES));
        return (int) checksum.getValue() == batch.getInt(12) ? batch : null;
    }
}
