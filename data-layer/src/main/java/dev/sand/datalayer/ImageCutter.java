package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/** Cuts values that are written one behind the other into chunks of given lengths, and sees that each is as long as was said. */
final class ImageCutter extends OutputStream {
    private final Iterator<Integer> cuts;
    private final Consumer<byte[]> chunks;
    private byte[] chunk = new byte[0];
    private int filled;
    private String name;
    private long left;

    /** @param cuts in all as long as the values; @param chunks is given each when it is full */
    ImageCutter(List<Integer> cuts, Consumer<byte[]> chunks) {
        this.cuts = cuts.iterator();
        this.chunks = chunks;
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
            if (chunk.length == 0) {
                chunk = new byte[cuts.next()];
                filled = 0;
            }
            int count = Math.min(more, chunk.length - filled);
            System.arraycopy(bytes, at, chunk, filled, count);
            filled += count;
            at += count;
            more -= count;
            if (filled == chunk.length) {
                chunks.accept(chunk);
                chunk = new byte[0];
            }
        }
    }

    private StoreException wrong(String how) {
        return new StoreException(Kind.BAD_VALUE, "value \"" + name + "\" " + how + ": nothing of the image is written", 0, null);
    }
}
