package dev.sand.hostagent.triggers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.GrainSpec;
import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.SandboxSpec;
import dev.sand.globalbus.MemoryBus;
import dev.sand.globalbus.Queues;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where messages of grains go: what a later attempt sends again comes to where the first one is known. */
class GrainQueuesTest {
    private static final int SLOTS = 16;
    private static final long LINGER_MS = 50;
    private static final Payload ONE = Payload.json("1".getBytes(StandardCharsets.UTF_8));
    private final MemoryStore store = new MemoryStore();
    private final MemoryBus bus = new MemoryBus();
    private final Registry registry = new Registry(store);
    private final Random random = new Random(7);

    @AfterEach
    void close() {
        bus.close();
        store.close();
    }

    private void deploy(int batch) {
        QueueSpec queue = new QueueSpec("orders", "work", 10, 1, batch, LINGER_MS, 2, 1, 10, 10_000, 1_000, null);
        new Queues(bus, SLOTS).create("shop", "orders");
        registry.publish("shop", number -> new ApplicationVersion((short) 1, "shop", number, "b", null, SandboxSpec.DEFAULT,
                Map.of("work", GrainSpec.withDefaults("work")), Map.of(), List.of(), Map.of(), Durability.RELAXED, 0,
                Map.of("orders", queue), Map.of()));
        registry.setAlias("shop", Registry.LIVE, registry.latest("shop").orElseThrow());
    }

    /** An attempt on a host of its own. */
    private void send(String event, int number, String group) {
        new GrainQueues(registry, new Queues(bus, SLOTS)).send("shop", event, number, "orders", group, ONE, 60_000).join();
    }

    private List<Long> counts() {
        return IntStream.range(0, SLOTS).mapToObj(slot -> bus.endOffset(Queues.topic("shop", "orders"), slot)).toList();
    }

    private void laterAttemptsSendToTheSamePlaces(int batch) {
        deploy(batch);
        List<String> events = IntStream.range(0, 100).mapToObj(i -> Ids.next(1_000 + i * LINGER_MS, random)).toList();
        events.forEach(event -> IntStream.range(0, 3).forEach(number -> send(event, number, null)));
        List<Long> first = counts();
        assertThat(first.stream().filter(count -> count > 0).count()).as("they are spread").isGreaterThan(SLOTS / 2);
        events.forEach(event -> IntStream.range(0, 3).forEach(number -> send(event, number, null)));
        assertThat(counts()).isEqualTo(first.stream().map(count -> 2 * count).toList());
    }

    @Test
    void aLaterAttemptSendsToTheSamePlace() {
        laterAttemptsSendToTheSamePlaces(1);
    }

    @Test
    void aLaterAttemptSendsToTheSamePlaceWhereMessagesAreWorkedOnTogetherToo() {
        laterAttemptsSendToTheSamePlaces(10);
    }

    @Test
    void messagesThatAreWorkedOnTogetherAreNeighbours() {
        deploy(10);
        for (int i = 0; i < 30; i++) {
            send(Ids.next(20 * LINGER_MS + i, random), 0, null);
        }
        assertThat(counts()).as("of executions that began within one linger").containsOnlyOnce(30L);
    }

    @Test
    void manyMessagesOfOneAttemptAreSpreadByTheBatch() {
        deploy(10);
        String event = Ids.next(1_000, random);
        IntStream.range(0, 200).forEach(number -> send(event, number, null));
        assertThat(counts()).allMatch(count -> count % 10 == 0).filteredOn(count -> count > 0).hasSizeGreaterThan(SLOTS / 4);
    }

    @Test
    void aGroupHasOnePlace() {
        deploy(1);
        IntStream.range(0, 20).forEach(i -> send(Ids.next(1_000 + i * LINGER_MS, random), i, "ada"));
        assertThat(counts()).containsOnlyOnce(20L);
        assertThatThrownBy(() -> send(Ids.next(1, random), 0, "")).isInstanceOf(IllegalArgumentException.class);
    }
}
