package dev.sand.datalayer;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Supplier;

/** Gives values out of the chunks in which they lie one behind the other. */
final class ImageStream {
    private final Supplier<byte[]> chunks;
    private byte[] chunk = new byte[0];
    private int at;
    private long left;

    /** @param chunks the next one */
    ImageStream(Supplier<byte[]> chunks) {
        this.chunks = chunks;
    }

    /** The next value begins where the last one ends. */
    void begin(long size) {
        left = size;
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
            at = 0;
        }
        int count = (int) Math.min(left, chunk.length - at);
        at += count;
        left -= count;
        return count;
    }
}
