package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import java.io.OutputStream;
import java.util.List;
import java.util.function.IntPredicate;

/** Cuts values that are written one behind the other into chunks of given lengths, and sees that each is as long as was said. */
final class ImageCutter extends OutputStream {
    private static final byte[] NONE = new byte[0];

    /** Takes chunks in order. */
    interface Chunks {
        /** @param bytes null: it is one that is there, and was skipped */
        void take(int number, byte[] bytes);
    }

    private final List<Integer> cuts;
    private final Chunks chunks;
    private final IntPredicate isThere;
    /** Of the one that is filled. */
    private int number;
    private byte[] chunk = NONE;
    private int filled;
    private String name;
    private long left;

    /** @param cuts in all as long as the values; @param chunks is given each when it is full; @param isThere its bytes are not needed */
    ImageCutter(List<Integer> cuts, Chunks chunks, IntPredicate isThere) {
        this.cuts = cuts;
        this.chunks = chunks;
        this.isThere = isThere;
    }

    void begin(String value, long size) {
        name = value;
        left = size;
    }

    void end() {
        if (left > 0) {
            throw wrong("ended " + left + " bytes before its size");
        }
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        if (length > left) {
            throw wrong("is longer than its size");
        }
        left -= length;
        for (int at = offset, more = length; more > 0;) {
            if (chunk == NONE) {
                chunk = new byte[cuts.get(number)];
            }
            int count = Math.min(more, chunk.length - filled);
            System.arraycopy(bytes, at, chunk, filled, count);
            filled += count;
            at += count;
            more -= count;
            if (filled == chunk.length) {
                next(chunk);
            }
        }
    }

    /** Whether what comes next is in a chunk that is there. */
    boolean skips() {
        return isThere.test(number);
    }

    /** As if so many bytes of that chunk were written. */
    void skip(int count) {
        left -= count;
        filled += count;
        if (filled == cuts.get(number)) {
            next(null);
        }
    }

    private void next(byte[] bytes) {
        chunks.take(number++, bytes);
        chunk = NONE;
        filled = 0;
    }

    private StoreException wrong(String how) {
        return new StoreException(Kind.BAD_VALUE, "value \"" + name + "\" " + how + ": nothing of the image is written", 0, null);
    }
}
