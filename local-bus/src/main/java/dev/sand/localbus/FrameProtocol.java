package dev.sand.localbus;

import java.nio.ByteBuffer;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.transport.TTransport;

/** Strict binary protocol whose values outlive the frame: bytes are copied out once, into an array of their own length. */
final class FrameProtocol extends TBinaryProtocol {
    FrameProtocol(TTransport transport) {
        super(transport, NO_LENGTH_LIMIT, NO_LENGTH_LIMIT, true, true);
    }

    private static final long NO_LENGTH_LIMIT = -1;

    @Override
    public ByteBuffer readBinary() throws TException {
        int size = readI32();
        if (size < 0) {
            throw new TProtocolException(TProtocolException.NEGATIVE_SIZE, "negative length " + size);
        }
        trans_.checkReadBytesAvailable(size);
        byte[] bytes = new byte[size];
        trans_.readAll(bytes, 0, size);
        return ByteBuffer.wrap(bytes);
    }
}
