package dev.sand.hostlink;

import dev.sand.event.thrift.network.Message;
import io.netty.buffer.ByteBuf;
import org.apache.thrift.TConfiguration;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.apache.thrift.transport.TTransportException;

/** Messages to frames and back. */
final class MessageCodec {
    static final int LENGTH_BYTES = 4;

    private MessageCodec() {}

    /** Appends a whole frame. @throws LinkException when it is longer than a frame may be */
    static void encode(Message message, ByteBuf out, int frameBytes) {
        try {
            int begin = out.writerIndex();
            out.writeInt(0);
            message.write(new TBinaryProtocol(new BufferTransport(out)));
            int length = out.writerIndex() - begin - LENGTH_BYTES;
            if (length > frameBytes) {
                out.writerIndex(begin);
                throw new LinkException("a message of " + length + " bytes; the limit is " + frameBytes);
            }
            out.setInt(begin, length);
        } catch (TException e) {
            throw new IllegalStateException("cannot encode a " + message.getSetField(), e);
        }
    }

    /** Reads the next {@code length} bytes. @throws LinkException when they are no message */
    static Message decode(ByteBuf in, int length) {
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        try {
            Message message = new Message();
            message.read(new TBinaryProtocol(new TMemoryInputTransport(configuration(length), bytes), length, length));
            return message;
        } catch (TException | RuntimeException e) {
            // Of bytes that are no message, the generated code throws whatever they lead it to.
            throw new LinkException("not understood: " + e.getMessage());
        }
    }

    private static TConfiguration configuration(int length) throws TTransportException {
        return new TConfiguration(Math.max(1, length), Math.max(1, length), TConfiguration.DEFAULT_RECURSION_DEPTH);
    }
}
