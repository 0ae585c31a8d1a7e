package dev.sand.datalayer;

import dev.sand.datalayer.LogStore.Line;
import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Codec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Lines of one application that were appended together, as they are stored: JSON, compressed.
 *
 * @param before bytes of all batches before this one since the first; @param bytes of this one, both as lines count
 * @param lines with sequence 0: it follows from the batch's number
 */
record LogBatch(short schema, long before, long bytes, List<Line> lines) {
    private static final short SCHEMA = 1;
    /** Of lines that were written in cloud processes. */
    private static final short OF_PROCESSES = 2;
    /** What a line costs besides its text. */
    private static final int LINE_BYTES = 150;
    static final int MOST_LINES = 1000;
    static final int MOST_BYTES = 512 * 1024;
    /** A line's sequence is its batch's number, shifted, and its place in it. */
    static final int PLACE_BITS = 16;
    /** Behind whatever a batch has. */
    private static final long LAST_PLACE = (1 << PLACE_BITS) - 1;

    /** Cuts lines of one application into batches; what they come behind is said when they are stored. */
    static List<LogBatch> of(List<Line> lines) {
        List<LogBatch> batches = new ArrayList<>();
        List<Line> some = new ArrayList<>();
        long bytes = 0;
        for (Line line : lines) {
            long size = LINE_BYTES + (long) line.text().length();
            if (!some.isEmpty() && (some.size() == MOST_LINES || bytes + size > MOST_BYTES)) {
                batches.add(of(bytes, some));
                some.clear();
                bytes = 0;
            }
            some.add(line.numbered(0));
            bytes += size;
        }
        if (!some.isEmpty()) {
            batches.add(of(bytes, some));
        }
        return batches;
    }

    private static LogBatch of(long bytes, List<Line> lines) {
        boolean inProcesses = lines.stream().anyMatch(line -> line.process() != null);
        return new LogBatch(inProcesses ? OF_PROCESSES : SCHEMA, 0, bytes, List.copyOf(lines));
    }

    LogBatch behind(long bytesBefore) {
        return new LogBatch(schema, bytesBefore, bytes, lines);
    }

    long end() {
        return before + bytes;
    }

    /** What comes behind all lines of the batch of that number, and before those of the next. */
    static long end(long number) {
        return number << PLACE_BITS | LAST_PLACE;
    }

    /** @return the number of the last batch that has no line behind that one */
    static long seen(long sequence) {
        long number = Math.max(0, sequence) >> PLACE_BITS;
        return (sequence & LAST_PLACE) == LAST_PLACE ? number : Math.max(0, number - 1);
    }

    /** @param number of the batch */
    List<Line> numbered(long number) {
        List<Line> numbered = new ArrayList<>();
        for (int place = 0; place < lines.size(); place++) {
            numbered.add(lines.get(place).numbered(number << PLACE_BITS | place));
        }
        return numbered;
    }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zipped = new GZIPOutputStream(bytes)) {
            zipped.write(Codec.encode(this));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static LogBatch decode(byte[] stored) {
        try (GZIPInputStream zipped = new GZIPInputStream(new ByteArrayInputStream(stored))) {
            LogBatch batch = Codec.decode(zipped.readAllBytes(), LogBatch.class);
            if (batch.schema() > OF_PROCESSES) {
                throw new StoreException(Kind.BROKEN, "a batch of log lines has schema " + batch.schema()
                        + ", newer than this platform understands", 0, null);
            }
            return batch;
        } catch (IOException e) {
            throw new StoreException(Kind.BROKEN, "a batch of log lines cannot be read: " + e.getMessage(), 0, e);
        }
    }
}
