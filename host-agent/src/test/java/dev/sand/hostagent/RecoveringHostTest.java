package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.globalbus.SqliteBus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A host dies, the one that takes over dies in the middle of the recovery, and a third ends what both have left (SAND 4.2.1: "It
 * is possible that Host y fails during the recovery process"). With the real Python runtime and a bus on the disk.
 */
@Tag("slow")
class RecoveringHostTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int EXECUTIONS = 6;

    @TempDir
    Path notes;
    @TempDir
    Path disk;
    private final MemoryStore store = new MemoryStore();
    private final TestMembership group = new TestMembership(Slots.DEFAULT);
    private final List<TestPlatform> alive = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();
    private SqliteBus bus;
    private TestPlatform a;
    private TestPlatform b;
    private TestPlatform c;
    private ApplicationVersion version;

    @BeforeEach
    void aHostHasAcceptedExecutionsAndIsInTheirSecondGrain() throws Exception {
        bus = new SqliteBus(disk.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        a = host("a");
        b = host("b");
        c = host("c");
        version = Chain.deploy(notes, ApplicationVersion.Durability.RELAXED, a, b, c);
        group.giveAll("a");
        hold("second");
        for (int i = 0; i < EXECUTIONS; i++) {
            Payload input = Payload.json(("{\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8));
            InvocationRequest request = TestPlatform.request(version, "main", input, 240_000, true);
            CompletableFuture<Void> accepted = new CompletableFuture<>();
            a.start(request, accepted);
            accepted.get(60, TimeUnit.SECONDS);
            ids.add(request.executionId());
        }
        await().atMost(PATIENCE).until(() -> allHave(ids, "second", "x")
                && ids.stream().allMatch(id -> records(id, "finished") == 1));
    }

    private TestPlatform host(String name) throws Exception {
        TestPlatform made = new TestPlatform(bus, store, group.host(),
                HostAgentConfiguration.defaults(name).withShards(1).withDrainTimeout(Duration.ofSeconds(5)));
        alive.add(made);
        return made;
    }

    private void kill(TestPlatform host) throws Exception {
        alive.remove(host);
        host.abandon();
    }

    @AfterEach
    void stop() throws Exception {
        for (TestPlatform each : alive) {
            assertThat(each.broken).isNotDone();
            each.close();
        }
        group.close();
        bus.close();
    }

    private void hold(String grain) throws Exception {
        Files.createFile(notes.resolve("hold." + grain));
    }

    private void letGo(String grain) throws Exception {
        Files.delete(notes.resolve("hold." + grain));
    }

    private boolean has(String id, String grain, String runs) throws Exception {
        Path note = notes.resolve(id + "." + grain);
        return Files.exists(note) && Files.readString(note).equals(runs);
    }

    /** Of one execution, in the journals. */
    private long records(String id, String kind) {
        return bus.read("journal.chain", Slots.of(id, Slots.DEFAULT), 0, 10_000).stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .filter(text -> text.contains("\"kind\":\"" + kind + "\"") && text.contains(id)).count();
    }

    private void endRightOn(TestPlatform host) {
        for (int i = 0; i < EXECUTIONS; i++) {
            String id = ids.get(i);
            Chain.ended(host, id);
            assertThat(new String(host.invocations.get("chain", id).orElseThrow().output().bytes(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"n\":" + (i * 1000 + 123) + "}");
            await().atMost(PATIENCE).until(() -> records(id, "ended") > 0);
            assertThat(records(id, "ended")).as("ends of execution " + i).isOne();
            assertThat(notes.resolve(id + ".first")).as("finished on the first host").hasContent("x");
        }
    }

    @Test
    void itDiesWhileItRunsAgainWhatWasProcessing() throws Exception {
        kill(a);
        group.giveAll("b");
        await().atMost(PATIENCE).until(() -> allHave(ids, "second", "xx"));
        kill(b);
        letGo("second");
        group.giveAll("c");
        endRightOn(c);
        for (String id : ids) {
            assertThat(records(id, "resumed")).as("once for each owner that ran it again").isEqualTo(2);
            assertThat(notes.resolve(id + ".second")).as("processing when each of its hosts died").hasContent("xxx");
            assertThat(notes.resolve(id + ".third")).hasContent("x");
        }
    }

    @Test
    void itDiesWithHalfOfTheSlotsTakenAndTheirExecutionsAdvanced() throws Exception {
        kill(a);
        Set<Integer> half = ids.stream().limit(EXECUTIONS / 2).map(id -> Slots.of(id, Slots.DEFAULT)).collect(Collectors.toSet());
        Predicate<String> taken = id -> half.contains(Slots.of(id, Slots.DEFAULT));
        hold("third");
        letGo("second");
        half.forEach(slot -> group.give(slot, "b"));
        await().atMost(PATIENCE).until(() -> allHave(ids.stream().filter(taken).toList(), "third", "x"));
        kill(b);
        letGo("third");
        IntStream.range(0, Slots.DEFAULT).forEach(slot -> group.give(slot, "c"));
        endRightOn(c);
        for (String id : ids) {
            assertThat(notes.resolve(id + ".second")).as("finished by whoever took its slot first").hasContent("xx");
            assertThat(notes.resolve(id + ".third")).hasContent(taken.test(id) ? "xx" : "x");
        }
    }

    private boolean allHave(List<String> which, String grain, String runs) throws Exception {
        for (String id : which) {
            if (!has(id, grain, runs)) {
                return false;
            }
        }
        return true;
    }
}
