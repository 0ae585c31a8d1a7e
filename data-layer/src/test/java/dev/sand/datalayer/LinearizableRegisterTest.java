package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The checker finds what is wrong. */
class LinearizableRegisterTest {
    private final LinearizableRegister history = new LinearizableRegister();

    @Test
    void whatWasWrittenIsToBeRead() {
        history.write("1", () -> {});
        history.read(() -> "1");
        assertThat(history.isLinearizable()).isTrue();
        history.read(() -> "2");
        assertThat(history.isLinearizable()).isFalse();
    }

    @Test
    void aReadAfterAWriteMustNotBeStale() {
        history.write("1", () -> {});
        history.write("2", () -> {});
        history.read(() -> "1");
        assertThat(history.isLinearizable()).isFalse();
    }

    @Test
    void whatOverlapsMayComeInAnyOrder() {
        history.write("1", () -> history.read(() -> null));
        assertThat(history.isLinearizable()).isTrue();
    }

    @Test
    void aLostUpdateIsFound() {
        history.write("1", () -> {});
        history.swap("2", () -> "1", seen -> true);
        history.swap("3", () -> "1", seen -> true);
        assertThat(history.isLinearizable()).isFalse();
    }
}
