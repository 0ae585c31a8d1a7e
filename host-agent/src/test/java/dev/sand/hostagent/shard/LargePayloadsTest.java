package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.hostagent.journal.RecordAdapter;
import dev.sand.hostagent.objects.GlobalObjects;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** The instance's figures come while a large output is copied: without them the record said that it took no time and no memory. */
    @Test
    void aRecordComesBehindTheOneBeforeItThoughItsOutputIsStillBeingKept() {
        Payload global = new Payload("image/png", null, new Payload.Reference(GlobalObjects.name("e1", "o"), 20 << 20));
        CountDownLatch second = new CountDownLatch(1);
        AtomicInteger kept = new AtomicInteger();
        RecordAdapter records = (RecordAdapter) Proxy.newProxyInstance(RecordAdapter.class.getClassLoader(), new Class<?>[] {RecordAdapter.class},
                (proxy, method, arguments) -> {
                    if (kept.getAndIncrement() == 0) {
                        second.await();
                    }
                    return arguments[2];
                });
        List<Long> given = new CopyOnWriteArrayList<>();
        try (Work work = new Work(4)) {
            LargePayloads payloads = new LargePayloads(null, null, records, work);
            for (long cpuUs : new long[] {0, 7}) {
                payloads.inline(new InvocationRecord((short) 1, "e1", "shop", 1, "order", Status.SUCCEEDED, null, global, null, 1, 2, cpuUs, 9,
                        List.of()), record -> given.add(record.cpuUs()));
            }
            assertThat(given).isEmpty();
            second.countDown();
            await().until(() -> given.size() == 2);
        }
        assertThat(given).containsExactly(0L, 7L);
        assertThat(kept).as("it is copied once").hasValue(1);
    }
}
