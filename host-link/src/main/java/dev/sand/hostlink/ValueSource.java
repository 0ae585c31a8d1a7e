package dev.sand.hostlink;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A large value as it is sent: where it lies, it stays; each chunk is read when its turn comes. */
interface ValueSource extends AutoCloseable {
    long size();

    ByteBuffer read(long position, int length);

    @Override
    void close();

    static ValueSource of(byte[] bytes) {
        return new ValueSource() {
            @Override
            public long size() {
                return bytes.length;
            }

            @Override
            public ByteBuffer read(long position, int length) {
                return ByteBuffer.wrap(bytes, (int) position, length);
            }

            @Override
            public void close() {}
        };
    }

    /** A file that the caller deletes when the source is closed. */
    static ValueSource of(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file);
        long size = channel.size();
        return new ValueSource() {
            @Override
            public long size() {
                return size;
            }

            @Override
            public ByteBuffer read(long position, int length) {
                ByteBuffer chunk = ByteBuffer.allocate(length);
                try {
                    while (chunk.hasRemaining()) {
                        if (channel.read(chunk, position + chunk.position()) < 0) {
                            throw new IOException(file + " has become shorter");
                        }
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return chunk.flip();
            }

            @Override
            public void close() {
                try {
                    channel.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }
}
