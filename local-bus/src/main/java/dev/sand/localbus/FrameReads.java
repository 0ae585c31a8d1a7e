package dev.sand.localbus;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.nio.ByteBuffer;

/**
 * Where the connections of one event loop read to: all to the same memory, which is large and which the processor has near. What is read is
 * taken apart at once, as a rule; who has half a frame keeps the memory until the other half is there, and the others then have some of
 * their own. What Netty does alone goes by what each read brought: frames of a little over 64 KiB took two reads, with a turn of the loop
 * between them and a copy behind them.
 */
final class FrameReads implements RecvByteBufAllocator {
    private static final int LEAST_BYTES = 1024;
    private static final int FIRST_BYTES = 4096;
    private static final int MOST_BYTES = 128 * 1024;

    private final RecvByteBufAllocator others = new AdaptiveRecvByteBufAllocator(LEAST_BYTES, FIRST_BYTES, MOST_BYTES);
    private final ByteBuf memory = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(MOST_BYTES));

    @Override
    public Handle newHandle() {
        return new FrameHandle(others.newHandle());
    }

    private final class FrameHandle extends DelegatingHandle implements ExtendedHandle {
        FrameHandle(Handle other) {
            super(other);
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return memory.refCnt() == 1 ? memory.clear().retain() : super.allocate(allocator);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier mayBeMore) {
            return ((ExtendedHandle) delegate()).continueReading(mayBeMore);
        }
    }
}
