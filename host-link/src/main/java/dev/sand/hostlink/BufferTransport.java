package dev.sand.hostlink;

import io.netty.buffer.ByteBuf;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.transport.TTransport;

/** Where Thrift writes a message: a buffer of Netty's, and no array before it. */
final class BufferTransport extends TTransport {
    private final ByteBuf out;

    BufferTransport(ByteBuf out) {
        this.out = out;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        out.writeBytes(bytes, offset, length);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
        throw new UnsupportedOperationException("only written to");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void open() {}

    @Override
    public void close() {}

    @Override
    public TConfiguration getConfiguration() {
        return TConfiguration.DEFAULT;
    }

    @Override
    public void updateKnownMessageSize(long size) {}

    @Override
    public void checkReadBytesAvailable(long bytes) {}
}
