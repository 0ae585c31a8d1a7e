package dev.sand.frontend.invoke;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.RecordedResults;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.frontend.invoke.EndNotes.Pause;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hosts store records of ends a little later than they answer, much later while Cassandra is slow. */
class EndNotesTest {
    private static final String HASH = "abcd".repeat(16);
    private final MemoryStore store = new MemoryStore();
    private final IdempotencyKeys keys = new IdempotencyKeys(store, 60_000);
    private final InvocationStore records = new InvocationStore(store, InvocationStore.Options.DEFAULT);
    private final String id = claim().executionId();

    private IdempotencyKeys.Claim claim() {
        return keys.claim("shop", HASH, "application/json", ByteBuffer.wrap(new byte[] {1}), 1_000_000,
                (high, low) -> Ids.encode(1_000_000, high, low));
    }

    private void note(Pause pause) {
        new EndNotes(new RecordedResults(records), keys, Runnable::run, pause).note("shop", HASH, id);
    }

    private void record(Status status) {
        records.announce(new InvocationRecord(Limits.SCHEMA_VERSION, id, "shop", 1, "order", status, Payload.nullJson(),
                status == Status.RUNNING ? null : Payload.nullJson(), null, 1, status == Status.RUNNING ? 0 : 2, 0, 0, List.of()));
    }

    @AfterEach
    void close() {
        records.close();
    }

    @Test
    void anEndIsNotedWithItsKeyWhenTheRecordCanBeReadAndNotBefore() {
        AtomicInteger pauses = new AtomicInteger();
        note(ms -> {
            assertThat(claim()).as("others ask its host until then")
                    .extracting(IdempotencyKeys.Claim::executionId, IdempotencyKeys.Claim::ended).containsExactly(id, false);
            if (pauses.incrementAndGet() == 4) {
                record(Status.SUCCEEDED);
            }
        });
        assertThat(pauses).hasValue(4);
        assertThat(claim().ended()).isTrue();
    }

    @Test
    void theRecordOfARunningExecutionIsNotThatOfItsEnd() {
        record(Status.RUNNING);
        AtomicInteger pauses = new AtomicInteger();
        note(ms -> pauses.incrementAndGet());
        assertThat(pauses).hasValueGreaterThan(1);
    }

    @Test
    void aRecordThatDoesNotComeIsNotWaitedForForEver() {
        List<Long> pauses = new ArrayList<>();
        note(pauses::add);
        assertThat(claim().ended()).isTrue();
        assertThat(pauses.stream().mapToLong(Long::longValue).sum()).isBetween(EndNotes.PATIENCE_MS, 2 * EndNotes.PATIENCE_MS);
    }

    @Test
    void aFrontendThatClosesNotesNothing() {
        note(ms -> {
            throw new InterruptedException();
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(claim().ended()).as("it may not have been recorded").isFalse();
    }
}
