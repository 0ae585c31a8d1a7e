package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.Placement;
import dev.sand.event.RequestRecord;
import dev.sand.event.Slots;
import dev.sand.event.Topics;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.KafkaBus;
import dev.sand.globalbus.KafkaMembership;
import dev.sand.globalbus.KafkaNode;
import dev.sand.globalbus.Membership;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Somebody else writes to every topic that hosts read, over a real broker: they pass it over and go on. */
@Tag("slow")
class KafkaForeignRecordsTest {
    private static final List<byte[]> FOREIGN = List.of(new byte[0], new byte[] {0, -1, 42}, bytes("not ours"), bytes("[1, 2]"),
            bytes("{\"order\": 7, \"schema\": 1}"), bytes("{\"schema\": \"one\"}"), new byte[900_000]);
    /** They have our mark, and are not ours: an application that also begins its records with a schema. */
    private static final List<byte[]> MARKED = List.of(bytes("{\"schema\":1,\"kind\":\"order\",\"number\":7}"), bytes("{\"schema\":1}"),
            bytes("{\"schema\":1,\"kind\":\"run\",\"application\":\"other\",\"version\":1,\"executionId\":\"e\",\"eventId\":\"e/x\","
                    + "\"grain\":\"where\",\"attempt\":1,\"remainingMs\":1000,\"slot\":1,\"epoch\":1,\"lost\":false}"));
    private final String prefix = UUID.randomUUID() + ".";
    private final MemoryStore store = new MemoryStore();
    private Host a;
    private Host b;

    private final class Host implements AutoCloseable {
        final KafkaBus bus = new KafkaBus(new KafkaBus.Options(KafkaNode.shared().bootstrap(), 64L << 20, 1 << 20,
                Duration.ofMillis(2), Duration.ofSeconds(20), 0, prefix));
        final Membership membership =
                new KafkaMembership(bus, new KafkaMembership.Options(Slots.DEFAULT, Duration.ofSeconds(6), Duration.ofMillis(500)));
        final TestPlatform platform;

        Host(String name) throws Exception {
            platform = new TestPlatform(bus, store, membership,
                    HostAgentConfiguration.defaults(name).withShards(1).withDrainTimeout(Duration.ofSeconds(5)));
        }

        Set<String> owners() {
            return membership.view().owners().stream().map(owner -> owner == null ? "" : owner.host().host())
                    .collect(Collectors.toSet());
        }

        @Override
        public void close() throws Exception {
            platform.close();
            membership.close();
            bus.close();
        }
    }

    @BeforeEach
    void open() throws Exception {
        a = new Host("a");
    }

    @AfterEach
    void close() throws Exception {
        a.close();
        if (b != null) {
            b.close();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void append(String topic, int partition, byte[] record) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        a.bus.append(topic, partition, record, AppendFuture.completing(offset));
        AppendFuture.join(offset.orTimeout(30, TimeUnit.SECONDS), "append to " + topic);
    }

    private void litter(String topic, List<byte[]> records) {
        for (int partition = 0; partition < a.bus.partitions(topic); partition++) {
            for (byte[] record : records) {
                append(topic, partition, record);
            }
        }
    }

    private static ApplicationVersion deploy(TestPlatform... hosts) throws Exception {
        ApplicationVersion version = null;
        for (TestPlatform each : hosts) {
            version = each.change(each.deploy("away", Map.of("where", "def handle(event, context):\n    return event\n")),
                    ApplicationVersion.Durability.RELAXED, Map.of("where", new Placement(Set.of("b"), Set.of())));
        }
        return version;
    }

    @Test
    void hostsPassOverWhatIsNotTheirsInEveryTopicAndGoOn() throws Exception {
        List<String> topics = Topics.of("away", List.of("where"));
        topics.forEach(topic -> {
            a.bus.createTopic(topic, Slots.DEFAULT);
            litter(topic, FOREIGN);
        });
        litter("slots", FOREIGN.subList(0, 6));
        litter("hosts", FOREIGN.subList(0, 6));
        b = new Host("b");
        await().atMost(Chain.PATIENCE).until(() -> a.owners().equals(Set.of("a", "b")) && b.owners().equals(Set.of("a", "b")));
        for (String topic : List.of(Topics.requests("away"), Topics.returns("away"), Topics.work("away", "where"))) {
            litter(topic, MARKED);
        }
        ApplicationVersion version = deploy(a.platform, b.platform);
        // Owned by a, run by b: through the journal, the work queue and the returns.
        for (InvocationRequest request : requests(version, "a", 4)) {
            assertThat(TestPlatform.text(a.platform.end(request))).isEqualTo("7");
        }
        // Through the requests' topic.
        for (InvocationRequest request : requests(version, "b", 2)) {
            append(Topics.requests("away"), Slots.of(request.executionId(), Slots.DEFAULT), RequestRecord.of(request).encode());
            ended(request);
        }
        assertThat(a.platform.broken).isNotDone();
        assertThat(b.platform.broken).isNotDone();
    }

    @Test
    void aNewerRecordStopsItsPartitionUntilAPlatformThatUnderstandsItComes() throws Exception {
        a.bus.createTopic(Topics.requests("away"), Slots.DEFAULT);
        ApplicationVersion version = a.platform.deploy("away", Map.of("where", "def handle(event, context):\n    return event\n"));
        await().atMost(Chain.PATIENCE).until(() -> a.owners().equals(Set.of("a")));
        List<InvocationRequest> two = requests(version, "a", 64);
        InvocationRequest waits = two.getFirst();
        int stopped = Slots.of(waits.executionId(), Slots.DEFAULT);
        InvocationRequest goesOn = two.stream().filter(each -> Slots.of(each.executionId(), Slots.DEFAULT) != stopped).findFirst().orElseThrow();
        append(Topics.requests("away"), stopped, bytes("{\"schema\":99,\"what\":\"nobody knows\"}"));
        append(Topics.requests("away"), stopped, RequestRecord.of(waits).encode());
        append(Topics.requests("away"), Slots.of(goesOn.executionId(), Slots.DEFAULT), RequestRecord.of(goesOn).encode());
        ended(goesOn);
        assertThat(a.platform.invocations.get("away", waits.executionId())).isEmpty();
        assertThat(a.bus.beginOffset(Topics.requests("away"), stopped)).as("it is kept").isZero();
        assertThat(TestPlatform.text(a.platform.end(requests(version, "a", 1).getFirst()))).isEqualTo("7");
    }

    private void ended(InvocationRequest request) {
        await().atMost(Chain.PATIENCE).until(() -> a.platform.invocations.get("away", request.executionId())
                .filter(record -> record.status() == InvocationResult.Status.SUCCEEDED).isPresent());
    }

    /** Requests whose executions are that host's. */
    private List<InvocationRequest> requests(ApplicationVersion version, String host, int count) {
        List<Membership.Owner> owners = a.membership.view().owners();
        return new ArrayList<>(Stream.generate(() -> TestPlatform.request(version, "where", Payload.json(bytes("7")), 60_000, true))
                .filter(each -> host.equals(owners.get(Slots.of(each.executionId(), Slots.DEFAULT)).host().host())).limit(count).toList());
    }
}
