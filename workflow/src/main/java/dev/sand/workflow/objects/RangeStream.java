package dev.sand.workflow.objects;

import dev.sand.workflow.data.WorkflowLimits;
import java.io.IOException;
import java.io.InputStream;

/** An object's bytes from an offset on, of one version of it, fetched a range at a time; with a bound on what one item may take. */
final class RangeStream extends InputStream {
    private static final int RANGE_BYTES = 128 * 1024;
    private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final ApplicationObjects objects;
    private final String key;
    private final ApplicationObjects.Info info;
    private byte[] range = {};
    private int at;
    /** Of the range's end in the object. */
    private long next;
    private long itemBegan;

    RangeStream(ApplicationObjects objects, String key, ApplicationObjects.Info info, long offset) throws IOException {
        this.objects = objects;
        this.key = key;
        this.info = info;
        this.next = offset;
        this.itemBegan = offset;
        if (offset == 0) {
            skipMark();
        }
    }

    /** The byte order mark that some editors put before UTF-8. */
    private void skipMark() throws IOException {
        if (peek() >= 0 && range.length >= MARK.length && range[0] == MARK[0] && range[1] == MARK[1] && range[2] == MARK[2]) {
            at = MARK.length;
        }
    }

    /** Whether what comes is text of two or four bytes a character. */
    boolean isWide() throws IOException {
        if (peek() >= 0xFE) {
            return true;
        }
        for (int i = at; i < Math.min(at + 4, range.length); i++) {
            if (range[i] == 0) {
                return true;
            }
        }
        return false;
    }

    /** Of the next byte in the object. */
    long offset() {
        return next - range.length + at;
    }

    /** What was read belongs to items that are done. */
    void beginItem() {
        itemBegan = offset();
    }

    /** @return the next byte, or -1 at the end, and stays before it */
    int peek() throws IOException {
        if (at == range.length && !fetch()) {
            return -1;
        }
        return range[at] & 0xFF;
    }

    private boolean fetch() throws IOException {
        if (next >= info.size()) {
            return false;
        }
        if (next - itemBegan > WorkflowLimits.ITEM_BYTES + 2L * RANGE_BYTES) {
            throw new ItemFault("an item of " + key + ", the one at byte " + itemBegan + ", is larger than " + WorkflowLimits.ITEM_BYTES
                    + " bytes");
        }
        range = objects.read(key, info.version(), next, RANGE_BYTES);
        at = 0;
        next += range.length;
        if (range.length == 0) {
            throw new IOException(key + " ends at byte " + next + ", before its size of " + info.size());
        }
        return true;
    }

    @Override
    public int read() throws IOException {
        int next = peek();
        if (next >= 0) {
            at++;
        }
        return next;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (peek() < 0) {
            return -1;
        }
        int count = Math.min(length, range.length - at);
        System.arraycopy(range, at, bytes, offset, count);
        at += count;
        return count;
    }
}
