package dev.sand.hostagent;

import static dev.sand.hostagent.ProcessHosts.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.StoreException;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.ProcessSpec;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The global data layer goes in the middle of a swap, when some chunks are written and others are not: the process stays here with all
 * that it had, works on, and is swapped out once the store is back; another host then has all of it.
 */
@Tag("slow")
class SwapsWithoutStoreTest {
    private static final ProcessSpec SOON = new ProcessSpec(4, 1_000, 10_000, 64L << 20, 256L << 20, 50, 300, Map.of());

    @TempDir
    Path folder;
    private ProcessHosts hosts;

    @BeforeEach
    void start() throws Exception {
        hosts = new ProcessHosts(folder, SOON);
    }

    @AfterEach
    void stop() throws Exception {
        hosts.close();
    }

    /** From its second write of chunks on the store does not answer. */
    private static final class Going implements Consumer<String> {
        final AtomicInteger writes = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();

        @Override
        public void accept(String call) {
            if (writes.get() > 1 || call.equals("writeAll") && writes.incrementAndGet() > 1) {
                refused.incrementAndGet();
                throw new StoreException(StoreException.Kind.AWAY, "the store does not answer", 0, null);
            }
        }
    }

    @Test
    void itStaysWorksOnAndLeavesOnceTheStoreIsBack() throws Exception {
        hosts.ask(hosts.a, "large", "7");
        Going going = new Going();
        hosts.a.onImageCall = going;
        hosts.ask(hosts.a, "tell", "\"x\"");
        hosts.ask(hosts.a, "tell", "\"y\"");
        await("a swap for being idle, which fails").atMost(ProcessHosts.PATIENCE).until(() -> going.refused.get() > 0);
        assertThat(going.writes.get()).as("in the middle of its chunks").isEqualTo(2);
        assertThatThrownBy(() -> hosts.command(hosts.a, Kind.SWAP_OUT).get(60, TimeUnit.SECONDS)).hasMessageContaining("does not answer");
        assertThat(hosts.status(hosts.a)).as("it stays").isNotEqualTo("swapped");
        assertThat(hosts.ask(hosts.a, "take", "null")).as("and works on").isEqualTo("\"x\"");
        hosts.ask(hosts.a, "large", "9");
        int before = going.refused.get();
        await("further tries").atMost(ProcessHosts.PATIENCE).until(() -> going.refused.get() > before);
        hosts.a.onImageCall = call -> { };
        await("the swap, which nobody asks for").atMost(ProcessHosts.PATIENCE).until(() -> hosts.status(hosts.a).equals("swapped"));
        hosts.die();
        assertThat(hosts.all(hosts.b)).isEqualTo(told("\"x\"", "\"x\"", "\"x\"", "\"y\"", 9));
    }

    @Test
    void whatItHadIsInTheJournalThoughItsHostDiesInTheMiddle() throws Exception {
        hosts.ask(hosts.a, "large", "7");
        assertThat(hosts.command(hosts.a, Kind.CHECKPOINT).get(60, TimeUnit.SECONDS).checkpoints()).isOne();
        Going going = new Going();
        hosts.a.onImageCall = going;
        hosts.ask(hosts.a, "large", "9");
        hosts.ask(hosts.a, "tell", "\"x\"");
        await("a swap, which fails").atMost(ProcessHosts.PATIENCE).until(() -> going.refused.get() > 0);
        hosts.die();
        assertThat(hosts.all(hosts.b)).as("behind the image that was whole").isEqualTo(told("", "", "", "\"x\"", 9));
    }
}
