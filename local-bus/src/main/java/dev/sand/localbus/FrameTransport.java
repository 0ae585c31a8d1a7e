package dev.sand.localbus;

import io.netty.buffer.ByteBuf;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportException;

/**
 * Thrift's view of one frame. Reading: the frame's bytes lie in an array (a socket buffer is native memory, so they are
 * copied there once), of which strings are decoded in place. Writing: straight into the buffer that goes to the socket.
 */
final class FrameTransport extends TTransport {
    private static final int SCRATCH_BYTES = 96 * 1024;
    private static final TConfiguration CONFIGURATION = new TConfiguration();
    private static final byte[] EMPTY = new byte[0];

    private final byte[] scratch = new byte[SCRATCH_BYTES];
    private byte[] input = EMPTY;
    private int position;
    private int limit;
    private ByteBuf output;
    private int outputLimit;

    /** The frame's next {@code length} bytes are the message. */
    void readFrom(ByteBuf frame, int length) {
        if (frame.hasArray()) {
            input = frame.array();
            position = frame.arrayOffset() + frame.readerIndex();
        } else {
            input = length <= SCRATCH_BYTES ? scratch : new byte[length];
            frame.getBytes(frame.readerIndex(), input, 0, length);
            position = 0;
        }
        limit = position + length;
    }

    /** Lets go of what may be large. */
    void readDone() {
        input = EMPTY;
        position = 0;
        limit = 0;
    }

    /** @param maxBytes an exception when a message is longer */
    void writeTo(ByteBuf buffer, int maxBytes) {
        output = buffer;
        outputLimit = buffer.writerIndex() + maxBytes;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws TTransportException {
        if (length > limit - position) {
            throw new TTransportException(TTransportException.END_OF_FILE, "the message is longer than its frame");
        }
        System.arraycopy(input, position, target, offset, length);
        position += length;
        return length;
    }

    @Override
    public void write(byte[] source, int offset, int length) throws TTransportException {
        if (length > outputLimit - output.writerIndex()) {
            throw new TTransportException(TTransportException.CORRUPTED_DATA, "the message is longer than a frame may be");
        }
        output.writeBytes(source, offset, length);
    }

    @Override
    public byte[] getBuffer() {
        return input;
    }

    @Override
    public int getBufferPosition() {
        return position;
    }

    @Override
    public int getBytesRemainingInBuffer() {
        return limit - position;
    }

    @Override
    public void consumeBuffer(int length) {
        position += length;
    }

    @Override
    public void checkReadBytesAvailable(long bytes) throws TTransportException {
        if (bytes > limit - position) {
            throw new TTransportException(TTransportException.END_OF_FILE, "the message is longer than its frame");
        }
    }

    @Override
    public TConfiguration getConfiguration() {
        return CONFIGURATION;
    }

    @Override
    public void updateKnownMessageSize(long size) {}

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void open() {}

    @Override
    public void close() {}
}
