package dev.sand.hostagent.triggers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.LargeValues;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.TriggerStore.Pending;
import dev.sand.datalayer.TriggerStore.ScheduleState;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.Schedule;
import dev.sand.event.TriggerSpec;
import dev.sand.event.TriggerSpec.Operation;
import dev.sand.hostagent.triggers.TriggerFigures.ScheduleReading;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What puts messages into queues by itself: schedules, and changes of data. */
@Tag("slow")
class TriggerSourcesTest extends TriggerRunnerFixture {
    @Test
    void aScheduleFiresUntilItIsDisarmed() {
        deploy(Map.of(), Map.of("beat", every(1_000, true)));
        FakeHost host = start(request -> null);
        await().until(() -> host.requests.size() >= 2);
        assertThat(host.inputs("work").getFirst()).startsWith("{\"trigger\":\"beat\",\"scheduled\":\"").endsWith("\"input\":{\"x\":1}}");
        assertThat(host.inputs("work")).doesNotHaveDuplicates();
        await().until(() -> runner.figures().join().schedules().getFirst().fired() >= 2);
        ScheduleState state = triggers.changeSchedule("shop", "beat", null, now -> now.arm(false, System.currentTimeMillis()));
        assertThat(state.armed()).isFalse();
    }

    @Test
    void aFireThatWasPendingWhenTheHostDiedHappensOnce() {
        deploy(Map.of(), Map.of("beat", every(3_600_000, true)));
        queues.create("shop", "beat");
        long sinceMs = System.currentTimeMillis() - 3_600_000 - 60_000;
        triggers.putSchedule("shop", "beat", new ScheduleState((short) 1, "every 3600000 ms", true, sinceMs, 0,
                new Pending(sinceMs + 3_600_000, 0)), GlobalStore.ABSENT);
        FakeHost host = start(request -> FakeHost.HOLD);
        await().until(() -> host.requests.size() == 1 && triggers.schedule("shop", "beat").orElseThrow().state().pending() == null);
        runner.close();
        // As if it had died between the append and the second record: the message is found, and not sent again.
        ScheduleState fired = triggers.schedule("shop", "beat").orElseThrow().state();
        triggers.changeSchedule("shop", "beat", null, now -> new ScheduleState((short) 1, now.text(), true, sinceMs, 0,
                new Pending(fired.firedMs(), 0)));
        long end = bus.endOffset("queue.shop.beat", queues.partitionOf("shop", "beat"));
        FakeHost second = start(request -> null);
        await().until(() -> triggers.schedule("shop", "beat").orElseThrow().state().pending() == null);
        await().until(() -> second.requests.size() == 1);
        assertThat(second.requests.getFirst().executionId()).isEqualTo(host.requests.getFirst().executionId());
        assertThat(bus.endOffset("queue.shop.beat", queues.partitionOf("shop", "beat"))).isEqualTo(end);
    }

    @Test
    void aFireThatNobodyWasThereForIsMadeUpForOnlyWithinTheCatchUp() {
        long hour = 3_600_000;
        TriggerSpec strict = new TriggerSpec("beat", new Schedule(null, null, hour), null, Set.of(), null, true, 60_000,
                QueueSpec.withDefaults("beat", "work"));
        deploy(Map.of(), Map.of("beat", strict));
        long sinceMs = System.currentTimeMillis() - 2 * hour - 600_000;
        triggers.putSchedule("shop", "beat", new ScheduleState((short) 1, "every 3600000 ms", true, sinceMs, 0, null),
                GlobalStore.ABSENT);
        FakeHost host = start(request -> null);
        await().until(() -> triggers.schedule("shop", "beat").orElseThrow().state().firedMs() == sinceMs + 2 * hour);
        assertThat(host.requests).isEmpty();
        await().untilAsserted(() -> assertThat(runner.figures().join().schedules()).containsExactly(new ScheduleReading("shop", "beat", 0, 1)));
    }

    @Test
    void aChangeOfWatchedDataIsAMessageAndNoOtherIs() {
        TriggerSpec watch = new TriggerSpec("uploads", null, "uploads/", Set.of(Operation.PUT), null, true, 0,
                QueueSpec.withDefaults("uploads", "work"));
        deploy(Map.of(), Map.of("uploads", watch));
        queues.create("shop", "uploads");
        FakeHost host = start(request -> null);
        data.put("shop", "other/1", Payload.json("1".getBytes(StandardCharsets.UTF_8)), GlobalStore.ANY);
        long version = data.put("shop", "uploads/1", Payload.json("1".getBytes(StandardCharsets.UTF_8)), GlobalStore.ANY);
        data.delete("shop", "uploads/1", GlobalStore.ANY);
        await().until(() -> host.requests.size() == 1);
        assertThat(host.inputs("work")).containsExactly("{\"key\":\"uploads/1\",\"operation\":\"put\",\"version\":" + version + "}");
        assertThat(triggers.changes("shop", 10)).isEmpty();
    }

    @Test
    void whereNoGrainsAreAChangeIsToldOfTooUnlessTheTriggerIsDisarmed() {
        TriggerSpec watch = new TriggerSpec("uploads", null, "uploads/", Set.of(Operation.PUT), null, true, 0,
                QueueSpec.withDefaults("uploads", "work"));
        deploy(Map.of(), Map.of("uploads", watch));
        queues.create("shop", "uploads");
        SharedData elsewhere = new SharedData(store, LargeValues.NONE, SharedData.Options.SMALL);
        elsewhere.listen(TriggerRunner.changes(registry, queues, triggers));
        FakeHost host = start(request -> null);
        elsewhere.put("shop", "uploads/1", Payload.nullJson(), GlobalStore.ANY);
        await().until(() -> host.inputs("work").size() == 1);
        assertThat(host.inputs("work").getFirst()).startsWith("{\"key\":\"uploads/1\",\"operation\":\"put\"");
        assertThat(triggers.changes("shop", 10)).isEmpty();
        triggers.changeSchedule("shop", "uploads", ScheduleState.first(watch, 1), now -> now.arm(false, 2));
        long end = bus.endOffset("queue.shop.uploads", queues.partitionOf("shop", "uploads/1"));
        elsewhere.put("shop", "uploads/1", Payload.nullJson(), GlobalStore.ANY);
        assertThat(bus.endOffset("queue.shop.uploads", queues.partitionOf("shop", "uploads/1"))).isEqualTo(end);
        assertThat(data.get("shop", "uploads/1").payload()).isNotNull();
    }

    @Test
    void aWriteThatFailedLeavesNoMessageAndOneThatNobodyKnowsOfDoes() {
        TriggerSpec watch = new TriggerSpec("uploads", null, "uploads/", Set.of(Operation.PUT), null, true, 0,
                QueueSpec.withDefaults("uploads", "work"));
        deploy(Map.of(), Map.of("uploads", watch));
        queues.create("shop", "uploads");
        FakeHost host = start(request -> null);
        assertThatThrownBy(() -> data.put("shop", "uploads/1", Payload.nullJson(), 7)).hasMessageContaining("version 7 was expected");
        assertThat(triggers.changes("shop", 10)).isEmpty();
        DataChanges left = new DataChanges(registry, queues, triggers, (application, trigger) -> true);
        left.begin("shop", "uploads/2", Operation.PUT);
        ApplicationVersion live = registry.resolve("shop", null).orElseThrow();
        left.recover(live);
        assertThat(triggers.changes("shop", 10)).hasSize(1);
        left.recover(live);
        assertThat(triggers.changes("shop", 10)).isEmpty();
        await().until(() -> host.inputs("work").contains("{\"key\":\"uploads/2\",\"operation\":\"put\"}"));
    }
}
