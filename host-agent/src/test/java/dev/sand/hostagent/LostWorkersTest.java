package dev.sand.hostagent;

import static dev.sand.hostagent.ProcessHosts.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Errors;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessCommand;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * SIGKILL of a worker, and of a function's own process, in the middle of a function that has changed its cloud process, and while that is
 * swapped out, swapped in and moved to another host: what the function did counts once, or not at all.
 */
@Tag("slow")
class LostWorkersTest {
    enum Killed { WORKER, FUNCTION }

    @TempDir
    Path folder;
    private ProcessHosts hosts;
    /** Of the function that is in its middle. */
    private long pid;

    @BeforeEach
    void start() throws Exception {
        hosts = new ProcessHosts(folder);
    }

    @AfterEach
    void stop() throws Exception {
        hosts.close();
    }

    private void kill(Killed what) throws Exception {
        ProcessHandle killed = what == Killed.WORKER ? hosts.a.process("app", "worker", "take", 0)
                : hosts.a.process("app", "instance", "take", pid);
        assertThat(killed.destroyForcibly()).isTrue();
        await().atMost(ProcessHosts.PATIENCE).until(() -> !killed.isAlive());
    }

    /** A function that has taken x, and is in its middle. */
    private CompletableFuture<InvocationResult> takesX() throws Exception {
        hosts.ask(hosts.a, "large", "7");
        hosts.ask(hosts.a, "tell", "\"x\"");
        hosts.ask(hosts.a, "tell", "\"y\"");
        hosts.hold();
        CompletableFuture<InvocationResult> taking = hosts.start(hosts.a, "take", "null");
        pid = hosts.awaitBegun(1);
        return taking;
    }

    /** It runs again, or has failed and did nothing, but for what it sent: then somebody else takes what it gave back. */
    private void endsOnce(Killed what, CompletableFuture<InvocationResult> taking, TestPlatform on, int slot) throws Exception {
        InvocationResult end = taking.get(90, TimeUnit.SECONDS);
        if (what == Killed.WORKER) {
            assertThat(TestPlatform.text(end)).isEqualTo("\"x\"");
            assertThat(hosts.ask(on, "all", "null", slot).replace(" ", "")).isEqualTo(told("\"x\"", "\"x\"", "\"x\"", "\"y\"", 7));
        } else {
            assertThat(end.failure().error()).isEqualTo(Errors.CRASHED);
            assertThat(hosts.ask(on, "all", "null", slot).replace(" ", "")).as("nothing, and x is before y again")
                    .isEqualTo(told("", "", "\"x\"", "\"x\",\"y\"", 7));
        }
    }

    @ParameterizedTest
    @EnumSource
    void inTheMiddleOfAFunction(Killed what) throws Exception {
        CompletableFuture<InvocationResult> taking = takesX();
        kill(what);
        if (what == Killed.WORKER) {
            hosts.awaitBegun(2);
        }
        hosts.letGo();
        endsOnce(what, taking, hosts.a, ProcessHosts.home());
    }

    @ParameterizedTest
    @EnumSource
    void whileItIsToBeSwappedOut(Killed what) throws Exception {
        CompletableFuture<InvocationResult> taking = takesX();
        CompletableFuture<ProcessView> swapped = hosts.command(hosts.a, Kind.SWAP_OUT);
        assertThat(hosts.status(hosts.a)).isEqualTo("active");
        kill(what);
        if (what == Killed.WORKER) {
            hosts.awaitBegun(2);
            assertThat(swapped).as("the function runs again first").isNotDone();
        }
        hosts.letGo();
        assertThat(swapped.get(90, TimeUnit.SECONDS).status()).isEqualTo("swapped");
        endsOnce(what, taking, hosts.a, ProcessHosts.home());
    }

    @ParameterizedTest
    @EnumSource
    void whileItIsToGoToAnotherHost(Killed what) throws Exception {
        CompletableFuture<InvocationResult> taking = takesX();
        int slot = (ProcessHosts.home() + 1) % hosts.group.host().slots();
        hosts.group.move(slot, "b");
        CompletableFuture<ProcessView> moved = hosts.a.agent.process(ProcessCommand.migrate("app", 1, "p", slot));
        hosts.status(hosts.a); // behind which the migration has begun
        kill(what);
        if (what == Killed.WORKER) {
            hosts.awaitBegun(2);
            assertThat(moved).as("the function runs again first").isNotDone();
        }
        hosts.letGo();
        assertThat(moved.get(90, TimeUnit.SECONDS).slot()).isEqualTo(slot);
        endsOnce(what, taking, hosts.b, slot);
    }

    /** Of three steps in which nothing of it runs: the worker that dies then is nobody's loss, and the next function has a new one. */
    @Test
    void whileItsImageIsWrittenAndRead() throws Exception {
        hosts.ask(hosts.a, "large", "7");
        hosts.ask(hosts.a, "tell", "\"x\"");
        StoreGate chunks = new StoreGate("writeAll");
        hosts.a.onImageCall = chunks;
        CompletableFuture<ProcessView> swapped = hosts.command(hosts.a, Kind.SWAP_OUT);
        chunks.awaitCall();
        kill(Killed.WORKER);
        chunks.open();
        assertThat(swapped.get(90, TimeUnit.SECONDS).status()).isEqualTo("swapped");
        hosts.ask(hosts.a, "tell", "\"y\"");
        assertThat(hosts.command(hosts.a, Kind.SWAP_OUT).get(90, TimeUnit.SECONDS).status()).isEqualTo("swapped");
        StoreGate reads = new StoreGate("get");
        hosts.a.onImageCall = reads;
        CompletableFuture<InvocationResult> taking = hosts.start(hosts.a, "take", "null");
        reads.awaitCall();
        kill(Killed.WORKER);
        reads.open();
        assertThat(TestPlatform.text(taking.get(90, TimeUnit.SECONDS))).isEqualTo("\"x\"");
        int slot = (ProcessHosts.home() + 1) % hosts.group.host().slots();
        hosts.group.move(slot, "b");
        StoreGate leaving = new StoreGate("put");
        hosts.a.onImageCall = leaving;
        CompletableFuture<ProcessView> moved = hosts.a.agent.process(ProcessCommand.migrate("app", 1, "p", slot));
        leaving.awaitCall();
        kill(Killed.WORKER);
        leaving.open();
        assertThat(moved.get(90, TimeUnit.SECONDS).slot()).isEqualTo(slot);
        assertThat(hosts.ask(hosts.b, "all", "null", slot).replace(" ", "")).isEqualTo(told("\"x\"", "\"x\"", "\"x\"", "\"y\"", 7));
    }
}
