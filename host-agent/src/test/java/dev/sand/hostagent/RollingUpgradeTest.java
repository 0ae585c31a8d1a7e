package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.Placement;
import dev.sand.event.Slots;
import dev.sand.event.Topics;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.KafkaBus;
import dev.sand.globalbus.KafkaNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A host of this version beside one of the next, over a real broker, with the real Python runtime: as docs/UPGRADES.md has it,
 * while they run side by side the new one writes what the old one reads, and what the old one does not understand it never skips.
 */
@Tag("slow")
class RollingUpgradeTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration PATIENCE = Chain.PATIENCE;

    @TempDir
    Path notes;
    private final MemoryStore store = new MemoryStore();
    private final GlobalBus bus = new KafkaBus(new KafkaBus.Options(KafkaNode.shared().bootstrap(), 64L << 20, 1 << 20,
            Duration.ofMillis(2), Duration.ofSeconds(20), 0, UUID.randomUUID() + "."));
    private final NextPlatformsBus nexts = new NextPlatformsBus(bus);
    private final TestMembership group = new TestMembership(Slots.DEFAULT);
    private TestPlatform old;
    private TestPlatform next;

    @BeforeEach
    void start() throws Exception {
        old = new TestPlatform(bus, store, group.host(), configuration("old"));
        next = new TestPlatform(nexts, store, group.host(), configuration("next"));
        for (int slot = 0; slot < Slots.DEFAULT; slot++) {
            group.give(slot, isOlds(slot) ? "old" : "next");
        }
    }

    private static boolean isOlds(int slot) {
        return slot % 2 == 0;
    }

    private static HostAgentConfiguration configuration(String host) {
        return HostAgentConfiguration.defaults(host).withShards(1).withDrainTimeout(Duration.ofSeconds(5));
    }

    @AfterEach
    void stop() throws Exception {
        assertThat(old.broken).isNotDone();
        assertThat(next.broken).isNotDone();
        old.close();
        next.close();
        group.close();
        bus.close();
    }

    @Test
    void slotsMoveBothWaysInTheMiddleOfExecutionsWhichEndAndWhatTheNewOneWritesTheOldOneReads() throws Exception {
        ApplicationVersion version = Chain.deploy(notes, ApplicationVersion.Durability.RELAXED, old, next);
        Path hold = Files.createFile(notes.resolve("hold.second"));
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ids.add(begin(version, "main", "{\"n\":" + i + "}", i % 2 == 0));
        }
        await().atMost(PATIENCE).until(() -> ids.stream().allMatch(id -> Files.exists(notes.resolve(id + ".second"))));
        for (int slot = 0; slot < Slots.DEFAULT; slot++) {
            group.move(slot, isOlds(slot) ? "next" : "old");
        }
        Files.delete(hold);
        for (int i = 0; i < ids.size(); i++) {
            Chain.ended(old, ids.get(i));
            assertThat(new String(old.invocations.get("chain", ids.get(i)).orElseThrow().output().bytes(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"n\":" + (i * 1000 + 123) + "}");
            assertThat(notes.resolve(ids.get(i) + ".first")).as("finished before its slot moved, and replayed").hasContent("x");
            assertThat(notes.resolve(ids.get(i) + ".third")).hasContent("x");
        }
        eventsGoBothWays();
        understoodByThePrevious();
    }

    /** Each runs what the other owns. */
    private void eventsGoBothWays() throws Exception {
        Map<String, String> grains = Map.of("there", "def handle(event, context):\n    return {\"got\": event}\n");
        for (String host : List.of("old", "next")) {
            ApplicationVersion version = null;
            for (TestPlatform each : List.of(old, next)) {
                version = each.change(each.deploy("on-" + host, grains), ApplicationVersion.Durability.RELAXED,
                        Map.of("there", new Placement(Set.of(host), Set.of())));
            }
            InvocationRequest request = request(version, "there", "7", slot -> isOlds(slot) == host.equals("old")); // moved: the other's
            TestPlatform owner = host.equals("old") ? next : old;
            InvocationResult result = owner.start(request, new CompletableFuture<>()).get(90, TimeUnit.SECONDS);
            assertThat(TestPlatform.text(result)).isEqualTo("{\"got\":7}");
        }
    }

    /** By schema and fields, as the vectors have them: what is written now is what the golden records of that schema look like. */
    private void understoodByThePrevious() throws IOException {
        Map<String, Set<String>> known = new HashMap<>();
        for (String file : List.of("journal", "work", "requests", "queues")) {
            for (JsonNode each : JSON.readTree(Path.of("../event/vectors/" + file + "/records.json").toFile()).get("records")) {
                JsonNode record = each.get("record");
                record.fieldNames().forEachRemaining(known.computeIfAbsent(shape(file, record), shape -> new HashSet<>())::add);
            }
        }
        int looked = 0;
        for (String topic : bus.topics()) {
            for (int slot = 0; slot < bus.partitions(topic); slot++) {
                for (GlobalBus.BusRecord record : bus.read(topic, slot, bus.beginOffset(topic, slot), 1000)) {
                    JsonNode read = JSON.readTree(record.value());
                    assertThat(known.get(shape(vectors(topic), read)))
                            .as("a record of %s has no golden vector of its schema, or a field that none has: %s", topic, read)
                            .isNotNull().containsAll(fields(read));
                    looked++;
                }
            }
        }
        assertThat(looked).isGreaterThan(30);
    }

    /** The folder of {@code event/vectors} that has the records of such a topic. */
    private static String vectors(String topic) {
        return switch (topic.substring(0, topic.indexOf('.'))) {
            case "journal" -> "journal";
            case "requests" -> "requests";
            case "queue" -> "queues";
            default -> "work";
        };
    }

    private static List<String> fields(JsonNode record) {
        List<String> names = new ArrayList<>();
        record.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static String shape(String file, JsonNode record) {
        return file + " " + record.path("schema").asInt() + " " + record.path("kind").asText();
    }

    @Test
    void whatOnlyTheNextVersionUnderstandsStopsItsPartitionAtTheOldOneAndEndsAtTheNewOne() throws Exception {
        ApplicationVersion version = Chain.deploy(notes, ApplicationVersion.Durability.STRICT, old, next);
        group.showAllIdle(); // else what is held makes its owner send events to the old one, which cannot read them any more
        nexts.allAreNew();
        Path hold = Files.createFile(notes.resolve("hold.second"));
        String id = begin(version, "main", "{\"n\":1}", false);
        await().atMost(PATIENCE).until(() -> Files.exists(notes.resolve(id + ".second")));
        int slot = Slots.of(id, Slots.DEFAULT);
        group.move(slot, "old"); // somebody went back to this version, too late
        Files.delete(hold);
        InvocationRequest refused = request(version, "main", "{\"n\":2}", each -> each == slot);
        await().atMost(PATIENCE).untilAsserted(() -> {
            Failure failure = old.start(refused, new CompletableFuture<>()).get(60, TimeUnit.SECONDS).failure();
            assertThat(failure).isNotNull();
            assertThat(failure.cause()).contains(Topics.journal("chain"), "partition " + slot, "schema 10");
        });
        String elsewhere = begin(version, "main", "{\"n\":3}", true);
        Chain.ended(old, elsewhere);
        assertThat(notes.resolve(id + ".third")).as("nothing of it runs here").doesNotExist();
        group.move(slot, "next");
        Chain.ended(next, id);
        assertThat(notes.resolve(id + ".third")).hasContent("x");
        assertThat(TestPlatform.text(next.start(refused, new CompletableFuture<>()).get(60, TimeUnit.SECONDS))).isEqualTo("{\"n\":2123}");
    }

    private static InvocationRequest request(ApplicationVersion version, String target, String json, IntPredicate slots) {
        return Stream.generate(() -> TestPlatform.request(version, target, Payload.json(json.getBytes(StandardCharsets.UTF_8)), 120_000, true))
                .filter(each -> slots.test(Slots.of(each.executionId(), Slots.DEFAULT))).findFirst().orElseThrow();
    }

    /** @return the id of an execution that its owner, the old host or the next one, has accepted */
    private String begin(ApplicationVersion version, String target, String json, boolean olds) throws Exception {
        InvocationRequest request = request(version, target, json, slot -> isOlds(slot) == olds);
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        (olds ? old : next).start(request, accepted);
        accepted.get(60, TimeUnit.SECONDS);
        return request.executionId();
    }
}
