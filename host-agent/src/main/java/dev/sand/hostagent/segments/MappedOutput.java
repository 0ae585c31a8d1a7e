package dev.sand.hostagent.segments;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;

/** Writes into mapped memory, from its beginning to its end. */
final class MappedOutput extends OutputStream {
    private final MemorySegment map;
    private long written;

    MappedOutput(MemorySegment map) {
        this.map = map;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (length > map.byteSize() - written) {
            throw new IOException("more bytes than the object's " + map.byteSize());
        }
        MemorySegment.copy(bytes, offset, map, JAVA_BYTE, written, length);
        written += length;
    }

    boolean isFull() {
        return written == map.byteSize();
    }
}
