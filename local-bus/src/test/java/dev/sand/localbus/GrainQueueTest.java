package dev.sand.localbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class GrainQueueTest {
    private static final class Event implements GrainQueue.Entry {
        private final long bytes;

        Event(long bytes) {
            this.bytes = bytes;
        }

        @Override
        public long bytes() {
            return bytes;
        }
    }

    private final Event a = new Event(10);
    private final Event b = new Event(10);
    private final Event c = new Event(10);

    @Test
    void handsOutInTheOrderOfArrivalAndRetriesLast() {
        GrainQueue<Event> queue = new GrainQueue<>(10, 1000);
        queue.offer(a);
        queue.offer(b);
        Event lost = queue.poll();
        queue.offer(c);
        queue.readmit(lost);

        assertThat(queue.poll()).isSameAs(b);
        assertThat(queue.poll()).isSameAs(c);
        assertThat(queue.poll()).isSameAs(a);
        assertThat(queue.poll()).isNull();
    }

    @Test
    void refusesBeyondItsDepthWithLimitAndActual() {
        GrainQueue<Event> queue = new GrainQueue<>(1, 1000);
        assertThat(queue.offer(a)).isNull();
        assertThat(queue.offer(b)).isEqualTo(new GrainQueue.Refusal("queue depth", 1, 2));
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void refusesBeyondItsBytesWithLimitAndActual() {
        GrainQueue<Event> queue = new GrainQueue<>(10, 25);
        queue.offer(a);
        queue.offer(b);
        assertThat(queue.offer(c)).isEqualTo(new GrainQueue.Refusal("queue bytes", 25, 30));
        queue.poll();
        assertThat(queue.offer(c)).isNull();
    }

    @Test
    void neverRefusesWhatItHadAccepted() {
        GrainQueue<Event> queue = new GrainQueue<>(1, 10);
        queue.offer(a);
        Event running = queue.poll();
        queue.offer(b);
        queue.readmit(running);
        assertThat(queue.size()).isEqualTo(2);
        assertThat(queue.offer(c)).isEqualTo(new GrainQueue.Refusal("queue depth", 1, 3));
    }

    @Test
    void aReservedPlaceIsTakenUntilItIsReleased() {
        GrainQueue<Event> queue = new GrainQueue<>(1, 1000);
        assertThat(queue.reserve(a.bytes())).isNull();
        assertThat(queue.offer(b)).isNotNull();
        queue.release(a.bytes());
        assertThat(queue.offer(a)).isNull();
        assertThatThrownBy(() -> queue.release(10)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anEventThatIsNotToRunLeavesItsPlace() {
        GrainQueue<Event> queue = new GrainQueue<>(2, 1000);
        queue.offer(a);
        queue.offer(b);
        assertThat(queue.remove(a)).isTrue();
        assertThat(queue.remove(a)).isFalse();
        assertThat(queue.bytes()).isEqualTo(10);
        assertThat(queue.peek()).isSameAs(b);
    }
}
