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
import dev.sand.hostagent.core.RemoteResult;
import dev.sand.hostagent.slots.Shards;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Results that came back are kept for nobody once a shard has them, however much else is under way on the host. */
@Tag("slow")
class ReturnsTailTest {
    private static final String TOPIC = Topics.returns("shop");
    private static final int ROUNDS = 20;
    private static final int A_ROUND = 50;

    private final MemoryBus bus = new MemoryBus();
    private final ConcurrentLinkedQueue<Input> given = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Shards shards = new Shards() {
        @Override
        public void submit(String application, Input input) {
            given.add(input);
        }

        @Override
        public CompletableFuture<Void> submitAll(Input input) {
            throw new AssertionError("a result is one application's");
        }
    };

    @BeforeEach
    void make() {
        bus.createTopic(TOPIC, 1);
    }

    @AfterEach
    void end() {
        threads.shutdown();
        bus.close();
    }

    @Test
    void isTrimmedInTheMidstOfSteadyWork() {
        ReturnsTail tail = new ReturnsTail(bus, TOPIC, 0, 7, threads, shards);
        tail.open();
        for (int round = 1; round <= ROUNDS; round++) {
            int results = round * A_ROUND;
            returned(A_ROUND);
            await().atMost(Duration.ofSeconds(20)).until(() -> given.size() == results);
            tail.comeBy(true);
            long all = results;
            await().atMost(Duration.ofSeconds(20)).until(() -> bus.beginOffset(TOPIC, 0) == all);
        }
        tail.close();
    }

    @Test
    void isNotTrimmedWhileTheSlotMayBeAnothers() {
        ReturnsTail tail = new ReturnsTail(bus, TOPIC, 0, 7, threads, shards);
        tail.open();
        returned(A_ROUND);
        await().atMost(Duration.ofSeconds(20)).until(() -> given.size() == A_ROUND);
        tail.comeBy(false);
        CompletableFuture<Void> turn = new CompletableFuture<>();
        tail.inTurn(() -> turn.complete(null));
        turn.join();
        assertThat(bus.beginOffset(TOPIC, 0)).isZero();
        tail.close();
    }

    private void returned(int count) {
        RemoteEvent event = new RemoteEvent(new AppKey("shop", 1), "x", "x/main", "g", 1, 60_000, Payload.nullJson(), null, 0, 7);
        byte[] record = WorkRecord.returned(new RemoteResult(event, "b", Payload.nullJson(), List.of(), null, false, null)).encode();
        for (int i = 0; i < count; i++) {
            bus.append(TOPIC, 0, record, AppendFuture.completing(new CompletableFuture<>()));
        }
    }
}
