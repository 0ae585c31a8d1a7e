package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LatelyFullTest {
    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE);
    private final LatelyFull room = new LatelyFull(nowNs::get);

    @Test
    void whatWasRefusedIsToldForAWhile() {
        assertThat(room.why()).isNull();
        room.refused("no room");
        nowNs.addAndGet(4_000_000_000L);
        assertThat(room.why()).isEqualTo("no room");
        room.refused("none still");
        nowNs.addAndGet(4_000_000_000L);
        assertThat(room.why()).isEqualTo("none still");
        nowNs.addAndGet(2_000_000_000L);
        assertThat(room.why()).isNull();
    }
}
