package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.HostAgentPort.Drain;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.MemoryBus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host that is drained by hand, beside another one: what runs ends there or goes on elsewhere, and it comes back. */
@Tag("slow")
class DrainedHostTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path notes;
    private final GlobalBus bus = new MemoryBus();
    private final MemoryStore store = new MemoryStore();
    private final TestMembership group = new TestMembership(Slots.DEFAULT);
    private final TestMembership.Host first = group.host();
    private TestPlatform a;
    private TestPlatform b;
    private ApplicationVersion version;

    @BeforeEach
    void startB() throws Exception {
        b = new TestPlatform(bus, store, group.host(), configuration("b", Duration.ofSeconds(5)));
    }

    private static HostAgentConfiguration configuration(String host, Duration drain) {
        return HostAgentConfiguration.defaults(host).withShards(1).withAddress("127.0.0.1:1").withDrainTimeout(drain);
    }

    private void startA(Duration drain) throws Exception {
        a = new TestPlatform(bus, store, first, configuration("a", drain));
        group.giveAll("a");
        version = Chain.deploy(notes, ApplicationVersion.Durability.RELAXED, a, b);
    }

    @AfterEach
    void stop() throws Exception {
        assertThat(a.broken).isNotDone();
        assertThat(b.broken).isNotDone();
        a.close();
        b.close();
        group.close();
    }

    private Drain drain(boolean out) throws Exception {
        return a.agent.drain("a", out).get(30, TimeUnit.SECONDS);
    }

    private boolean isDraining() {
        return a.agent.status().join().getFirst().draining();
    }

    private InvocationRequest held() throws Exception {
        Files.createFile(notes.resolve("hold.second"));
        InvocationRequest request = request();
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        a.start(request, accepted);
        accepted.get(60, TimeUnit.SECONDS);
        await().atMost(PATIENCE).until(() -> Files.exists(notes.resolve(request.executionId() + ".second")));
        return request;
    }

    private InvocationRequest request() {
        return TestPlatform.request(version, "main", Payload.json("{\"n\":1}".getBytes(StandardCharsets.UTF_8)), 120_000, true);
    }

    private static InvocationResult ask(TestPlatform host, InvocationRequest request) throws Exception {
        return host.start(request, new CompletableFuture<>()).get(60, TimeUnit.SECONDS);
    }

    @Test
    void whatRunsEndsThereWhatComesGoesToTheOtherAndItComesBack() throws Exception {
        startA(Duration.ofMinutes(5));
        InvocationRequest running = held();
        assertThat(drain(true)).isEqualTo(Drain.DONE);
        assertThat(isDraining()).isTrue();
        assertThat(ask(a, request()).failure().error()).as("it says that its slots go to others").isEqualTo(Errors.MOVED);
        assertThat(first.isWithdrawn()).as("while something runs").isFalse();
        assertThat(drain(true)).as("again").isEqualTo(Drain.DONE);
        Files.delete(notes.resolve("hold.second"));
        await().atMost(PATIENCE).until(first::isWithdrawn);
        Chain.ended(b, running.executionId());
        assertThat(notes.resolve(running.executionId() + ".second")).as("not run again").hasContent("x");
        assertThat(TestPlatform.text(b.end(request()))).isEqualTo("{\"n\":1123}");
        assertThat(a.agent.status().join().getFirst().sandboxes()).noneMatch(sandbox -> sandbox.isThere());

        assertThat(drain(false)).isEqualTo(Drain.DONE);
        assertThat(isDraining()).isFalse();
        await().atMost(PATIENCE).until(() -> a.agent.epochs().epoch(0) > 0);
        InvocationRequest next = request();
        while (Slots.of(next.executionId(), Slots.DEFAULT) % 2 == 1) {
            next = request();
        }
        assertThat(TestPlatform.text(a.end(next))).isEqualTo("{\"n\":1123}");
        assertThat(drain(false)).as("again").isEqualTo(Drain.DONE);
    }

    @Test
    void whatDoesNotEndInTimeGoesOnWhereItsSlotGoes() throws Exception {
        startA(Duration.ofMillis(500));
        InvocationRequest running = held();
        assertThat(drain(true)).isEqualTo(Drain.DONE);
        await().atMost(PATIENCE).until(first::isWithdrawn);
        await("run again there").atMost(PATIENCE).until(() -> Files.readString(notes.resolve(running.executionId() + ".second")).equals("xx"));
        Files.delete(notes.resolve("hold.second"));
        Chain.ended(b, running.executionId());
    }

    @Test
    void oneThatIsResumedBeforeItIsDrainedKeepsItsSlots() throws Exception {
        startA(Duration.ofSeconds(3));
        InvocationRequest running = held();
        assertThat(drain(true)).isEqualTo(Drain.DONE);
        assertThat(drain(false)).isEqualTo(Drain.DONE);
        await("longer than the drain would have waited").during(Duration.ofSeconds(5)).atMost(PATIENCE).until(() -> !first.isWithdrawn());
        Files.delete(notes.resolve("hold.second"));
        Chain.ended(a, running.executionId());
        assertThat(TestPlatform.text(ask(a, request()))).isEqualTo("{\"n\":1123}");
    }

    @Test
    void anotherHostsNameIsRefused() throws Exception {
        startA(Duration.ofSeconds(5));
        assertThat(a.agent.drain("b", true).get(5, TimeUnit.SECONDS)).isEqualTo(Drain.NO_SUCH_HOST);
        assertThat(isDraining()).isFalse();
    }
}
