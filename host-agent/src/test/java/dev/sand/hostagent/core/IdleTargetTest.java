package dev.sand.hostagent.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IdleTargetTest {
    @Test
    void isOneMoreThanRanAtOnceWithinItsBounds() {
        IdleTarget target = new IdleTarget(1, 4);
        assertThat(target.current()).isEqualTo(1);
        target.onHandOver(1);
        assertThat(target.current()).isEqualTo(2);
        target.onHandOver(9);
        assertThat(target.current()).isEqualTo(4);
    }

    @Test
    void goesHalfOfTheWayBackInEachQuietPeriod() {
        IdleTarget target = new IdleTarget(1, 16);
        target.onHandOver(15);
        target.review();
        assertThat(target.current()).as("busy in the period that ended").isEqualTo(16);
        target.review();
        assertThat(target.current()).isEqualTo(8);
        target.review();
        target.review();
        target.review();
        target.review();
        assertThat(target.current()).isEqualTo(1);
    }

    @Test
    void aMinimumOfNoneKeepsNoneWhenNothingHappens() {
        IdleTarget target = new IdleTarget(0, 4);
        assertThat(target.current()).isZero();
        target.onMiss(2);
        assertThat(target.current()).isEqualTo(3);
    }
}
