package dev.sand.localbus;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import org.junit.jupiter.api.Test;

class FrameReadsTest {
    private static final ByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;

    private final FrameReads reads = new FrameReads();
    private final RecvByteBufAllocator.Handle one = reads.newHandle();
    private final RecvByteBufAllocator.Handle other = reads.newHandle();

    @Test
    void anArrayOf64KiBWithItsFrameComesInOneRead() {
        assertThat(one.allocate(ALLOCATOR).writableBytes()).isGreaterThan((64 << 10) + 4096);
    }

    @Test
    void allReadToTheSameMemoryOneAfterTheOther() {
        ByteBuf first = one.allocate(ALLOCATOR);
        first.writeLong(5);
        first.release();
        ByteBuf second = other.allocate(ALLOCATOR);
        assertThat(second).isSameAs(first);
        assertThat(second.readableBytes()).isZero();
    }

    @Test
    void whoHasHalfAFrameKeepsIt() {
        ByteBuf half = one.allocate(ALLOCATOR).writeLong(5);
        ByteBuf meanwhile = other.allocate(ALLOCATOR).writeLong(7);
        assertThat(meanwhile).isNotSameAs(half);
        assertThat(half.readLong()).isEqualTo(5);
        meanwhile.release();
        half.release();
        assertThat(other.allocate(ALLOCATOR)).isSameAs(half);
    }
}
