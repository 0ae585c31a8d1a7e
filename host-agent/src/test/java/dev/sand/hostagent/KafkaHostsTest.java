package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.globalbus.CuttableLine;
import dev.sand.globalbus.KafkaNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two host agents with the real Python runtime over a real broker, which shares their slots out. */
@Tag("slow")
class KafkaHostsTest {
    @TempDir
    Path notes;
    private final String prefix = UUID.randomUUID() + ".";
    private final MemoryStore store = new MemoryStore();

    private KafkaHost host(String name, String bootstrap) throws Exception {
        return new KafkaHost(name, bootstrap, prefix, store);
    }

    @Test
    void aHostThatLeavesInTheMiddleOfItsExecutionsLosesNone() throws Exception {
        KafkaHost a = host("a", KafkaNode.shared().bootstrap());
        KafkaHost b = host("b", KafkaNode.shared().bootstrap());
        try (TestPlatform other = b.platform) {
            KafkaHost.awaitBoth(a, b);
            ApplicationVersion version = Chain.deploy(notes, ApplicationVersion.Durability.RELAXED, a.platform, b.platform);
            Path hold = Files.createFile(notes.resolve("hold.second"));
            List<String> ids = inTheMiddle(version, a, b);
            a.platform.abandon();
            a.membership.close();
            a.bus.close();
            Files.delete(hold);
            allEnded(b, ids);
            for (String id : ids) {
                assertThat(notes.resolve(id + ".third")).hasContent("x");
            }
            assertThat(other.broken).isNotDone();
        }
        b.bus.close();
    }

    @Test
    void aHostThatIsCutOffInTheMiddleOfItsExecutionsEndsNoneAgainAndServesItsShareWhenItIsBack() throws Exception {
        try (CuttableLine line = new CuttableLine(); KafkaNode node = new KafkaNode(Map.of(), line.port()).start()) {
            line.leadTo(node.behind());
            KafkaHost a = host("a", "127.0.0.1:" + line.port());
            KafkaHost b = host("b", node.bootstrap());
            try (TestPlatform here = a.platform; TestPlatform there = b.platform) {
                KafkaHost.awaitBoth(a, b);
                ApplicationVersion version = Chain.deploy(notes, ApplicationVersion.Durability.RELAXED, here, there);
                Path hold = Files.createFile(notes.resolve("hold.second"));
                List<String> ids = inTheMiddle(version, a, b);
                line.cut();
                await().atMost(Chain.PATIENCE).until(() -> b.owners().equals(Set.of("b")));
                Files.delete(hold); // it goes on where it was cut off, and where it was taken over
                allEnded(b, ids);
                List<InvocationRecord> ends = ids.stream().map(id -> there.invocations.get("chain", id).orElseThrow()).toList();
                line.mendUnderAnotherAddress();
                KafkaHost.awaitBoth(a, b);
                await().atMost(Chain.PATIENCE).until(() -> here.agent.figures().join().journalBacklog() == 0);
                assertThat(ids.stream().map(id -> there.invocations.get("chain", id).orElseThrow()).toList()).as("ended once")
                        .usingRecursiveComparison().ignoringFields("hops", "cpuUs", "peakMemoryBytes").isEqualTo(ends);
                InvocationRequest next = Stream.generate(() -> request(version, 7))
                        .filter(each -> a.owns(Slots.of(each.executionId(), Slots.DEFAULT))).findFirst().orElseThrow();
                assertThat(TestPlatform.text(here.end(next))).isEqualTo("{\"n\":7123}");
                assertThat(here.broken).isNotDone();
                assertThat(there.broken).isNotDone();
            }
            a.membership.close();
            b.membership.close();
            a.bus.close();
            b.bus.close();
        }
    }

    /** Executions that have come to their second grain, which is held. */
    private List<String> inTheMiddle(ApplicationVersion version, KafkaHost a, KafkaHost b) throws Exception {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            ids.add(begin(version, i, a, b));
        }
        await().atMost(Chain.PATIENCE).until(() -> ids.stream().allMatch(id -> Files.exists(notes.resolve(id + ".second"))));
        return ids;
    }

    private static void allEnded(KafkaHost on, List<String> ids) {
        for (int i = 0; i < ids.size(); i++) {
            Chain.ended(on.platform, ids.get(i));
            assertThat(new String(on.platform.invocations.get("chain", ids.get(i)).orElseThrow().output().bytes(),
                    StandardCharsets.UTF_8)).isEqualTo("{\"n\":" + (i * 1000 + 123) + "}");
        }
    }

    private static InvocationRequest request(ApplicationVersion version, int n) {
        return TestPlatform.request(version, "main", Payload.json(("{\"n\":" + n + "}").getBytes(StandardCharsets.UTF_8)), 180_000, true);
    }

    /** As a frontend does: asks the owner, and asks again where the slot moved. */
    private String begin(ApplicationVersion version, int n, KafkaHost... hosts) throws Exception {
        InvocationRequest request = request(version, n);
        int slot = Slots.of(request.executionId(), Slots.DEFAULT);
        while (true) {
            for (KafkaHost host : hosts) {
                if (host.owns(slot)) {
                    CompletableFuture<Void> accepted = new CompletableFuture<>();
                    CompletableFuture<InvocationResult> end = host.platform.start(request, accepted);
                    CompletableFuture.anyOf(accepted, end).get(60, TimeUnit.SECONDS);
                    if (accepted.isDone()) {
                        return request.executionId();
                    }
                    assertThat(end.join().failure().error()).isEqualTo(Errors.MOVED);
                }
            }
        }
    }
}
