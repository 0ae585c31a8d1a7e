package dev.sand.hostagent.log;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Cuts a stream of bytes into lines of bounded length; the rest of a longer line is dropped. */
final class LineBuffer {
    private static final int FIRST_BYTES = 256;

    /** Takes a line without its end; the array is reused. */
    interface Sink {
        void accept(byte[] bytes, int length);
    }

    private final int limit;
    private byte[] line = new byte[0];
    private int length;
    private boolean any;

    LineBuffer(int limit) {
        this.limit = limit;
    }

    void feed(ByteBuffer bytes, Sink sink) {
        while (bytes.hasRemaining()) {
            byte b = bytes.get();
            if (b == '\n') {
                end(sink);
            } else {
                any = true;
                if (length < limit) {
                    append(b);
                }
            }
        }
    }

    /** The stream has ended: what has no line end is a line too. */
    void finish(Sink sink) {
        if (any) {
            end(sink);
        }
    }

    private void end(Sink sink) {
        sink.accept(line, length);
        length = 0;
        any = false;
    }

    private void append(byte b) {
        if (length == line.length) {
            line = Arrays.copyOf(line, Math.min(limit, Math.max(FIRST_BYTES, length * 2)));
        }
        line[length++] = b;
    }
}
