package dev.sand.datalayer;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Supplier;

/** Gives values out of the chunks in which they are; chunks that no value is taken from are not asked for. */
final class ImageStream {
    private final Supplier<byte[]> chunks;
    private byte[] chunk = new byte[0];
    /** Of {@link #chunk} in the image. */
    private int number = -1;
    private int at;
    private long left;

    /** @param chunks the next one of those that are needed */
    ImageStream(Supplier<byte[]> chunks) {
        this.chunks = chunks;
    }

    /** The next value is of that size, and begins there. */
    void begin(int inChunk, int offset, long size) {
        left = size;
        if (size > 0 && inChunk != number) {
            chunk = chunks.get();
            number = inChunk;
        }
        at = offset;
    }

    /** What is left of the value. */
    void transfer(OutputStream out) throws IOException {
        while (left > 0) {
            int count = next();
            out.write(chunk, at - count, count);
        }
    }

    void skip() {
        while (left > 0) {
            next();
        }
    }

    private int next() {
        if (at == chunk.length) {
            chunk = chunks.get();
            number++;
            at = 0;
        }
        int count = (int) Math.min(left, chunk.length - at);
        at += count;
        left -= count;
        return count;
    }
}
