package dev.sand.hostagent.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.StoreException;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Limits;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which version a data plane's invocations go to, also while the global store does not say. */
class LiveVersionsTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong nowNs = new AtomicLong(1);
    private final AtomicInteger asked = new AtomicInteger();
    private volatile int live = 1;
    private volatile RuntimeException failure;
    private volatile CountDownLatch silence = new CountDownLatch(0);
    private final LiveVersions versions = new LiveVersions(this::read, blocking, nowNs::get);

    private Optional<ApplicationVersion> read(String application) {
        asked.incrementAndGet();
        try {
            silence.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
        return Optional.of(new ApplicationVersion(Limits.SCHEMA_VERSION, application, live, "bundle", null, null, Map.of(), Map.of(), List.of(),
                Map.of(), null, 0, Map.of(), Map.of(), null));
    }

    @AfterEach
    void end() {
        silence.countDown();
        blocking.shutdownNow();
    }

    private int loaded() {
        return versions.load("app").orElseThrow().version();
    }

    private ApplicationVersion known() {
        return versions.known("app", nowNs.get());
    }

    @Test
    void what_is_a_second_old_is_read_anew() {
        assertThat(known()).isNull();
        assertThat(loaded()).isEqualTo(1);
        assertThat(known().version()).isEqualTo(1);
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
        assertThat(known().version()).as("the next one waits for nobody").isEqualTo(1);
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
