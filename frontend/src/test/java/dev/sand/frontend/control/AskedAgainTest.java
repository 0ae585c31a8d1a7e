package dev.sand.frontend.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.UnsureException;
import dev.sand.frontend.http.ProblemException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AskedAgainTest {
    private static final long LONG_MS = 60_000;
    private static final long SHORT_MS = 120;
    private static final String WHAT = "It is not known whether it is done";

    private static CompletableFuture<String> unsure() {
        return CompletableFuture.failedFuture(new UnsureException(Failure.platform(Errors.UNAVAILABLE, "its journal is being read", true)));
    }

    @Test
    void whoCannotSayIsAskedAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        assertThat(AskedAgain.until(LONG_MS, WHAT, () -> asked.incrementAndGet() < 3 ? unsure() : CompletableFuture.completedFuture("done")))
                .isEqualTo("done");
        assertThat(asked).hasValue(3);
    }

    @Test
    void whoNeverCanSayIsNotAskedForEver() {
        assertThatThrownBy(() -> AskedAgain.until(SHORT_MS, WHAT, AskedAgainTest::unsure))
                .isInstanceOfSatisfying(ProblemException.class, e -> assertThat(e.problem().status()).isEqualTo(503))
                .hasMessageContaining("its journal is being read");
    }

    @Test
    void whoDoesNotAnswerIsNotWaitedForForEver() {
        assertThatThrownBy(() -> AskedAgain.until(SHORT_MS, WHAT, CompletableFuture::new))
                .isInstanceOfSatisfying(ProblemException.class, e -> assertThat(e.problem().status()).isEqualTo(503))
                .hasMessageContaining(WHAT);
    }
}
