package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.InvocationStore.Filter;
import dev.sand.datalayer.LargeValues;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.SharedData;
import dev.sand.datalayer.TriggerStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.event.Schedule;
import dev.sand.event.Slots;
import dev.sand.event.TriggerSpec;
import dev.sand.event.TriggerSpec.Operation;
import dev.sand.globalbus.CuttableLine;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.KafkaNode;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import dev.sand.hostagent.triggers.Ownership;
import dev.sand.hostagent.triggers.TriggerParts;
import dev.sand.hostagent.triggers.TriggerRunner;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Queues, schedules and changes of data over two host agents with the real Python runtime and a real broker, of which one dies in
 * the middle. A grain notes that it has begun, waits while it is held, and notes that it has ended.
 */
@Tag("slow")
class KafkaTriggersTest {
    private static final String GRAIN = """
            import os, time
            def note(what, name):
                os.umask(0)  # the other host's grains run as yet another user
                with open("%1$s/" + what + "." + name, "a") as file:
                    file.write("x")
            def handle(event, context):
                name = event if isinstance(event, str) else (event.get("scheduled") or event["key"]).replace("/", "_")
                note("begun", name)
                while os.path.exists("%1$s/hold"):
                    time.sleep(0.01)
                if name == "bad":
                    raise ValueError("bad")
                note("ended", name)
            """;

    @TempDir
    Path notes;
    private final MemoryStore store = new MemoryStore();
    private final TriggerStore triggers = new TriggerStore(store);
    private final CuttableLine line = new CuttableLine();
    private final CompletableFuture<Void> goesOn = new CompletableFuture<>();
    private KafkaNode node;
    private KafkaHost a;
    private KafkaHost b;
    private TriggerRunner ofA;
    private TriggerRunner ofB;
    private boolean dead;

    @BeforeEach
    void start() throws Exception {
        String prefix = UUID.randomUUID() + ".";
        node = new KafkaNode(Map.of(), line.port()).start();
        line.leadTo(node.behind());
        a = new KafkaHost("a", "127.0.0.1:" + line.port(), prefix, store);
        b = new KafkaHost("b", node.bootstrap(), prefix, store);
        KafkaHost.awaitBoth(a, b);
        Files.setPosixFilePermissions(notes, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.createFile(notes.resolve("hold"));
    }

    @AfterEach
    void end() throws Exception {
        if (!dead) {
            dies();
        }
        goesOn.completeExceptionally(new IllegalStateException("this host is dead"));
        ofB.close();
        b.platform.close();
        line.mend();
        for (KafkaHost host : List.of(a, b)) {
            host.membership.close();
            host.bus.close();
        }
        line.close();
        node.close();
    }

    /** As kill -9 of the first host: nothing comes from it any more, and its grains end. */
    private void dies() throws IOException {
        dead = true;
        line.cut();
        ofA.close();
        a.platform.abandon();
    }

    private void deploy(Map<String, QueueSpec> queues, Map<String, TriggerSpec> triggerSpecs) throws IOException {
        ApplicationVersion version = null;
        for (KafkaHost host : List.of(a, b)) {
            version = host.platform.deploy("shop", Map.of("work", GRAIN.formatted(notes)));
        }
        ApplicationVersion deployed = version;
        Registry registry = new Registry(store);
        registry.publish("shop", number -> new ApplicationVersion(deployed.schema(), "shop", number, deployed.bundle(), null,
                deployed.sandbox(), deployed.grains(), Map.of(), List.of(), Map.of(), deployed.durability(), 0, queues, triggerSpecs));
        registry.setAlias("shop", Registry.LIVE, 1);
        Stream.concat(queues.keySet().stream(), triggerSpecs.keySet().stream())
                .forEach(name -> new Queues(b.bus, Slots.DEFAULT).create("shop", name));
    }

    private TriggerRunner runner(KafkaHost host, GlobalBus bus, GlobalStore over, SharedData data) {
        return new TriggerRunner(new TriggerParts(host.platform.agent, new Registry(store), host.platform.invocations, bus,
                new Queues(bus, Slots.DEFAULT), new TriggerStore(over), data, Ownership.of(host.membership, host.name),
                host.membership::nowMs));
    }

    private SharedData data() {
        return new SharedData(store, LargeValues.NONE, SharedData.Options.DEFAULT);
    }

    private TreeSet<String> noted(String what) throws IOException {
        try (Stream<Path> all = Files.list(notes)) {
            return all.map(path -> path.getFileName().toString()).filter(name -> name.startsWith(what + "."))
                    .map(name -> name.substring(what.length() + 1)).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private String groupOf(KafkaHost host, String prefix) {
        Queues queues = new Queues(b.bus, Slots.DEFAULT);
        return IntStream.range(0, 10_000).mapToObj(i -> prefix + i).filter(group -> host.owns(queues.partitionOf("shop", group)))
                .findFirst().orElseThrow();
    }

    @Test
    void messagesUnderWayWhenTheirHostDiesAreDeliveredAgainAndEndOnceOrAreDeadLetters() throws Exception {
        QueueSpec orders = new QueueSpec("orders", "work", 20, 1, 1, 0, 2, 1, 10, 180_000, 1_000, null);
        deploy(Map.of("orders", orders), Map.of());
        ofA = runner(a, a.bus, store, data());
        ofB = runner(b, b.bus, store, data());
        Set<String> good = Set.of("a0", "a1", "a2", "b0", "b1");
        Queues queues = new Queues(b.bus, Slots.DEFAULT);
        for (String message : Stream.concat(good.stream(), Stream.of("bad")).toList()) {
            String group = groupOf(message.startsWith("b") && !message.equals("bad") ? b : a, message + "-");
            queues.send("shop", orders, QueueMessage.of(message, group, Payload.json(("\"" + message + "\"")
                    .getBytes(StandardCharsets.UTF_8)), b.membership.nowMs())).get(60, TimeUnit.SECONDS);
        }
        await().atMost(Chain.PATIENCE).until(() -> noted("begun").size() == good.size() + 1);
        assertThat(noted("ended")).isEmpty();
        dies();
        Files.delete(notes.resolve("hold"));
        await().atMost(Chain.PATIENCE).until(() -> queues.depth("shop", "orders") == 0);
        assertThat(noted("ended")).containsExactlyInAnyOrderElementsOf(good);
        for (String message : good) {
            assertThat(notes.resolve("ended." + message)).as("ended once").hasContent("x");
        }
        // Not each of them: a busy host may have sent one to the other, where it ran on.
        assertThat(Stream.of("a0", "a1", "a2").map(message -> notes.resolve("begun." + message)))
                .as("what ran where the host died began again").anySatisfy(begun -> assertThat(begun).content().startsWith("xx"));
        assertThat(triggers.deadLetters("shop", "orders", null, 10)).singleElement().satisfies(letter -> {
            assertThat(letter.id()).isEqualTo("bad");
            assertThat(letter.attempts()).as("a host's death is no failure of the grain").isEqualTo(3);
        });
        assertThat(b.platform.invocations.list("shop", new Filter(Status.SUCCEEDED, null), null, 100).records()).hasSize(good.size());
        assertThat(b.platform.broken).isNotDone();
    }

    /** The store as a host sees it that dies at a write of a schedule. @param after whether the write itself still happens */
    private GlobalStore dyingAt(Predicate<String> state, boolean after, CompletableFuture<Void> held) {
        return proxy(GlobalStore.class, store, (name, arguments) -> {
            if (!name.equals("put") || !arguments[0].equals("schedules")
                    || !state.test(new String((byte[]) arguments[3], StandardCharsets.UTF_8)) || held.isDone()) {
                return true;
            }
            if (after) {
                store.put((String) arguments[0], (String) arguments[1], (String) arguments[2], (byte[]) arguments[3], (Long) arguments[4]);
            }
            held.complete(null);
            goesOn.join();
            return false;
        });
    }

    private interface Hook {
        /** @return whether the call goes on */
        boolean before(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, T real, Hook hook) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (!hook.before(method.getName(), arguments)) {
                return null;
            }
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"before its message was in the queue", "after it, before that was written down"})
    void aScheduleWhoseOwnerDiesAroundTheTickFiresOnce(String where) throws Exception {
        String beat = groupOf(a, "beat");
        deploy(Map.of(), Map.of(beat, new TriggerSpec(beat, new Schedule(null, null, 1_000), null, Set.of(), null, true, 3_600_000,
                QueueSpec.withDefaults(beat, "work"))));
        CompletableFuture<Void> held = new CompletableFuture<>();
        ofA = runner(a, a.bus, where.startsWith("before") ? dyingAt(state -> state.contains("\"pending\":{"), true, held)
                : dyingAt(state -> !state.contains("\"pending\":{") && state.matches(".*\"firedMs\":[1-9].*"), false, held), data());
        ofB = runner(b, b.bus, store, data());
        held.get(90, TimeUnit.SECONDS);
        long tickMs = triggers.schedule("shop", beat).orElseThrow().state().pending().timeMs();
        dies();
        Files.delete(notes.resolve("hold"));
        String tick = Instant.ofEpochMilli(tickMs).toString();
        await().atMost(Chain.PATIENCE).until(() -> noted("ended").contains(tick) && noted("ended").size() >= 4);
        triggers.changeSchedule("shop", beat, null, now -> now.arm(false, b.membership.nowMs()));
        for (String each : noted("ended")) {
            await().untilAsserted(() -> assertThat(notes.resolve("ended." + each)).as("fire of " + each).hasContent("x")); // is made, then written
        }
        assertThat(noted("ended").getFirst()).as("fires before it").isEqualTo(tick);
    }

    @Tag("long")
    @Test
    void aChangeOfDataIsToldOfWhenItsHostDiesBeforeItsMessageIsInTheQueue() throws Exception {
        deploy(Map.of(), Map.of("uploads", new TriggerSpec("uploads", null, "uploads/", Set.of(Operation.PUT), null, true, 0,
                QueueSpec.withDefaults("uploads", "work"))));
        CompletableFuture<Void> held = new CompletableFuture<>();
        GlobalBus dying = proxy(GlobalBus.class, a.bus, (name, arguments) -> {
            if (name.equals("append") && arguments[0].equals("queue.shop.uploads")) {
                held.complete(null);
                return false; // nobody ever hears of it
            }
            return true;
        });
        SharedData data = data();
        ofA = runner(a, dying, store, data);
        ofB = runner(b, b.bus, store, data());
        Thread.ofVirtual().start(() -> data.put("shop", "uploads/1", Payload.nullJson(), GlobalStore.ANY));
        held.get(90, TimeUnit.SECONDS);
        dies();
        Files.delete(notes.resolve("hold"));
        await().atMost(Chain.PATIENCE).until(() -> noted("ended").contains("uploads_1"));
        await().atMost(Chain.PATIENCE).until(() -> triggers.changes("shop", 10).isEmpty());
        assertThat(noted("ended")).containsExactly("uploads_1");
    }
}
