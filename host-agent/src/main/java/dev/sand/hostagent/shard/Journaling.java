package dev.sand.hostagent.shard;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Gives a shard's records to the journal, also while the group cannot be heard; what waits for the bus is not kept waiting then. */
final class Journaling {
    /** An acceptance that the bus has not confirmed for so long fails when the group is not heard either. */
    private static final Duration ACCEPT_PATIENCE = Duration.ofSeconds(2);
    private static final Duration SURE_AGAIN = Duration.ofMillis(100);
    private static final Failure GIVEN = Failure.mayHaveRun(Errors.UNAVAILABLE, "the global bus is away, and has not confirmed it; come back later");

    private final Shard shard;
    private final ShardAdapters adapters;

    Journaling(Shard shard, ShardAdapters adapters) {
        this.shard = shard;
        this.adapters = adapters;
    }

    void journal(Action.Journal journal) {
        if (!adapters.slots().holds(journal.slot(), journal.epoch())) {
            adapters.withheld().count(Withheld.Effect.BACKUP);
            return;
        }
        JournalAdapter.AppendListener listener = journal.await() == Action.Await.NO ? null : failure -> journaled(journal, failure);
        if (journal.sequence() == 0 && journal.awaited()) {
            if (!adapters.slots().mayAct()) {
                listener.onAppended(ActionPerformer.AWAY);
                return;
            }
            listener = impatient(listener);
        }
        adapters.journal().append(new JournalAdapter.Entry(journal.application(), journal.executionId(), journal.slot(),
                journal.epoch(), journal.sequence(), journal.backup(), journal.await(), journal.process(),
                journal.carried() == null ? null : journal.carried().change()), listener);
    }

    /** Told on the bus's thread: a record counts only when it did not come behind another owner's claim. */
    private void journaled(Action.Journal journal, Failure failure) {
        if (!adapters.slots().holds(journal.slot(), journal.epoch())) {
            return; // SlotLost comes
        }
        if (failure == null && !adapters.slots().mayAct()) {
            shard.after(SURE_AGAIN, () -> journaled(journal, null));
        } else {
            shard.submit(journal.carried() != null ? new Input.ChangeJournaled(journal.carried(), failure)
                    : new Input.Journaled(journal.executionId(), journal.sequence(), failure));
        }
    }

    /** Who waits to be accepted is not kept waiting once the bus is known to be away; the record may be in it all the same. */
    private JournalAdapter.AppendListener impatient(JournalAdapter.AppendListener listener) {
        AtomicBoolean answered = new AtomicBoolean();
        shard.after(ACCEPT_PATIENCE, () -> refuseWhenAway(listener, answered));
        return failure -> {
            if (answered.compareAndSet(false, true)) {
                listener.onAppended(failure);
            }
        };
    }

    private void refuseWhenAway(JournalAdapter.AppendListener listener, AtomicBoolean answered) {
        if (answered.get()) {
            return;
        }
        if (adapters.slots().mayAct()) {
            shard.after(ACCEPT_PATIENCE, () -> refuseWhenAway(listener, answered));
        } else if (answered.compareAndSet(false, true)) {
            listener.onAppended(GIVEN);
        }
    }
}
