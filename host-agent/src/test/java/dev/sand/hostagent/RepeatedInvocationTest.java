package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.MemoryStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.globalbus.SqliteBus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A function whose host dies runs again; what it had invoked and has ended does not. With the real Python runtime and a bus on the disk. */
@Tag("slow")
class RepeatedInvocationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String NOTED = """
            import os, time
            def note(name):
                os.umask(0)  # the other host's grains run as yet another user
                with open("%s/" + name, "a") as file:
                    file.write("x")
            """;
    private static final String CALLER = NOTED + """
            def handle(event, context):
                output = context.process.invoke("p", "called", event).result()
                note("caller")
                while os.path.exists("%1$s/hold"):
                    time.sleep(0.01)
                return output
            """;
    private static final String CALLED = NOTED + """
            def handle(event, context):
                note("called")
                return event + 1
            """;

    @TempDir
    Path notes;
    @TempDir
    Path disk;

    @Test
    void whatHasEndedIsNotRunAgainAndItsOutputIsTold() throws Exception {
        Files.setPosixFilePermissions(notes, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.createFile(notes.resolve("hold"));
        MemoryStore store = new MemoryStore();
        try (SqliteBus bus = new SqliteBus(disk.resolve("bus.db"), SqliteBus.Options.DEFAULT);
                TestMembership group = new TestMembership(Slots.DEFAULT)) {
            TestPlatform first = host(bus, store, group, "a");
            TestPlatform second = host(bus, store, group, "b");
            Map<String, String> handlers = Map.of("caller", CALLER.formatted(notes), "called", CALLED.formatted(notes));
            first.deploy("app", handlers);
            ApplicationVersion version = second.deploy("app", handlers);
            group.giveAll("a");
            InvocationRequest request;
            do {
                request = TestPlatform.request(version, "caller", Payload.json("4".getBytes(StandardCharsets.UTF_8)), 240_000, true);
            } while (Slots.of(request.executionId(), Slots.DEFAULT) != Slots.of("p", Slots.DEFAULT));
            String id = request.executionId();
            CompletableFuture<Void> accepted = new CompletableFuture<>();
            first.start(request.inProcess("p"), accepted);
            accepted.get(60, TimeUnit.SECONDS);
            await().atMost(PATIENCE).until(() -> noted("caller").equals("x"));
            first.abandon();
            group.giveAll("b");
            await().atMost(PATIENCE).until(() -> noted("caller").equals("xx"));
            Files.delete(notes.resolve("hold"));
            await().atMost(PATIENCE).until(() -> second.invocations.get("app", id).filter(record -> record.status() != Status.RUNNING).isPresent());
            InvocationRecord record = second.invocations.get("app", id).orElseThrow();
            assertThat(record.status()).as("%s", record.failure()).isEqualTo(Status.SUCCEEDED);
            assertThat(new String(record.output().bytes(), StandardCharsets.UTF_8)).isEqualTo("5");
            assertThat(noted("called")).isEqualTo("x");
            second.close();
        }
    }

    private static TestPlatform host(SqliteBus bus, MemoryStore store, TestMembership group, String name) throws Exception {
        return new TestPlatform(bus, store, group.host(),
                HostAgentConfiguration.defaults(name).withShards(1).withDrainTimeout(Duration.ofSeconds(5)));
    }

    private String noted(String name) throws Exception {
        return Files.exists(notes.resolve(name)) ? Files.readString(notes.resolve(name)) : "";
    }
}
