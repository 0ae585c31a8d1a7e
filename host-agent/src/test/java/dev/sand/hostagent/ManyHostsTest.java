package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.Placement;
import dev.sand.event.RequestRecord;
import dev.sand.event.Slots;
import dev.sand.event.Topics;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.MemoryBus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two host agents with the real Python runtime that share bus and store: what one leaves, the other ends. */
@Tag("slow")
class ManyHostsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path notes;
    private final GlobalBus bus = new MemoryBus();
    private final MemoryStore store = new MemoryStore();
    private final TestMembership group = new TestMembership(Slots.DEFAULT);
    private final TestMembership.Host first = group.host();
    private final TestMembership.Host second = group.host();
    private TestPlatform a;
    private TestPlatform b;
    private boolean dead;

    @BeforeEach
    void start() throws Exception {
        a = new TestPlatform(bus, store, first, configuration("a"));
        b = new TestPlatform(bus, store, second, configuration("b"));
        group.giveAll("a");
    }

    private static HostAgentConfiguration configuration(String host) {
        return HostAgentConfiguration.defaults(host).withShards(1).withDrainTimeout(Duration.ofSeconds(5));
    }

    @AfterEach
    void stop() throws Exception {
        assertThat(a.broken).isNotDone();
        assertThat(b.broken).isNotDone();
        if (!dead) {
            a.close();
        }
        b.close();
        group.close();
    }

    @Test
    void whatAKilledHostHadAcceptedEndsOnTheOther() throws Exception {
        ApplicationVersion version = Chain.deploy(notes, ApplicationVersion.Durability.RELAXED, a, b);
        takeOver(version);
    }

    @Test
    void whatAKilledHostHadAcceptedEndsOnTheOtherInStrictOrderToo() throws Exception {
        ApplicationVersion version = Chain.deploy(notes, ApplicationVersion.Durability.STRICT, a, b);
        takeOver(version);
    }

    private void takeOver(ApplicationVersion version) throws Exception {
        Path hold = Files.createFile(notes.resolve("hold.second"));
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            InvocationRequest request = TestPlatform.request(version, "main", json("{\"n\":" + i + "}"), 120_000, true);
            CompletableFuture<Void> accepted = new CompletableFuture<>();
            a.start(request, accepted);
            accepted.get(60, TimeUnit.SECONDS);
            ids.add(request.executionId());
        }
        await().atMost(PATIENCE).until(() -> ids.stream().allMatch(id -> Files.exists(notes.resolve(id + ".second"))));
        await().atMost(PATIENCE).until(() -> journaled(version) >= 2 * ids.size());
        dead = true;
        a.abandon();
        Files.delete(hold);
        group.giveAll("b");
        for (int i = 0; i < ids.size(); i++) {
            String id = ids.get(i);
            String expected = "{\"n\":" + (i * 1000 + 123) + "}";
            Chain.ended(b, id);
            assertThat(new String(b.invocations.get("chain", id).orElseThrow().output().bytes(), StandardCharsets.UTF_8))
                    .isEqualTo(expected);
            assertThat(notes.resolve(id + ".first")).as("finished before, and its output replayed").hasContent("x");
            assertThat(notes.resolve(id + ".second")).as("processing when its host died").hasContent("xx");
            assertThat(notes.resolve(id + ".third")).hasContent("x");
        }
    }

    /** Records of the application's journal, without claims. */
    private long journaled(ApplicationVersion version) {
        long records = 0;
        for (int slot = 0; slot < Slots.DEFAULT; slot++) {
            records += bus.read("journal." + version.application(), slot, 0, 1000).stream()
                    .filter(record -> !new String(record.value(), StandardCharsets.UTF_8).contains("\"claim\"")).count();
        }
        return records;
    }

    @Test
    void whoLostItsSlotsAnswersThatTheExecutionMoved() throws Exception {
        ApplicationVersion version = Chain.deploy(notes, ApplicationVersion.Durability.RELAXED, a, b);
        Path hold = Files.createFile(notes.resolve("hold.second"));
        InvocationRequest request = TestPlatform.request(version, "main", json("{\"n\":1}"), 120_000, true);
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        CompletableFuture<InvocationResult> here = a.start(request, accepted);
        accepted.get(60, TimeUnit.SECONDS);
        await().atMost(PATIENCE).until(() -> Files.exists(notes.resolve(request.executionId() + ".second")));
        group.remember();
        first.acting = false; // paused for longer than its lease
        group.giveAll("b");
        Files.delete(hold);
        Chain.ended(b, request.executionId());
        await("its late result, held back").atMost(PATIENCE).until(() -> a.agent.counts().withheld().get("backup") > 0);
        group.lose("a");
        assertThat(here.get(60, TimeUnit.SECONDS).failure().error()).isEqualTo(Errors.MOVED);
        CompletableFuture<InvocationResult> there = b.start(request, new CompletableFuture<>());
        assertThat(TestPlatform.text(there.get(60, TimeUnit.SECONDS))).isEqualTo("{\"n\":1123}");
    }

    @Test
    void whatAHostThatWasCutOffStillSaysOfATakenSlotCountsForNobody() throws Exception {
        String attempts = """
                import os, time
                def handle(event, context):
                    name = "%s/" + str(context.attempt)
                    open(name, "w").close()
                    while not os.path.exists(name + ".go"):
                        time.sleep(0.01)
                    return context.attempt
                """.formatted(notes);
        Files.setPosixFilePermissions(notes, PosixFilePermissions.fromString("rwxrwxrwx")); // grains run as another user
        ApplicationVersion version = a.deploy("chain", Map.of("main", attempts));
        b.deploy("chain", Map.of("main", attempts));
        InvocationRequest request = TestPlatform.request(version, "main", json("0"), 120_000, true);
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        CompletableFuture<InvocationResult> late = a.start(request, accepted);
        accepted.get(60, TimeUnit.SECONDS);
        await().atMost(PATIENCE).until(() -> Files.exists(notes.resolve("1")));
        group.remember();
        first.goingOn = true;
        first.acting = false; // it hears nothing, and goes on
        group.giveAll("b");
        await().atMost(PATIENCE).until(() -> Files.exists(notes.resolve("2")));
        Files.createFile(notes.resolve("1.go"));
        assertThat(TestPlatform.text(late.get(60, TimeUnit.SECONDS))).as("refused by its epoch: frontends know b's").isEqualTo("1");
        await().atMost(PATIENCE).until(() -> a.agent.figures().join().journalBacklog() == 0 && a.invocations.backlog() == 0);
        assertThat(b.invocations.get("chain", request.executionId()).orElseThrow().status()).isEqualTo(Status.RUNNING);
        Files.createFile(notes.resolve("2.go"));
        Chain.ended(b, request.executionId());
        assertThat(new String(b.invocations.get("chain", request.executionId()).orElseThrow().output().bytes(),
                StandardCharsets.UTF_8)).isEqualTo("2");
        group.lose("a");
        assertThat(a.start(request, new CompletableFuture<>()).get(60, TimeUnit.SECONDS).failure().error()).isEqualTo(Errors.MOVED);
        CompletableFuture<InvocationResult> there = b.start(request, new CompletableFuture<>());
        assertThat(TestPlatform.text(there.get(60, TimeUnit.SECONDS))).isEqualTo("2");
    }

    @Test
    void anEventRunsOnTheHostWhereItsGrainIsPlacedAndItsOutputReturns() throws Exception {
        Map<String, String> grains = Map.of("where", """
                def handle(event, context):
                    return bytes(300000) if event == "large" else {"got": event}
                """);
        ApplicationVersion version = null;
        for (TestPlatform each : List.of(a, b)) {
            version = each.change(each.deploy("away", grains), ApplicationVersion.Durability.RELAXED,
                    Map.of("where", new Placement(Set.of("b"), Set.of())));
        }
        group.give(3, "b");
        assertThat(TestPlatform.text(ownedByA(version, "7"))).isEqualTo("{\"got\":7}");
        assertThat(ownedByA(version, "\"large\"").output().bytes()).hasSize(300_000);
        assertThat(bus.endOffset("work.away.where", 3)).as("events, and flags that they are done").isPositive();
    }

    /** The result of a request whose execution is in a slot of a's: one in b's slot would be answered with Moved. */
    private InvocationResult ownedByA(ApplicationVersion version, String input) throws Exception {
        InvocationRequest request = Stream.generate(() -> TestPlatform.request(version, "where", json(input), 60_000, false))
                .filter(each -> Slots.of(each.executionId(), Slots.DEFAULT) != 3).findFirst().orElseThrow();
        return a.start(request, new CompletableFuture<>()).get(90, TimeUnit.SECONDS);
    }

    @Test
    void aRequestThatCameThroughTheBusRunsOnce() throws Exception {
        ApplicationVersion version = Chain.deploy(notes, ApplicationVersion.Durability.RELAXED, a, b);
        bus.createTopic(Topics.requests("chain"), Slots.DEFAULT);
        InvocationRequest request = TestPlatform.request(version, "main", json("{\"n\":1}"), 120_000, true);
        int slot = Slots.of(request.executionId(), Slots.DEFAULT);
        for (int i = 0; i < 2; i++) {
            append(Topics.requests("chain"), slot, RequestRecord.of(request).encode());
        }
        Chain.ended(a, request.executionId());
        append(Topics.requests("chain"), slot, RequestRecord.of(request).encode());
        assertThat(notes.resolve(request.executionId() + ".third")).hasContent("x");
    }

    @Test
    void aRequestWhoseTimePassedInTheBusIsNotBegun() throws Exception {
        ApplicationVersion version = Chain.deploy(notes, ApplicationVersion.Durability.RELAXED, a, b);
        bus.createTopic(Topics.requests("chain"), Slots.DEFAULT);
        InvocationRequest late = TestPlatform.request(version, "main", json("{\"n\":1}"), 0, true);
        append(Topics.requests("chain"), Slots.of(late.executionId(), Slots.DEFAULT), RequestRecord.of(late).encode());
        await().atMost(PATIENCE).until(() -> a.invocations.get("chain", late.executionId()).isPresent());
        assertThat(a.invocations.get("chain", late.executionId()).orElseThrow().failure().error()).isEqualTo(Errors.TIMEOUT);
        assertThat(notes.resolve(late.executionId() + ".first")).doesNotExist();
    }

    private void append(String topic, int slot, byte[] record) {
        bus.append(topic, slot, record, new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long offset) {}

            @Override
            public void onFailed(BusException failure) {
                throw failure;
            }
        });
    }

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }
}
