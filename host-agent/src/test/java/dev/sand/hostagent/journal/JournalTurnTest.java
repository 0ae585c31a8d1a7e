package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.MemoryBus;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which records a shard writes itself; the journal's thread, which would take the others, is not there. */
class JournalTurnTest {
    private static final Change DONE = new Change.Done(List.of(), List.of(), List.of());

    private final EmbeddedBus bus = new EmbeddedBus(new MemoryBus());
    private final JournalPartitions partitions = new JournalPartitions(bus, 2);
    private final JournalQueue queue = new JournalQueue(Duration.ofDays(1).toNanos(), 2);
    private final AtomicLong nowNs = new AtomicLong();
    private final List<String> taken = new ArrayList<>();
    private boolean hasOther;
    private JournalTurn turn = turn(bus);

    private JournalTurn turn(GlobalBus on) {
        return new JournalTurn(on, queue, partitions, () -> !hasOther, batch -> batch.forEach(given -> taken.add(given.executionId())),
                nowNs::get);
    }

    @BeforeEach
    void known() {
        queue.consumedBy(Thread.currentThread());
        partitions.of("app", 0);
    }

    private void give(String application, String id, Await await, Change change, int bytes) {
        Payload value = new Payload(Payload.OCTETS, new byte[1], null);
        turn.give(new Given(new Entry(application, id, 0, 1, 1, BusJournalFixture.succeeded("g", value), await, "p",
                change == null ? null : new ProcessChange("p", 5, 0, 1, change)), bytes, failure -> { }, null, false));
    }

    private void end(String id) {
        give("app", id, Await.IN_BUS, DONE, 1000);
    }

    @Test
    void theEndOfAFunctionIsWrittenByWhoGivesItWithWhatCameBefore() {
        give("app", "before", Await.NO, null, 1000);
        assertThat(taken).isEmpty();
        end("end");
        assertThat(taken).containsExactly("before", "end");
    }

    @Test
    void whatNobodyGoesOnWithIsTheThreads() {
        give("app", "message", Await.IN_BUS, new Change.Arrived("s", 0, "q", "k", Payload.nullJson()), 1000);
        give("app", "for the disk", Await.YES, DONE, 1000);
        give("app", "nobody waits", Await.IF_WRITTEN, DONE, 1000);
        assertThat(taken).isEmpty();
    }

    @Test
    void whatMayTakeLongIsTheThreads() {
        give("app", "large", Await.IN_BUS, DONE, 1 << 20);
        assertThat(queue.take()).hasSize(1);
        give("new", "its topic is to be made", Await.IN_BUS, DONE, 1000);
        assertThat(queue.take()).hasSize(1);
        for (int i = 0; i < 20; i++) {
            give("app", "many", Await.NO, null, 1000);
        }
        end("behind them");
        assertThat(queue.take()).hasSize(21);
        hasOther = true;
        end("the thread has something else to do");
        assertThat(taken).isEmpty();
        assertThat(queue.take()).hasSize(1);
    }

    @Test
    void whereABrokerMayBlockItIsTheThreads() {
        turn = turn(new BusOver(bus));
        end("end");
        assertThat(taken).isEmpty();
    }

    @Test
    void whoIsToldOfARecordGivesTheThreadTheNext() {
        bus.meanwhile = () -> end("next");
        end("first");
        assertThat(taken).containsExactly("first");
        assertThat(queue.take()).extracting(Given::executionId).containsExactly("next");
    }

    @Test
    void onceAShardWasHeldUpTheThreadHasAllForAWhile() {
        bus.meanwhile = () -> nowNs.addAndGet(50_000_000);
        end("slow");
        bus.meanwhile = () -> { };
        end("at once");
        nowNs.addAndGet(900_000_000);
        end("later");
        assertThat(taken).containsExactly("slow");
        assertThat(queue.take()).hasSize(2);
        nowNs.addAndGet(100_000_000);
        end("much later");
        assertThat(taken).containsExactly("slow", "much later");
    }
}
