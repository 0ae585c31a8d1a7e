package dev.sand.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadThreadsTest {
    private final List<String> said = new ArrayList<>();
    private int ends;
    private final DeadThreads threads = new DeadThreads((words, failure) -> said.add(words), () -> ends++);

    @Test
    void whoEndsForWantOfMemoryEndsTheProgram() {
        threads.uncaughtException(Thread.currentThread(), new OutOfMemoryError("Java heap space"));
        assertThat(said).singleElement().asString().contains(Thread.currentThread().getName());
        assertThat(ends).isEqualTo(1);
    }

    @Test
    void evenWhenThereIsNoneToSaySo() {
        DeadThreads speechless = new DeadThreads((words, failure) -> {
            throw new OutOfMemoryError("Java heap space");
        }, () -> ends++);
        assertThatThrownBy(() -> speechless.uncaughtException(Thread.currentThread(), new OutOfMemoryError("Java heap space")))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(ends).isEqualTo(1);
    }

    @Test
    void anotherFailureIsToldAlone() {
        threads.uncaughtException(Thread.currentThread(), new IllegalStateException("no"));
        assertThat(said).hasSize(1);
        assertThat(ends).isZero();
    }
}
