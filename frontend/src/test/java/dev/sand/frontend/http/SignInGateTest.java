package dev.sand.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Passwords are tried so often from an address, and so many at once, under a clock of its own. */
class SignInGateTest {
    private long nowMs = 5;
    private final SignInGate gate = new SignInGate(() -> nowMs);

    private int tried(String address) {
        int waitS = gate.enter(address);
        if (waitS == 0) {
            gate.leave();
        }
        return waitS;
    }

    @Test
    void an_address_tries_some_in_a_row_then_one_each_few_seconds() {
        for (int i = 0; i < SignInGate.MOST_IN_A_ROW; i++) {
            assertThat(tried("192.0.2.1")).isZero();
        }
        assertThat(tried("192.0.2.1")).isEqualTo(6);
        nowMs += 4_000;
        assertThat(tried("192.0.2.1")).as("what was refused does not make it longer").isEqualTo(2);
        assertThat(tried("192.0.2.2")).isZero();
        nowMs += 2_000;
        assertThat(tried("192.0.2.1")).isZero();
        assertThat(tried("192.0.2.1")).isEqualTo(6);
    }

    @Test
    void addresses_of_one_network_are_one() {
        for (int i = 0; i < SignInGate.MOST_IN_A_ROW; i++) {
            assertThat(tried("2001:db8::" + i)).isZero();
        }
        assertThat(tried("2001:db8::ffff")).isEqualTo(6);
        assertThat(tried("2001:db8:0:1::1")).isZero();
    }

    @Test
    void more_addresses_than_are_remembered_wait() {
        for (int i = 0; i < SignInGate.MOST_ADDRESSES; i++) {
            assertThat(tried("10.0." + i / 256 + "." + i % 256)).isZero();
        }
        assertThat(tried("192.0.2.1")).isEqualTo(6);
        nowMs += SignInGate.EACH_MS;
        assertThat(tried("192.0.2.1")).isZero();
    }

    @Test
    void so_many_are_tried_at_once() {
        for (int i = 0; i < SignInGate.AT_ONCE; i++) {
            assertThat(gate.enter("10.0.0." + i)).isZero();
        }
        assertThat(gate.enter("10.0.0.9")).isEqualTo(1);
        gate.leave();
        assertThat(gate.enter("10.0.0.9")).isZero();
    }
}
