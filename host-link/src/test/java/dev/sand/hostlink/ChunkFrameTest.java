package dev.sand.hostlink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.thrift.network.Chunk;
import dev.sand.event.thrift.network.Credit;
import dev.sand.event.thrift.network.Done;
import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.Ping;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A chunk is found where the generated code puts it, and nothing else is taken for one. */
class ChunkFrameTest {
    private static final int LIMIT = 1 << 20;

    private static ByteBuf frame(Message message) {
        ByteBuf frame = Unpooled.directBuffer();
        frame.writeByte(0x55); // whatever was read before
        MessageCodec.encode(message, frame, LIMIT);
        frame.skipBytes(1);
        assertThat(frame.readInt()).isEqualTo(frame.readableBytes());
        return frame;
    }

    private static ChunkFrame of(ByteBuf frame) {
        int before = frame.readerIndex();
        ChunkFrame found = ChunkFrame.of(frame, frame.readableBytes());
        assertThat(frame.readerIndex()).isEqualTo(before);
        return found;
    }

    @Test
    void aChunkIsWhatWasWritten() {
        for (byte[] bytes : new byte[][] {{}, {7}, new byte[256 << 10]}) {
            ChunkFrame found = of(frame(Message.chunk(new Chunk(0x0102_0304_0506_0708L, ByteBuffer.wrap(bytes)))));
            assertThat(found.call()).isEqualTo(0x0102_0304_0506_0708L);
            assertThat(found.bytes()).isEqualTo(ByteBuffer.wrap(bytes));
        }
    }

    @Test
    void noOtherMessageIsOne() {
        for (Message other : new Message[] {Message.ping(new Ping()), Message.credit(new Credit(1, 2)), Message.done(new Done(3))}) {
            assertThat(of(frame(other))).isNull();
        }
    }

    @Test
    void whatIsNotLaidOutSoIsNone() {
        ByteBuf whole = frame(Message.chunk(new Chunk(1, ByteBuffer.wrap(new byte[] {1, 2, 3}))));
        for (int cut = 0; cut < whole.readableBytes(); cut++) {
            assertThat(ChunkFrame.of(whole, cut)).as("a frame of %d bytes", cut).isNull();
        }
        int begin = whole.readerIndex();
        int data = begin + 21;
        for (int at = begin; at < whole.writerIndex(); at++) {
            boolean isCall = at >= begin + 6 && at < begin + 14;
            if (!isCall && (at < data || at >= data + 3)) {
                ByteBuf broken = whole.copy();
                broken.setByte(at - begin, broken.getByte(at - begin) ^ 1);
                assertThat(of(broken)).as("byte %d", at - begin).isNull();
            }
        }
    }
}
