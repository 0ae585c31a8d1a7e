package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HeapWatchTest {
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicInteger collected = new AtomicInteger();
    private final List<Boolean> told = new ArrayList<>();
    private final HeapWatch watch = new HeapWatch(left::incrementAndGet, told::add, collected::incrementAndGet);

    @Test
    void whatIsIdleLeavesWhenACollectionLeavesMuch() {
        watch.onCollected(60, 100);
        assertThat(left).hasValue(0);
        watch.onCollected(75, 100);
        watch.onCollected(75, 100);
        assertThat(left).hasValue(2);
        assertThat(told).isEmpty();
    }

    @Test
    void thatItIsFullIsToldOnceAndThatItIsNoMore() {
        watch.onCollected(90, 100);
        watch.onCollected(95, 100);
        watch.onCollected(80, 100);
        watch.onCollected(50, 100);
        assertThat(told).containsExactly(true, false);
        assertThat(left).hasValue(3);
    }

    @Test
    void whileItIsFullWhatIsLeftIsLookedFor() {
        watch.look();
        assertThat(collected).hasValue(0);
        watch.onCollected(90, 100);
        watch.look();
        assertThat(collected).hasValue(1);
        assertThat(left).hasValue(2);
        watch.onCollected(50, 100);
        watch.look();
        assertThat(collected).hasValue(1);
    }

    /** What this virtual machine tells of a collection of its own. */
    @Test
    void itIsToldOfEachCollection() {
        List<Long> seen = new CopyOnWriteArrayList<>();
        HeapWatch real = new HeapWatch(() -> { }, full -> { }, () -> { }) {
            @Override
            synchronized void onCollected(long used, long most) {
                seen.add(used);
                assertThat(used).isPositive().isLessThanOrEqualTo(most);
            }
        };
        real.start();
        try {
            await().until(() -> {
                System.gc();
                return !seen.isEmpty();
            });
        } finally {
            real.close();
        }
    }
}
