package dev.sand.hostagent.triggers;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.LargeValues;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.TriggerStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.SandboxSpec;
import dev.sand.event.Schedule;
import dev.sand.event.TriggerSpec;
import dev.sand.globalbus.MemoryBus;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.triggers.TriggerFigures.QueueReading;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;

/** The triggers of a host over a real (embedded) bus and store; its grains are functions. */
abstract class TriggerRunnerFixture {
    static final int SLOTS = 4;
    static final Failure BROKEN = Failure.grain("ValueError", "broken", null);
    final MemoryStore store = new MemoryStore();
    final MemoryBus bus = new MemoryBus();
    final Queues queues = new Queues(bus, SLOTS);
    final TriggerStore triggers = new TriggerStore(store);
    final Registry registry = new Registry(store);
    final InvocationStore records = new InvocationStore(store, InvocationStore.Options.DEFAULT);
    final SharedData data = new SharedData(store, LargeValues.NONE, SharedData.Options.DEFAULT);
    TriggerRunner runner;

    @AfterEach
    void close() {
        runner.close();
        records.close();
        bus.close();
        store.close();
    }

    FakeHost start(Function<InvocationRequest, Failure> grain) {
        return start(grain, Ownership.ofEverything(SLOTS));
    }

    FakeHost start(Function<InvocationRequest, Failure> grain, Ownership ownership) {
        FakeHost host = new FakeHost(grain);
        runner = new TriggerRunner(new TriggerParts(host, registry, records, bus, queues, triggers, data, ownership,
                System::currentTimeMillis));
        return host;
    }

    void deploy(Map<String, QueueSpec> specs, Map<String, TriggerSpec> triggerSpecs) {
        registry.publish("shop", number -> new ApplicationVersion((short) 1, "shop", number, "b", null, SandboxSpec.DEFAULT,
                Map.of("work", GrainSpec.withDefaults("work"), "mourn", GrainSpec.withDefaults("mourn")), Map.of(), List.of(),
                Map.of(), Durability.RELAXED, 0, specs, triggerSpecs));
        registry.setAlias("shop", Registry.LIVE, registry.latest("shop").orElseThrow());
    }

    static QueueSpec queue(int groupConcurrency, int batch, int retries, String onFailure) {
        return new QueueSpec("orders", "work", 10, groupConcurrency, batch, 50, retries, 1, 10, 10_000, 1_000, onFailure);
    }

    void send(QueueSpec queue, String group, String... bodies) {
        queues.create("shop", queue.name());
        for (String body : bodies) {
            queues.send("shop", queue, QueueMessage.of("m" + body, group, Payload.json(body.getBytes(StandardCharsets.UTF_8)), 1_000))
                    .join();
        }
    }

    QueueReading measured(String queue) {
        return runner.figures().join().queues().stream().filter(each -> each.queue().equals(queue)).findFirst().orElseThrow();
    }

    static TriggerSpec every(long ms, boolean armed) {
        return new TriggerSpec("beat", new Schedule(null, null, ms), null, Set.of(), "{\"x\":1}", armed, 3_600_000,
                QueueSpec.withDefaults("beat", "work"));
    }
}
