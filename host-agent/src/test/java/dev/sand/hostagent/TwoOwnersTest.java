package dev.sand.hostagent;

import static dev.sand.hostagent.ProcessHosts.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Errors;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessView;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two hosts that both take themselves for the owner of a cloud process: the first was paused, or cut off, while the second took over, and
 * goes on where it was. What it still does to the process counts for nobody, and nobody is told that it does.
 */
@Tag("slow")
class TwoOwnersTest {
    @TempDir
    Path folder;
    private ProcessHosts hosts;

    @BeforeEach
    void start() throws Exception {
        hosts = new ProcessHosts(folder);
        hosts.ask(hosts.a, "large", "7");
        hosts.ask(hosts.a, "tell", "\"x\"");
        hosts.ask(hosts.a, "tell", "\"y\"");
        hosts.group.remember();
    }

    @AfterEach
    void stop() throws Exception {
        hosts.close();
    }

    /** @param goesOn it hears nothing of the others, and is not paused */
    private void takeOver(boolean goesOn) {
        hosts.first.goingOn = goesOn;
        hosts.first.acting = false;
        hosts.group.giveAll("b");
    }

    private void functionInItsMiddle(boolean goesOn) throws Exception {
        hosts.hold();
        CompletableFuture<InvocationResult> late = hosts.start(hosts.a, "take", "null");
        hosts.awaitBegun(1);
        takeOver(goesOn);
        hosts.awaitBegun(2);
        hosts.letGo();
        await("the end of the one that counts").atMost(ProcessHosts.PATIENCE).until(() -> hosts.all(hosts.b).contains("],[\"x\"],[\"x\"]"));
        assertThat(hosts.all(hosts.b)).isEqualTo(told("\"x\"", "\"x\"", "", "", 7));
        hosts.group.lose("a");
        InvocationResult told = late.get(60, TimeUnit.SECONDS);
        assertThat(told.failure()).as("%s", told).isNotNull();
        assertThat(told.failure().error()).isEqualTo(Errors.MOVED);
        assertThat(hosts.all(hosts.b)).isEqualTo(told("\"x\"", "\"x\"", "", "", 7));
    }

    @Test
    void aFunctionOfAPausedOneEndsForNobody() throws Exception {
        functionInItsMiddle(false);
    }

    @Test
    void aFunctionOfOneThatIsCutOffEndsForNobody() throws Exception {
        functionInItsMiddle(true);
    }

    @Test
    void theImageOfAPausedOneReplacesNothing() throws Exception {
        StoreGate chunks = new StoreGate("writeAll");
        hosts.a.onImageCall = chunks;
        CompletableFuture<ProcessView> late = hosts.command(hosts.a, Kind.SWAP_OUT);
        chunks.awaitCall();
        takeOver(true);
        hosts.ask(hosts.b, "large", "9");
        assertThat(hosts.ask(hosts.b, "take", "null")).isEqualTo("\"x\"");
        assertThat(hosts.command(hosts.b, Kind.SWAP_OUT).get(60, TimeUnit.SECONDS).status()).isEqualTo("swapped");
        chunks.open();
        assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS)).as("it is told so").isNotNull();
        assertThat(hosts.all(hosts.b)).isEqualTo(told("\"x\"", "\"x\"", "\"x\"", "\"y\"", 9));
        hosts.group.lose("a");
        InvocationResult asked = hosts.start(hosts.a, "all", "null").get(60, TimeUnit.SECONDS);
        assertThat(asked.failure().error()).isEqualTo(Errors.MOVED);
    }
}
