package dev.sand.hostagent.sandbox;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** The last bytes of a stream, and each of its lines to whoever follows. One thread writes; read after it has ended. */
final class OutputTail {
    private static final int LONGEST_LINE = 16 * 1024;
    private final int limit;
    private final Consumer<String> follower;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private byte[] ring;
    private int start;
    private int size;

    OutputTail(int limit, Consumer<String> follower) {
        this.limit = limit;
        this.follower = follower;
        this.ring = new byte[Math.min(limit, 1024)];
    }

    void write(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            keep(bytes[i]);
            if (bytes[i] == '\n' || line.size() == LONGEST_LINE) {
                flush();
            }
            if (bytes[i] != '\n') {
                line.write(bytes[i]);
            }
        }
    }

    private void keep(byte b) {
        if (size == ring.length && ring.length < limit) {
            byte[] larger = new byte[Math.min(limit, ring.length * 2)];
            System.arraycopy(ring, 0, larger, 0, size);
            ring = larger;
        }
        if (size < ring.length) {
            ring[size++] = b;
        } else {
            ring[start] = b;
            start = (start + 1) % ring.length;
        }
    }

    /** The end of the stream, or of a line. */
    void flush() {
        if (line.size() > 0) {
            follower.accept(line.toString(StandardCharsets.UTF_8));
            line.reset();
        }
    }

    String text() {
        byte[] out = new byte[size];
        for (int i = 0; i < size; i++) {
            out[i] = ring[(start + i) % ring.length];
        }
        return new String(out, StandardCharsets.UTF_8);
    }
}
