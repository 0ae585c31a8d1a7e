package dev.sand.hostagent.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountedOnceTest {
    private final CountedOnce counted = new CountedOnce(3);

    @Test
    void whoeverAsksFirstPays() {
        assertThat(counted.begins("a", 10, false)).isTrue();
        assertThat(counted.begins("a", 10, true)).isFalse();
        assertThat(counted.begins("b", 11, true)).as("its first request did not arrive").isTrue();
        assertThat(counted.begins("b", 11, true)).isFalse();
    }

    @Test
    void whatDidNotBeginHereIsPaidForWhenItDoes() {
        counted.begins("a", 10, false);
        counted.beginsNot("a");
        assertThat(counted.begins("a", 10, true)).isTrue();
    }

    @Test
    void whatIsForgottenIsNotPaidForTwice() {
        for (int i = 0; i < 5; i++) {
            assertThat(counted.begins("e" + i, 10 + i, false)).isTrue();
        }
        assertThat(counted.begins("e0", 10, true)).as("it may have been forgotten").isFalse();
        assertThat(counted.begins("e1", 11, true)).isFalse();
        assertThat(counted.begins("e4", 14, true)).isFalse();
        assertThat(counted.begins("never-seen", 12, true)).as("nobody can have forgotten it").isTrue();
        assertThat(counted.begins("new", 9, false)).isTrue();
    }
}
