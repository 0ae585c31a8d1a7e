package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.Errors;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.globalbus.KafkaBus;
import dev.sand.globalbus.KafkaMembership;
import dev.sand.globalbus.KafkaNode;
import dev.sand.globalbus.Membership.Owner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host agent over a real broker, which dies in the middle of things and comes back. */
@Tag("slow")
class BusAwayTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final KafkaMembership.Options GROUP =
            new KafkaMembership.Options(Slots.DEFAULT, Duration.ofSeconds(6), Duration.ofMillis(500));
    private static final String CHAIN = """
            {"StartAt": "First", "States": {
              "First": {"Type": "Task", "Resource": "first", "Next": "Second"},
              "Second": {"Type": "Task", "Resource": "second", "End": true}}}
            """;
    private static final String NOTE = """
            import os, time
            def handle(event, context):
                os.umask(0)  # the next run's grains may run as another user
                with open("%s/" + context.execution_id + ".%s", "a") as file:
                    file.write("x")
                while os.path.exists("%s/hold.%s"):
                    time.sleep(0.01)
                return {"n": event["n"] * 10 + %d}
            """;

    @TempDir
    Path notes;
    private final MemoryStore store = new MemoryStore();
    private final KafkaNode node = new KafkaNode(Map.of());
    private ApplicationVersion relaxed;
    private ApplicationVersion strict;
    private KafkaBus bus;
    private KafkaMembership membership;
    private TestPlatform platform;

    @BeforeEach
    void start() throws Exception {
        Files.setPosixFilePermissions(notes, PosixFilePermissions.fromString("rwxrwxrwx")); // grains run as another user
        node.start();
        open();
    }

    private void open() throws Exception {
        bus = new KafkaBus(KafkaBus.Options.of(node.bootstrap()));
        membership = new KafkaMembership(bus, GROUP);
        HostAgentConfiguration configuration = HostAgentConfiguration.defaults("a").withShards(1)
                .withDrainTimeout(Duration.ofSeconds(5));
        platform = new TestPlatform(bus, store, membership, configuration, with -> {
            relaxed = deploy(with, "relaxed");
            strict = with.change(deploy(with, "strict"), Durability.STRICT, Map.of());
        });
        await().atMost(PATIENCE).until(() -> owners().stream().noneMatch(Objects::isNull) && platform.everySlotIsGiven());
    }

    private ApplicationVersion deploy(TestPlatform with, String application) throws IOException {
        return with.deploy(application, Map.of("first", NOTE.formatted(notes, "first", notes, "first", 1),
                "second", NOTE.formatted(notes, "second", notes, "second", 2)), Map.of("main", CHAIN), spec -> spec);
    }

    private List<Owner> owners() {
        return membership.view().owners();
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
        membership.close();
        bus.close();
        node.close();
    }

    @Test
    void relaxedGoesOnWithoutTheBusTheOthersAreToComeBackAndNothingIsLostOrRunTwice() throws Exception {
        assertThat(TestPlatform.text(platform.end(request(relaxed, false)))).isEqualTo("{\"n\":12}");
        assertThat(TestPlatform.text(platform.end(request(strict, true)))).isEqualTo("{\"n\":12}");
        List<Long> epochs = owners().stream().map(Owner::epoch).toList();

        Path hold = Files.createFile(notes.resolve("hold.first"));
        InvocationRequest caught = request(relaxed, false);
        InvocationRequest promised = request(relaxed, true);
        InvocationRequest careful = request(strict, false);
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        CompletableFuture<InvocationResult> caughtEnd = platform.start(caught, new CompletableFuture<>());
        CompletableFuture<InvocationResult> promisedEnd = platform.start(promised, accepted);
        CompletableFuture<InvocationResult> carefulEnd = platform.start(careful, new CompletableFuture<>());
        accepted.get(60, TimeUnit.SECONDS);
        for (InvocationRequest each : List.of(caught, promised, careful)) {
            await().atMost(PATIENCE).until(() -> Files.exists(notes.resolve(each.executionId() + ".first")));
        }
        node.kill();
        InvocationRequest between = request(strict, false); // nobody knows yet that the bus is gone
        CompletableFuture<InvocationResult> betweenEnd = platform.start(between, new CompletableFuture<>());
        await().atMost(PATIENCE).until(() -> !membership.mayAct(System.nanoTime()));

        Files.delete(hold);
        assertThat(TestPlatform.text(caughtEnd.get(60, TimeUnit.SECONDS))).as("gone on in mid-run").isEqualTo("{\"n\":12}");
        assertThat(TestPlatform.text(promisedEnd.get(60, TimeUnit.SECONDS))).isEqualTo("{\"n\":12}");
        for (int i = 0; i < 5; i++) {
            assertThat(TestPlatform.text(platform.end(request(relaxed, false)))).isEqualTo("{\"n\":12}");
        }
        refused(betweenEnd.get(60, TimeUnit.SECONDS));
        refused(platform.end(request(relaxed, true)));
        refused(platform.end(request(strict, false)));
        assertThat(carefulEnd).as("a strict execution waits for its backup").isNotDone();

        node.start();
        assertThat(TestPlatform.text(carefulEnd.get(120, TimeUnit.SECONDS))).isEqualTo("{\"n\":12}");
        await().atMost(PATIENCE).until(() -> membership.mayAct(System.nanoTime()));
        await().atMost(PATIENCE).until(() -> platform.agent.figures().join().journalBacklog() == 0);
        assertThat(owners().stream().map(Owner::epoch).toList()).isEqualTo(epochs);
        assertThat(TestPlatform.text(platform.end(request(strict, true)))).isEqualTo("{\"n\":12}");

        restartWithOneUnderWay();
        for (InvocationRequest each : List.of(caught, promised, careful)) {
            assertThat(notes.resolve(each.executionId() + ".first")).hasContent("x");
            assertThat(notes.resolve(each.executionId() + ".second")).hasContent("x");
        }
    }

    private void restartWithOneUnderWay() throws Exception {
        Path hold = Files.createFile(notes.resolve("hold.second"));
        InvocationRequest open = request(relaxed, true);
        CompletableFuture<Void> accepted = new CompletableFuture<>();
        platform.start(open, accepted);
        accepted.get(60, TimeUnit.SECONDS);
        await().atMost(PATIENCE).until(() -> Files.exists(notes.resolve(open.executionId() + ".second")));
        await().atMost(PATIENCE).until(() -> platform.agent.figures().join().journalBacklog() == 0);
        platform.abandon();
        membership.close();
        bus.close();
        open();
        Files.delete(hold);
        await().atMost(PATIENCE).until(() -> platform.invocations.get("relaxed", open.executionId())
                .filter(record -> record.status() == Status.SUCCEEDED).isPresent());
        assertThat(notes.resolve(open.executionId() + ".first")).as("finished before").hasContent("x");
        assertThat(notes.resolve(open.executionId() + ".second")).as("processing at the end").hasContent("xx");
    }

    private static InvocationRequest request(ApplicationVersion version, boolean durable) {
        return TestPlatform.request(version, "main", Payload.json("{\"n\":0}".getBytes(StandardCharsets.UTF_8)), 240_000, durable);
    }

    private static void refused(InvocationResult result) {
        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().error()).isEqualTo(Errors.UNAVAILABLE);
        assertThat(result.failure().retryable()).isTrue();
    }
}
