package dev.sand.hostagent.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChatterTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int MOST = 2_000;
    private static final int PER_SECOND = 200;

    private final Chatter chatter = new Chatter(MOST, PER_SECOND, 0);

    @Test
    void as_many_as_there_are_at_once_and_then_it_is_spent() {
        chatter.spend(MOST - 1, 0);
        assertThat(chatter.isSpent()).isFalse();
        chatter.spend(1, 0);
        assertThat(chatter.isSpent()).isTrue();
    }

    @Test
    void though_there_are_more_others_have_their_turn_after_a_hundred() {
        chatter.spend(99, 0);
        assertThat(chatter.pauseNs()).isZero();
        chatter.spend(1, 0);
        assertThat(chatter.pauseNs()).isEqualTo(SECOND_NS / 1_000);
        chatter.nextTurn();
        assertThat(chatter.pauseNs()).isZero();
    }

    @Test
    void after_its_pause_there_is_enough_for_several() {
        chatter.spend(MOST, 0);
        long pauseNs = chatter.pauseNs();
        chatter.spend(PER_SECOND / 4 - 1, pauseNs);
        assertThat(chatter.isSpent()).isFalse();
        chatter.spend(1, pauseNs);
        assertThat(chatter.isSpent()).isTrue();
    }

    @Test
    void in_the_long_run_it_is_so_many_a_second() {
        long nowNs = 0;
        int sent = 0;
        while (nowNs < 60 * SECOND_NS) {
            chatter.spend(1, nowNs);
            sent++;
            nowNs += chatter.isSpent() ? chatter.pauseNs() : 0;
        }
        assertThat(sent).isBetween(MOST + 59 * PER_SECOND, MOST + 61 * PER_SECOND);
    }

    @Test
    void who_is_as_quick_as_that_never_waits() {
        for (long each = 0; each < 100_000; each++) {
            chatter.spend(1, each * SECOND_NS / PER_SECOND);
            assertThat(chatter.isSpent()).isFalse();
        }
    }

    @Test
    void who_invokes_may_cancel_as_often() {
        for (int each = 0; each < 10 * MOST; each++) {
            chatter.earn();
            chatter.spend(1, 0);
        }
        assertThat(chatter.isSpent()).isFalse();
    }

    @Test
    void a_long_silence_and_much_that_runs_bring_no_more_than_there_is_at_once() {
        chatter.spend(1, 3_600 * SECOND_NS);
        for (int each = 0; each < MOST; each++) {
            chatter.earn();
        }
        chatter.spend(MOST, 3_600 * SECOND_NS);
        assertThat(chatter.isSpent()).isTrue();
    }

    @Test
    void whatever_came_it_is_made_up_for_soon() {
        chatter.spend(1_000_000, 0);
        assertThat(chatter.pauseNs()).isLessThan(6 * SECOND_NS);
        chatter.spend(0, chatter.pauseNs());
        assertThat(chatter.isSpent()).isFalse();
    }
}
