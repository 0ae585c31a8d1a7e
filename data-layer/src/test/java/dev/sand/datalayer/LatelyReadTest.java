package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is known of the store, also while it does not answer: versions, say, by name of an application. */
class LatelyReadTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong nowNs = new AtomicLong(1);
    private final AtomicInteger asked = new AtomicInteger();
    private volatile int live = 1;
    private volatile RuntimeException failure;
    private volatile CountDownLatch silence = new CountDownLatch(0);
    private final LatelyRead<String, Integer> versions = new LatelyRead<>(this::read, name -> false, blocking, nowNs::get);

    private Optional<Integer> read(String application) {
        asked.incrementAndGet();
        try {
            silence.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
        return Optional.of(live);
    }

    @AfterEach
    void end() {
        silence.countDown();
        blocking.shutdownNow();
    }

    private int loaded() {
        return versions.load("app").orElseThrow();
    }

    private Integer known() {
        return versions.known("app");
    }

    @Test
    void what_is_a_second_old_is_read_anew() {
        assertThat(known()).isNull();
        assertThat(loaded()).isEqualTo(1);
        assertThat(known()).isEqualTo(1);
        live = 2;
        nowNs.addAndGet(SECOND_NS + 1);
        assertThat(known()).isNull();
        assertThat(loaded()).isEqualTo(2);
    }

    @Test
    void while_the_store_is_away_invocations_go_on_with_what_was_known() {
        loaded();
        failure = new StoreException(StoreException.Kind.AWAY, "Cassandra does not answer", 0, null);
        nowNs.addAndGet(5 * SECOND_NS);
        assertThat(known()).isNull();
        assertThat(loaded()).isEqualTo(1);
        assertThat(known()).as("the next one waits for nobody").isEqualTo(1);
        failure = null;
        live = 2;
        nowNs.addAndGet(5 * SECOND_NS);
        assertThat(loaded()).as("it is back").isEqualTo(2);
    }

    @Test
    void so_they_do_while_it_is_silent_and_it_is_asked_once() {
        loaded();
        silence = new CountDownLatch(1);
        nowNs.addAndGet(5 * SECOND_NS);
        assertThat(loaded()).isEqualTo(1);
        assertThat(loaded()).isEqualTo(1);
        assertThat(asked).hasValue(2);
    }

    @Test
    void an_application_that_was_never_known_fails() {
        failure = new StoreException(StoreException.Kind.AWAY, "Cassandra does not answer", 0, null);
        assertThatThrownBy(this::loaded).isSameAs(failure);
    }
}
