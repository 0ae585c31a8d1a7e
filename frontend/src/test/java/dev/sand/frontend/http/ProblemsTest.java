package dev.sand.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Failure;
import dev.sand.event.Failure.Source;
import dev.sand.event.FullDisk;
import dev.sand.event.InvocationResult.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProblemsTest {
    @ParameterizedTest
    @CsvSource({
        "Sand.Unavailable, PLATFORM, true, 503",
        "Sand.Unavailable, GRAIN, true, 503",
        "Sand.Unavailable, GRAIN, false, 500", // it has ended so
        "Sand.Overloaded, GRAIN, false, 429", // what was full may have room for another request
        "Sand.TooLarge, GRAIN, false, 500",
        "Sand.TooLarge, CALLER, false, 413",
        "Sand.Timeout, GRAIN, false, 504",
        "Sand.Cancelled, GRAIN, false, 409",
        "KeyError, GRAIN, false, 500"})
    void whoFailedAndWhetherToAskAgainIsInTheStatus(String error, Source source, boolean retryable, int status) {
        Failure failure = new Failure(error, "why", source, retryable, null, Map.of());
        assertThat(Problems.of(Status.FAILED, failure, "e1").status()).isEqualTo(status);
        assertThat(Problems.of(failure, "e1").status()).isEqualTo(status);
    }

    @Test
    void aGrainThatWasRefusedRoomIsNoQueueThatIsFull() {
        Failure failure = new Failure("Sand.Overloaded", "tenant 'a' may store 5 bytes, and this would make it 7", Source.GRAIN, false, null, Map.of());
        assertThat(Problems.of(Status.FAILED, failure, "e1")).satisfies(problem -> {
            assertThat(problem.title()).isEqualTo("The grain was refused what it asked for");
            assertThat(problem.detail()).contains("may store 5 bytes");
            assertThat(problem.retryable()).as("it has run, and ended so").isFalse();
            assertThat(problem.source()).isEqualTo(Source.GRAIN);
        });
    }

    @Test
    void aFullDiskIsNoOutage() {
        assertThat(FullDisk.is(new UncheckedIOException(new IOException("/x/y: No space left on device")))).isTrue();
        assertThat(FullDisk.is(new IOException("/x/y: No such file or directory"))).isFalse();
        assertThat(Problems.of(FullDisk.failure("why", true), null)).satisfies(problem -> {
            assertThat(problem.status()).isEqualTo(507);
            assertThat(problem.name()).isEqualTo("storage-full");
            assertThat(problem.retryable()).isTrue();
        });
        assertThat(Problems.of(FullDisk.failure("why", false), null).status()).isEqualTo(503);
    }
}
