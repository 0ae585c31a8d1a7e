package dev.sand.hostagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.GlobalStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a host that is told of a deletion leaves alone, and what it waits for. */
@Tag("slow")
class DeletedApplicationTest {
    private final CompletableFuture<Void> held = new CompletableFuture<>();
    private TestPlatform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new TestPlatform();
    }

    @AfterEach
    void close() throws Exception {
        held.complete(null);
        platform.close();
    }

    @Test
    void aHostThatIsToldLateLeavesTheNextApplicationOfThatNameAlone() throws Exception {
        ApplicationVersion old = platform.deploy("again", Map.of("echo", "def handle(event, context):\n    return event\n"));
        platform.invoke(old, "echo", "1");
        ApplicationVersion next = platform.deploy("again", Map.of("wait", """
                import time
                def handle(event, context):
                    context.data.put("begun", True)
                    while context.data.get("go") is None:
                        time.sleep(0.05)
                    return "next"
                """));
        CompletableFuture<InvocationResult> running = platform.start(next, "wait", "1", 60_000);
        while (platform.data.get("again", "begun").version() == 0) {
            assertThat(running).isNotDone();
        }
        platform.agent.deleteApplication("again", old.version()).get(60, TimeUnit.SECONDS);
        assertThat(platform.data.get("again", "begun").version()).as("data of the next one").isPositive();
        assertThat(platform.invoke(old, "echo", "1").failure().error()).isEqualTo(Errors.NOT_FOUND);
        platform.data.put("again", "go", Payload.json("1".getBytes()), GlobalStore.ANY);
        assertThat(TestPlatform.text(running.get(60, TimeUnit.SECONDS))).isEqualTo("\"next\"");
    }

    @Test
    void aDeletionWaitsForWhatIsBeingWritten() throws Exception {
        ApplicationVersion version = platform.deploy("writing",
                Map.of("put", "def handle(event, context):\n    context.data.put('late', 1)\n"));
        CompletableFuture<Void> writing = new CompletableFuture<>();
        platform.data.listen((application, key, operation) -> {
            writing.complete(null);
            held.join();
            return null;
        });
        CompletableFuture<InvocationResult> running = platform.start(version, "put", "1", 60_000);
        writing.get(60, TimeUnit.SECONDS);
        CompletableFuture<Void> deleted = platform.agent.deleteApplication("writing", version.version());
        assertThat(running.get(60, TimeUnit.SECONDS).status()).isEqualTo(Status.CANCELLED);
        assertThatThrownBy(() -> deleted.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
        held.complete(null);
        deleted.get(60, TimeUnit.SECONDS);
        assertThat(platform.data.get("writing", "late").version()).as("whoever removes its data now finds it").isPositive();
    }
}
