package dev.sand.frontend.invoke;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Ids;
import dev.sand.datalayer.MemoryStore;
import dev.sand.frontend.invoke.IdempotencyKeys.Claim;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Who may free a key: a second execution under one key is begun only when the first cannot be. */
class IdempotencyKeysTest {
    private static final String HASH = "abcd".repeat(16);
    private final IdempotencyKeys keys = new IdempotencyKeys(new MemoryStore(), 60_000);
    private long nowMs = 1_000_000;

    private Claim claim() {
        return keys.claim("shop", HASH, "application/json", ByteBuffer.wrap(new byte[] {1}), nowMs++,
                (high, low) -> Ids.encode(nowMs, high, low));
    }

    private void release(Claim claim) {
        keys.release("shop", HASH, claim);
    }

    @Test
    void whoAsksAgainGetsTheSameExecution() {
        Claim first = claim();
        Claim second = claim();
        assertThat(second.executionId()).isEqualTo(first.executionId());
        assertThat(first.fresh()).isTrue();
        assertThat(second.fresh()).isFalse();
    }

    @Test
    void aKeyThatWasTurnedAwayIsFree() {
        Claim first = claim();
        release(first);
        assertThat(claim().executionId()).isNotEqualTo(first.executionId());
    }

    @Test
    void aKeyUnderWhichSomebodyElseHasAskedSinceIsNotFreed() {
        Claim first = claim();
        Claim second = claim();
        release(first);
        assertThat(claim().executionId()).as("it may run for the second one").isEqualTo(second.executionId());
    }

    @Test
    void aKeyThatStandsForAnEndIsNotFreed() {
        Claim first = claim();
        keys.ended("shop", HASH, first.executionId());
        release(first);
        assertThat(claim()).extracting(Claim::executionId, Claim::ended).containsExactly(first.executionId(), true);
    }
}
