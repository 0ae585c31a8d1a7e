package dev.sand.hostagent.objects;

import java.io.IOException;
import java.io.OutputStream;

/** An array of known size that is written once from its beginning to its end. */
final class FixedBytes extends OutputStream {
    private final byte[] bytes;
    private int written;

    FixedBytes(long size) {
        this.bytes = new byte[Math.toIntExact(size)];
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        if (length > bytes.length - written) {
            throw new IOException("more bytes than the " + bytes.length + " that were told of");
        }
        System.arraycopy(from, offset, bytes, written, length);
        written += length;
    }

    byte[] all() {
        return bytes;
    }
}
