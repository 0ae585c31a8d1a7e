package dev.sand.hostagent.triggers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.LargeValues;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.TriggerStore.DeadLetter;
import dev.sand.datalayer.TriggerStore.Pending;
import dev.sand.datalayer.TriggerStore.ScheduleState;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.SandboxSpec;
import dev.sand.event.Schedule;
import dev.sand.event.TriggerSpec;
import dev.sand.event.TriggerSpec.Operation;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.MemoryBus;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.triggers.TriggerFigures.QueueReading;
import dev.sand.hostagent.triggers.TriggerFigures.ScheduleReading;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The triggers of a host over a real (embedded) bus and store; its grains are functions. */
class TriggerRunnerTest {
    private static final int SLOTS = 4;
    /** As other programs write, and some that begin as ours do. */
    private static final List<String> FOREIGN = List.of("", "not ours", "[]", "{\"order\":7}", "{\"schema\":1}",
            "{\"schema\":1,\"id\":\"x\",\"enqueuedMs\":1}", "{\"schema\":1,\"order\":7}");
    private static final Failure BROKEN = Failure.grain("ValueError", "broken", null);
    private final MemoryStore store = new MemoryStore();
    private final MemoryBus bus = new MemoryBus();
    private final Queues queues = new Queues(bus, SLOTS);
    private final TriggerStore triggers = new TriggerStore(store);
    private final Registry registry = new Registry(store);
    private final InvocationStore records = new InvocationStore(store, InvocationStore.Options.DEFAULT);
    private final SharedData data = new SharedData(store, LargeValues.NONE, SharedData.Options.DEFAULT);
    private TriggerRunner runner;

    @AfterEach
    void close() {
        runner.close();
        records.close();
        bus.close();
        store.close();
    }

    private FakeHost start(Function<InvocationRequest, Failure> grain) {
        return start(grain, Ownership.ofEverything(SLOTS));
    }

    private FakeHost start(Function<InvocationRequest, Failure> grain, Ownership ownership) {
        FakeHost host = new FakeHost(grain);
        runner = new TriggerRunner(new TriggerParts(host, registry, records, bus, queues, triggers, data, ownership,
                System::currentTimeMillis));
        return host;
    }

    /** A host that keeps all its slots, under one epoch, whether it hears the group or not. */
    private static Ownership heardWhen(AtomicBoolean heard) {
        return new Ownership() {
            @Override
            public int slots() {
                return SLOTS;
            }

            @Override
            public long epoch(int slot) {
                return 1;
            }

            @Override
            public boolean mayAct() {
                return heard.get();
            }
        };
    }

    private void deploy(Map<String, QueueSpec> specs, Map<String, TriggerSpec> triggerSpecs) {
        registry.publish("shop", number -> new ApplicationVersion((short) 1, "shop", number, "b", null, SandboxSpec.DEFAULT,
                Map.of("work", GrainSpec.withDefaults("work"), "mourn", GrainSpec.withDefaults("mourn")), Map.of(), List.of(),
                Map.of(), Durability.RELAXED, 0, specs, triggerSpecs));
        registry.setAlias("shop", Registry.LIVE, registry.latest("shop").orElseThrow());
    }

    private static QueueSpec queue(int groupConcurrency, int batch, int retries, String onFailure) {
        return new QueueSpec("orders", "work", 10, groupConcurrency, batch, 50, retries, 1, 10, 10_000, 1_000, onFailure);
    }

    private void send(QueueSpec queue, String group, String... bodies) {
        queues.create("shop", queue.name());
        for (String body : bodies) {
            queues.send("shop", queue, QueueMessage.of("m" + body, group, Payload.json(body.getBytes(StandardCharsets.UTF_8)), 1_000))
                    .join();
        }
    }

    @Test
    void eachGroupIsWorkedOffInOrderAndItsMessagesAreForgotten() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2", "3");
        send(queue, "b", "10", "20", "30");
        FakeHost host = start(request -> null);
        await().until(() -> host.requests.size() == 6);
        assertThat(host.inputs("work").stream().filter(text -> text.length() == 1)).containsExactly("1", "2", "3");
        assertThat(host.inputs("work").stream().filter(text -> text.length() == 2)).containsExactly("10", "20", "30");
        await().until(() -> queues.depth("shop", "orders") == 0);
    }

    @Test
    void messagesThatComeDueWhileTheGroupIsNotHeardAreDeliveredWhenItIs() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of());
        AtomicBoolean heard = new AtomicBoolean(true);
        FakeHost host = start(request -> null, heardWhen(heard));
        send(queue, "a", "1");
        await().until(() -> queues.depth("shop", "orders") == 0);
        heard.set(false);
        for (int group = 0; group < 12; group++) { // more than may run at once: none of them takes a place for good
            send(queue, "g" + group, "2" + group);
        }
        await().during(300, TimeUnit.MILLISECONDS).until(() -> host.requests.size() == 1);
        heard.set(true);
        await().until(() -> host.requests.size() == 13 && queues.depth("shop", "orders") == 0);
    }

    @Test
    void anApplicationThatIsDeletedAndDeployedAgainHasItsQueuesAnew() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2", "3");
        FakeHost host = start(request -> null);
        await().until(() -> queues.depth("shop", "orders") == 0 && host.requests.size() == 3);
        queues.deleteApplication("shop");
        triggers.deleteApplication("shop");
        send(queue, "a", "4", "5");
        await().until(() -> host.requests.size() == 5);
        assertThat(host.inputs("work")).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void whatSomebodyElseWroteIsPassedOverAndANewerMessageStopsItsPartition() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of("beat", every(3_600_000, true)));
        queues.create("shop", "orders");
        queues.create("shop", "beat");
        litter("queue.shop.beat", queues.partitionOf("shop", "beat"), FOREIGN);
        // Its host died in the middle of a fire: whoever comes looks through what is in the queue.
        long sinceMs = System.currentTimeMillis() - 3_600_000 - 60_000;
        triggers.putSchedule("shop", "beat", new ScheduleState((short) 1, "every 3600000 ms", true, sinceMs, 0,
                new Pending(sinceMs + 3_600_000, 0)), GlobalStore.ABSENT);
        int partition = queues.partitionOf("shop", "a");
        litter("queue.shop.orders", partition, FOREIGN);
        send(queue, "a", "1", "2");
        FakeHost host = start(request -> null);
        await().until(() -> host.requests.size() == 3 && queues.depth("shop", "orders") == 0);
        litter("queue.shop.orders", partition, List.of("{\"schema\":99,\"id\":\"m3\"}"));
        send(queue, "a", "4");
        String other = Stream.iterate(0, n -> n + 1).map(Object::toString)
                .filter(group -> queues.partitionOf("shop", group) != partition).findFirst().orElseThrow();
        send(queue, other, "5");
        await().until(() -> host.inputs("work").contains("5"));
        assertThat(host.inputs("work")).contains("1", "2").doesNotContain("4");
        assertThat(queues.depth("shop", "orders")).as("the newer one and what follows are kept").isEqualTo(2);
    }

    private void litter(String topic, int partition, List<String> records) {
        for (String record : records) {
            bus.append(topic, partition, record.getBytes(StandardCharsets.UTF_8), AppendFuture.completing(new CompletableFuture<>()));
        }
    }

    @Test
    void whatWasUnderWayWhenTheHostDiedComesAgainUnderTheSameId() {
        QueueSpec queue = queue(1, 1, 2, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2");
        FakeHost first = start(request -> FakeHost.text(request).equals("2") ? FakeHost.HOLD : null);
        await().until(() -> first.requests.size() == 2 && queues.depth("shop", "orders") == 1);
        runner.close();
        FakeHost second = start(request -> null);
        await().until(() -> queues.depth("shop", "orders") == 0);
        assertThat(second.inputs("work")).containsExactly("2");
        assertThat(second.requests.getFirst().executionId()).isEqualTo(first.requests.get(1).executionId());
    }

    @Test
    void aMessageThatFailsIsRetriedThenBuriedAndItsHandlerTold() {
        QueueSpec queue = queue(1, 1, 2, "mourn");
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2");
        FakeHost host = start(request -> request.target().equals("work") && FakeHost.text(request).equals("1") ? BROKEN : null);
        await().until(() -> host.inputs("mourn").size() == 1 && host.inputs("work").contains("2"));
        assertThat(host.inputs("work")).containsExactly("1", "1", "1", "2");
        assertThat(host.requests.stream().map(InvocationRequest::executionId)).doesNotHaveDuplicates();
        assertThat(host.inputs("mourn").getFirst()).contains("\"attempts\":3", "\"error\":\"ValueError\"", "\"payload\":1");
        DeadLetter letter = triggers.deadLetters("shop", "orders", null, 10).getFirst();
        assertThat(letter.id()).isEqualTo("m1");
        assertThat(letter.failure().cause()).isEqualTo("broken");
        await().until(() -> queues.depth("shop", "orders") == 0);
        assertThat(measured("orders")).isEqualTo(new QueueReading("shop", "orders", 0, 0, 5, 2, 0, 1));
    }

    @Test
    void whatFailsBehindItsApplicationsDeletionIsNoDeadLetterOfTheNextOne() {
        QueueSpec queue = queue(1, 1, 0, "mourn");
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1");
        FakeHost host = start(request -> {
            registry.deleteApplication("shop");
            return BROKEN;
        });
        await().until(() -> !host.requests.isEmpty() && measured("orders").depth() == 0);
        assertThat(triggers.deadLetters("shop", "orders", null, 10)).isEmpty();
        assertThat(measured("orders").deadLetters()).isZero();
        assertThat(host.inputs("mourn")).isEmpty();
    }

    @Test
    void whatWasUnderWayWhenTheApplicationWasDeletedIsNoneOfTheNextOnes() throws Exception {
        QueueSpec queue = queue(1, 1, 5, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2");
        FakeHost host = start(request -> request.version() == 1 ? BROKEN : null);
        await().until(() -> host.requests.size() > 1); // its first message fails, and is tried again and again
        runner.stop("shop", registry.forget("shop")).get(60, TimeUnit.SECONDS);
        int before = host.requests.size();
        registry.deleteApplication("shop");
        triggers.deleteApplication("shop");
        queues.deleteApplication("shop");
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "3");
        await().until(() -> host.inputs("work").contains("3"));
        assertThat(host.requests.stream().skip(before)).as("only the next one's own").allMatch(request -> request.version() == 2);
        await().until(() -> queues.depth("shop", "orders") == 0);
        assertThat(triggers.deadLetters("shop", "orders", null, 10)).isEmpty();
    }

    @Test
    void whatThePlatformRefusesForNowIsNoAttempt() {
        QueueSpec queue = queue(1, 1, 0, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1");
        Map<String, Boolean> seen = new ConcurrentHashMap<>();
        FakeHost host = start(request -> seen.put("x", true) == null
                ? Failure.platform(Errors.OVERLOADED, "busy", true) : null);
        await().until(() -> host.requests.size() == 2);
        assertThat(host.requests.get(1).executionId()).isEqualTo(host.requests.get(0).executionId());
        assertThat(triggers.deadLetters("shop", "orders", null, 10)).isEmpty();
        assertThat(measured("orders").refused()).isEqualTo(1);
        assertThat(measured("orders").retries()).isZero();
    }

    private QueueReading measured(String queue) {
        return runner.figures().join().queues().stream().filter(each -> each.queue().equals(queue)).findFirst().orElseThrow();
    }

    @Test
    void whatWaitsIsMeasuredWithItsAgeWhetherItWasReadOrNot() {
        QueueSpec one = new QueueSpec("orders", "work", 1, 1, 1, 0, 0, 1, 10, 10_000, 100_000, null);
        deploy(Map.of("orders", one), Map.of());
        int messages = 2 * QueueRun.MOST_HELD + 500;
        long sentMs = System.currentTimeMillis() - 60_000;
        queues.create("shop", "orders");
        int partition = queues.partitionOf("shop", "a");
        for (int i = 0; i < messages; i++) {
            queues.append("shop", "orders", partition, QueueMessage.of("m" + i, "a", Payload.nullJson(), sentMs),
                    AppendFuture.completing(new CompletableFuture<>()));
        }
        FakeHost host = start(request -> FakeHost.HOLD);
        await().until(() -> host.requests.size() == 1);
        await().untilAsserted(() -> assertThat(measured("orders").depth()).isEqualTo(messages));
        assertThat(measured("orders").oldestMs()).isGreaterThanOrEqualTo(60_000);
        assertThat(measured("orders").deliveries()).isEqualTo(1);
    }

    @Test
    void messagesOfABatchComeTogether() {
        QueueSpec queue = queue(1, 3, 0, null);
        deploy(Map.of("orders", queue), Map.of());
        send(queue, "a", "1", "2", "3", "4");
        FakeHost host = start(request -> null);
        await().until(() -> host.requests.size() == 2);
        assertThat(host.inputs("work").get(0)).contains("\"payload\":1", "\"payload\":2", "\"payload\":3");
        assertThat(host.inputs("work").get(1)).startsWith("[{\"id\":\"m4\",\"group\":\"a\"");
    }

    @Test
    void aFullQueueIsRefusedWithItsDepth() {
        QueueSpec shallow = new QueueSpec("orders", "work", 1, 1, 1, 0, 0, 1, 1, 1, 3, null);
        start(request -> null);
        assertThatThrownBy(() -> send(shallow, "a", IntStream.range(0, 100_000).mapToObj(String::valueOf).toArray(String[]::new)))
                .hasMessageContaining("has 3 messages waiting");
    }

    private static TriggerSpec every(long ms, boolean armed) {
        return new TriggerSpec("beat", new Schedule(null, null, ms), null, Set.of(), "{\"x\":1}", armed, 3_600_000,
                QueueSpec.withDefaults("beat", "work"));
    }

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
