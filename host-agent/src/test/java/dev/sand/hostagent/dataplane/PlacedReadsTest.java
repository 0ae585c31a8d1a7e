package dev.sand.hostagent.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class PlacedReadsTest {
    private static final int MOST = 64 << 10;

    private final PlacedReads reads = new PlacedReads();
    private final RecvByteBufAllocator.Handle handle = reads.newHandle();

    @Test
    void what_has_a_place_is_read_there() {
        ByteBuf place = Unpooled.buffer(10);
        reads.ask(() -> place);
        assertThat(handle.allocate(UnpooledByteBufAllocator.DEFAULT)).isSameAs(place);
    }

    @Test
    void a_value_like_the_last_is_not_read_in_pieces_though_small_frames_come_between() {
        for (int i = 0; i < 10; i++) {
            handle.lastBytesRead(MOST);
            handle.lastBytesRead(20);
            handle.lastBytesRead(20);
            handle.readComplete();
        }
        ByteBuf read = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
        assertThat(read.writableBytes()).isGreaterThan(MOST * 3 / 4);
        read.release();
    }

    @Test
    void of_what_has_no_place_little_is_read_at_once() {
        handle.lastBytesRead(1 << 20);
        assertThat(handle.guess()).isEqualTo(MOST);
    }

    @Test
    void after_one_read_it_is_anothers_turn() {
        EmbeddedChannel channel = new EmbeddedChannel();
        handle.reset(channel.config());
        handle.attemptedBytesRead(MOST);
        handle.lastBytesRead(MOST);
        handle.incMessagesRead(1);
        assertThat(((RecvByteBufAllocator.ExtendedHandle) handle).continueReading(() -> true)).isFalse();
        channel.finishAndReleaseAll();
    }

    @Test
    void large_ones_are_forgotten() {
        handle.lastBytesRead(MOST);
        for (int i = 0; i < 100; i++) {
            handle.lastBytesRead(20);
        }
        assertThat(handle.guess()).isLessThan(8192);
    }
}
