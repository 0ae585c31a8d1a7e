package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Entry;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.workflow.Execution.Signal;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Values of a process's changes that are beside their records: each is found again as it was. */
class ProcessValuesTest extends BusJournalFixture {
    private static final int SLOT = Slots.of("p", 2);
    private static final int LARGE = 300_000;
    private static final int MIDDLE = 5_600;

    private final AtomicInteger durable = new AtomicInteger();

    private void give(String executionId, long sequence, Backup backup, long number, Change change) {
        journal.append(new Entry("app", executionId, SLOT, epoch, sequence, backup, Await.YES, "p", new ProcessChange("p", 5, 0, number, change)),
                failure -> durable.addAndGet(failure == null ? 1 : 0));
    }

    private static byte[] filled(int size, int with) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    /** Each is the first record of its own execution behind its beginning, and all of them are of one process. */
    @Test
    void valuesOfTheEndsOfManyFunctionsAreKeptApart() {
        give(ProcessChange.journalId("p", 5, 0), 1, new Backup.Changed(), 1, new Change.Made(1, 0, 0));
        for (int i = 0; i < 4; i++) {
            Payload large = segments.put("app", "e" + i, new Payload(Payload.OCTETS, filled(LARGE, i), null));
            Payload middle = new Payload(Payload.OCTETS, filled(MIDDLE, i), null);
            Payload sent = new Payload(Payload.OCTETS, filled(MIDDLE, 10 + i), null);
            give("e" + i, 1, new Backup.Finished(new Signal.TaskSucceeded("g", Payload.nullJson(), List.of(), 2), List.of()), 2 + i,
                    new Change.Done(List.of(new StateWrite("large", large), new StateWrite("middle" + i, middle)), List.of(),
                            List.of(new Change.Outgoing("e" + i + "/g", 0, "p", "q", "k", sent))));
        }
        await().until(() -> durable.get() == 5);
        restart();
        List<ProcessChange> changes = journal.take(SLOT, epoch, () -> true).processes().getFirst().changes();
        assertThat(changes).hasSize(5);
        for (int i = 0; i < 4; i++) {
            assertThat(changes.get(1 + i).change().values().stream().map(value -> copies.bytes("app", value.reference())).toList())
                    .containsExactly(filled(LARGE, i), filled(MIDDLE, i), filled(MIDDLE, 10 + i));
        }
    }
}
