package dev.sand.hostagent.sim;

import dev.sand.event.InvocationRequest;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a journal partition says, to whoever reads it record by record: the executions that are open in it. */
final class JournalView {
    /** One record of a journal partition. */
    sealed interface Entry {
        long epoch();

        record Claim(long epoch) implements Entry {}

        /** @param torn without what follows from it: only where cause and effects are written apart */
        record Written(Action.Journal journal, long atNs, boolean torn) implements Entry {
            @Override
            public long epoch() {
                return journal.epoch();
            }
        }
    }

    /** An execution that was accepted and has not ended. */
    static final class Open {
        final InvocationRequest request;
        final long offset;
        final long acceptedNs;
        long epoch;
        final TreeMap<Long, Backup> transitions = new TreeMap<>();
        final Map<Backup, Long> times = new IdentityHashMap<>();

        Open(Entry.Written accepted, long offset) {
            this.request = ((Backup.Accepted) accepted.journal().backup()).request();
            this.offset = offset;
            this.acceptedNs = accepted.atNs();
            this.epoch = accepted.epoch();
        }

        /** The records that count, from number 1 on. */
        List<Backup> inOrder(boolean stopsAtGap) {
            List<Backup> found = new ArrayList<>();
            long expected = 1;
            for (Map.Entry<Long, Backup> each : transitions.entrySet()) {
                if (each.getKey() != expected++ && stopsAtGap) {
                    break;
                }
                found.add(each.getValue());
            }
            return found;
        }
    }

    private final Set<Protocol> protocol;
    final Map<String, Open> open = new LinkedHashMap<>();
    private long highestClaim = -1;

    JournalView(Set<Protocol> protocol) {
        this.protocol = protocol;
    }

    /** No claim of a higher epoch is there. */
    boolean isOwned(long epoch) {
        return epoch == highestClaim;
    }

    boolean isVoid(Entry entry) {
        return entry.epoch() < highestClaim && protocol.contains(Protocol.EPOCH_CHECK);
    }

    void read(long offset, Entry entry) {
        if (isVoid(entry)) {
            return;
        }
        switch (entry) {
            case Entry.Claim claim -> highestClaim = Math.max(highestClaim, claim.epoch());
            case Entry.Written written -> read(offset, written);
        }
    }

    private void read(long offset, Entry.Written written) {
        Action.Journal journal = written.journal();
        switch (journal.backup()) {
            case Backup.Accepted _ -> open.putIfAbsent(journal.executionId(), new Open(written, offset));
            case Backup.Ended _ -> open.remove(journal.executionId());
            case Backup.Changed _ -> throw new IllegalStateException("there are no processes here");
            case Backup.Finished _, Backup.Resumed _ -> {
                Open execution = open.get(journal.executionId());
                if (execution != null) {
                    transition(execution, written);
                }
            }
        }
    }

    private void transition(Open execution, Entry.Written written) {
        if (written.epoch() > execution.epoch && protocol.contains(Protocol.HIGHER_EPOCH_REPLACES)) {
            execution.transitions.tailMap(written.journal().sequence(), true).clear();
        }
        execution.epoch = Math.max(execution.epoch, written.epoch());
        Backup backup = written.torn() ? torn(written.journal().backup()) : written.journal().backup();
        execution.transitions.put(written.journal().sequence(), backup);
        execution.times.putIfAbsent(backup, written.atNs());
    }

    /** What one would take a step for that is marked as finished, and whose output was not written any more. */
    private static Backup torn(Backup backup) {
        return backup instanceof Backup.Finished finished && finished.signal() instanceof Signal.TaskSucceeded done
                ? new Backup.Finished(new Signal.TaskSucceeded(done.step(), Script.payload("torn"), List.of(), done.atMs()), List.of())
                : backup;
    }

    Input.Recover recover(Open execution, long nowNs) {
        List<Signal> replay = new ArrayList<>();
        List<Long> agesMs = new ArrayList<>();
        Map<String, Integer> attempts = new LinkedHashMap<>();
        List<Backup> records = execution.inOrder(protocol.contains(Protocol.REPLAY_STOPS_AT_A_GAP));
        for (Backup backup : records) {
            if (backup instanceof Backup.Finished finished) {
                replay.add(finished.signal());
                agesMs.add((nowNs - execution.times.get(backup)) / Dice.MS);
            }
        }
        for (Backup backup : execution.transitions.values()) {
            if (backup instanceof Backup.Resumed resumed) {
                resumed.attempts().forEach((step, attempt) -> attempts.merge(step, attempt, Math::max));
            }
        }
        return new Input.Recover(execution.request, replay, records.size() + 1L, attempts,
                (nowNs - execution.acceptedNs) / Dice.MS, agesMs);
    }

    /** Below it, nothing is needed. */
    long lowWaterMark(long end) {
        if (!protocol.contains(Protocol.LOW_WATER_MARK)) {
            return end;
        }
        long low = end;
        for (Open execution : open.values()) {
            low = Math.min(low, execution.offset);
        }
        return low;
    }
}
