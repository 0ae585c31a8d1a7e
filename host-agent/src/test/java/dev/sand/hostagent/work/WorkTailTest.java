package dev.sand.hostagent.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Payload;
import dev.sand.event.Topics;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.RemoteEvent;
import dev.sand.hostagent.slots.Shards;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Events that other hosts sent are run by the one that has the slot, and by no other that had it. */
class WorkTailTest {
    private static final String TOPIC = Topics.work("shop", "g");

    /** Found by the simulated cluster (seed 1009447): it ran what had come meanwhile for the slot's next owner. */
    @Test
    void aHostThatStoodStillBeginsNothingOfWhatCameMeanwhile() {
        MemoryBus bus = new MemoryBus();
        bus.createTopic(TOPIC, 1);
        ConcurrentLinkedQueue<Input> given = new ConcurrentLinkedQueue<>();
        AtomicBoolean held = new AtomicBoolean(true);
        AtomicInteger asked = new AtomicInteger();
        Shards shards = new Shards() {
            @Override
            public void submit(String application, Input input) {
                given.add(input);
            }

            @Override
            public CompletableFuture<Void> submitAll(Input input) {
                throw new AssertionError("an event is one application's");
            }
        };
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            WorkTail tail = new WorkTail(bus, TOPIC, 0, 3, threads, false, shards, event -> { }, () -> {
                asked.incrementAndGet();
                return held.get();
            });
            tail.open();
            send(bus, "first");
            await().atMost(Duration.ofSeconds(20)).until(() -> given.size() == 1);
            held.set(false);
            send(bus, "second");
            await().atMost(Duration.ofSeconds(20)).until(() -> asked.get() == 2);
            CompletableFuture<Void> turn = new CompletableFuture<>();
            tail.inTurn(() -> turn.complete(null));
            turn.join();
            assertThat(given).hasSize(1);
            tail.close();
        }
        bus.close();
    }

    private static void send(MemoryBus bus, String event) {
        RemoteEvent sent = new RemoteEvent(new AppKey("shop", 1), "x", "x/" + event, "g", 1, 60_000, Payload.nullJson(), null, 0, 7);
        bus.append(TOPIC, 0, WorkRecord.run(sent).encode(), AppendFuture.completing(new CompletableFuture<>()));
    }
}
