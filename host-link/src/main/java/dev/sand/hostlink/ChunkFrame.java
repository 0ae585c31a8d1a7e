package dev.sand.hostlink;

import dev.sand.event.thrift.network.Message;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.apache.thrift.protocol.TType;

/**
 * A frame that has a chunk of a value, as Thrift lays it out: its bytes go to where they belong out of the connection's buffer, and not
 * into an array of the frame before. Of any other layout the generated code makes what it can.
 *
 * @param bytes a view, for as long as nothing more is read
 */
record ChunkFrame(long call, ByteBuffer bytes) {
    /** The union's field; call; how long the bytes are; and, behind them, the ends of both structs. */
    private static final int HEAD = 1 + 2 + 1 + 2 + 8 + 1 + 2 + 4;
    private static final int STOPS = 2;
    private static final int UNION_FIELD = Message._Fields.CHUNK.getThriftFieldId();

    /** @param length of the frame, all of which is there @return null: it is another one; nothing is read */
    static ChunkFrame of(ByteBuf in, int length) {
        int at = in.readerIndex();
        if (length < HEAD + STOPS || in.getByte(at) != TType.STRUCT || in.getShort(at + 1) != UNION_FIELD
                || in.getByte(at + 3) != TType.I64 || in.getShort(at + 4) != 1 || in.getByte(at + 14) != TType.STRING || in.getShort(at + 15) != 2
                || in.getInt(at + 17) != length - HEAD - STOPS || in.getShort(at + length - STOPS) != 0) {
            return null;
        }
        return new ChunkFrame(in.getLong(at + 6), in.nioBuffer(at + HEAD, length - HEAD - STOPS));
    }
}
