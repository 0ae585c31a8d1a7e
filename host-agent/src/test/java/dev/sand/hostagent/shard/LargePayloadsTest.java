package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LargePayloadsTest {
    private static final Payload LARGE = new Payload("image/png", null, new Payload.Reference("seg-1", 1 << 20));

    private static InvocationRecord record(Status status) {
        return new InvocationRecord((short) 1, "e1", "shop", 1, "order", status, LARGE, null, null, 1, 2, 0, 0, List.of());
    }

    /** On another thread it could come behind the end, and the execution would be recorded as running for ever. */
    @Test
    void whatIsRecordedOfAnExecutionThatRunsIsGivenBeforeItsEndCanBe() {
        List<Thread> gaveIt = new ArrayList<>();
        List<InvocationRecord> given = new ArrayList<>();
        try (Work work = new Work(1)) {
            new LargePayloads(null, null, null, work).inline(record(Status.RUNNING), record -> {
                gaveIt.add(Thread.currentThread());
                given.add(record);
            });
        }
        assertThat(gaveIt).containsExactly(Thread.currentThread());
        assertThat(given.getFirst().input().bytes()).isNull();
        assertThat(given.getFirst().input().size()).isEqualTo(LARGE.size());
        assertThat(given.getFirst().input().reference()).as("it outlives the object").isNotEqualTo(LARGE.reference());
    }
}
