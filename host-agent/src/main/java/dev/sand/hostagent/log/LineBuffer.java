package dev.sand.hostagent.log;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts a stream of bytes into lines of bounded length. Of a longer one the next {@link #AHEAD} bytes are told as well, for whoever
 * looks for what is cut in two, and the rest is dropped.
 */
final class LineBuffer {
    static final int AHEAD = 1024;
    private static final int FIRST_BYTES = 256;

    /** Takes a line without its end; the array is reused. */
    interface Sink {
        /** @param ended whether the line ends there: not where more of it was dropped, or the stream ended within it */
        void accept(byte[] bytes, int length, boolean ended);
    }

    private final int limit;
    private byte[] line = new byte[0];
    private int length;
    private boolean any;
    private boolean dropped;

    LineBuffer(int lineBytes) {
        this.limit = lineBytes + AHEAD;
    }

    void feed(ByteBuffer bytes, Sink sink) {
        while (bytes.hasRemaining()) {
            byte b = bytes.get();
            if (b == '\n') {
                end(sink, !dropped);
            } else {
                any = true;
                if (length < limit) {
                    append(b);
                } else {
                    dropped = true;
                }
            }
        }
    }

    /** The stream has ended: what has no line end is a line too. */
    void finish(Sink sink) {
        if (any) {
            end(sink, false);
        }
    }

    private void end(Sink sink, boolean ended) {
        sink.accept(line, length, ended);
        length = 0;
        any = false;
        dropped = false;
    }

    private void append(byte b) {
        if (length == line.length) {
            line = Arrays.copyOf(line, Math.min(limit, Math.max(FIRST_BYTES, length * 2)));
        }
        line[length++] = b;
    }
}
