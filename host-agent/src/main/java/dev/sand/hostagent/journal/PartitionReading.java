package dev.sand.hostagent.journal;

import dev.sand.event.InvocationRequest;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the records of one journal partition say: executions that were accepted and have not ended, each with what it got to
 * know (SAND 4.2.1). Pure; given one record after the other, in the partition's order. A record of a lower epoch than one before
 * it was written by an owner that did not know that it was none any more: it is void. Records of one execution are put in order
 * of their numbers, for one may have been sent again; the first of a higher epoch replaces those of lower ones from its number
 * on; and what lies behind a number that is missing does not count.
 */
final class PartitionReading {
    /** One execution as its records tell it. */
    static final class Found {
        InvocationRequest request;
        final long firstOffset;
        private final long acceptedMs;
        private final TreeMap<Long, JournalRecord> byNumber = new TreeMap<>();
        /** When the bus took the records, by its clock. */
        private final Map<JournalRecord, Long> times = new IdentityHashMap<>();
        private final TreeMap<Long, JournalRecord> storing = new TreeMap<>();
        private final Map<String, Integer> attempts = new HashMap<>();
        private final ProcessReading processes;
        /** With which messages made it, or null. */
        private final ProcessChange made;
        private boolean values;

        private Found(Backup.Accepted accepted, ProcessReading processes, ProcessChange made, long firstOffset, long acceptedMs) {
            this.processes = processes;
            this.made = made;
            this.acceptedMs = acceptedMs;
            this.request = accepted.request();
            this.firstOffset = firstOffset;
            this.values = Values.areGlobal(accepted);
        }

        /** Its input was left out, and here it is: of an execution that was promised after all, or that a later owner began anew. */
        private boolean lacks(Backup.Accepted accepted) {
            return request.input().isNotKept() && !accepted.request().input().isNotKept();
        }

        private void bring(Backup.Accepted accepted, JournalRecord record) {
            request = accepted.request();
            values |= Values.areGlobal(accepted);
            replace(storing, record.sequence(), record);
            replace(byNumber, record.sequence(), record);
        }

        /** It has values in the global data layer. */
        boolean hasValues() {
            return values;
        }

        private void add(JournalRecord record, long atMs) {
            times.put(record, atMs);
            // Records of the platform of one host were sent once and in order, and each restart counted anew.
            long number = record.schema() == 1 ? byNumber.size() + 1L : record.sequence();
            replace(storing, number, record);
            if (record.isStoring()) {
                storing.put(number, record);
                values = true;
                return;
            }
            replace(byNumber, number, record);
            storing.remove(number);
            if (record.attempts() != null) { // whatever became of what follows: they were begun
                record.attempts().forEach((step, attempt) -> attempts.merge(step, attempt, Math::max));
            }
            byNumber.putIfAbsent(number, record);
            values |= Values.areGlobal(record.backup());
        }

        private static void replace(TreeMap<Long, JournalRecord> records, long number, JournalRecord by) {
            records.tailMap(number, true).values().removeIf(record -> record.epoch() < by.epoch());
        }

        /** The flag that is the last word: its values may be in the global data layer, or not; null: there is none. */
        JournalRecord storing() {
            return storing.get(next());
        }

        /** What the flag that is the last word said is so: its values are there. */
        void stored(JournalRecord finished) {
            add(finished, times.get(storing()));
        }

        private long next() {
            long next = 1;
            while (byNumber.containsKey(next)) {
                next++;
            }
            return next;
        }

        /** @param claimMs, claimNs of the new owner, see {@link Ages} */
        Unfinished unfinished(long claimMs, long claimNs) {
            long next = next();
            List<Signal> signals = new ArrayList<>();
            List<Long> signalsMs = new ArrayList<>();
            Input.Changed changed = made == null ? null : changed(made, number(made), 0, 0);
            for (JournalRecord record : byNumber.headMap(next).values()) {
                ProcessChange change = record.change() == null ? null : record.change().change();
                ProcessReading.Word word = change == null ? ProcessReading.Word.COUNTS : processes.word(change, request.executionId());
                if (word == ProcessReading.Word.VOID) {
                    next = record.sequence(); // nobody was told of that end
                    break;
                } else if (word == ProcessReading.Word.UNSURE) {
                    changed = changed(change, changed == null ? 0 : changed.made(), change.number(), record.sequence());
                }
                switch (record.backup()) {
                    case Backup.Finished finished -> {
                        signals.add(finished.signal());
                        signalsMs.add(times.get(record));
                    }
                    case Backup.Resumed _ -> { }
                    case Backup.Accepted _, Backup.Ended _, Backup.Changed _ -> throw new IllegalStateException("no step: " + record.kind());
                }
            }
            return new Unfinished(request, signals, next, Map.copyOf(attempts), new Ages(acceptedMs, signalsMs, claimMs, claimNs), changed);
        }

        private long number(ProcessChange change) {
            return switch (processes.word(change, request.executionId())) {
                case COUNTS -> 0;
                case VOID -> Input.Changed.VOID;
                case UNSURE -> change.number();
            };
        }

        private static Input.Changed changed(ProcessChange of, long made, long ended, long endAt) {
            return new Input.Changed(of.createdMs(), made, ended, endAt);
        }
    }

    private final ProcessReading processes = new ProcessReading();
    private final Map<String, Found> open = new LinkedHashMap<>();
    private final List<Found> ended = new ArrayList<>();
    /** Of executions whose beginning the bus took later. */
    private final Map<String, List<JournalRecord>> early = new HashMap<>();
    private long epoch;
    private long voided;
    private long claimMs;

    /** @param atMs when the bus took it, by its clock; 0: not known */
    void take(long offset, long atMs, JournalRecord record) {
        if (record.epoch() < epoch) {
            voided++;
            return;
        }
        epoch = record.epoch();
        if (record.isClaim()) {
            claimMs = atMs;
            return;
        }
        String id = record.executionId();
        if (record.change() != null) {
            processes.take(offset, record.epoch(), record.change().change(), id);
        }
        Found found = open.get(id);
        switch (record.backup()) {
            case Backup.Accepted accepted -> {
                // Of a redriven execution that had ended the end may be missing: its record had it.
                if (found == null || accepted.request().redrives() > found.request.redrives()) {
                    Found added = new Found(accepted, processes, record.change() == null ? null : record.change().change(), offset, atMs);
                    open.put(id, added);
                    early.getOrDefault(id, List.of()).forEach(each -> added.add(each, atMs));
                } else if (found.lacks(accepted)) {
                    found.bring(accepted, record);
                }
            }
            case Backup.Finished _, Backup.Resumed _ -> {
                if (found != null) {
                    found.add(record, atMs);
                } else if (record.change() != null) { // its process has it: should its beginning come later, it is not to run again
                    early.computeIfAbsent(id, added -> new ArrayList<>(1)).add(record);
                } // else its beginning was not backed up: then nobody was promised anything
            }
            case Backup.Changed _ -> { }
            case Backup.Ended _ when ProcessChange.processOf(id) != null ->
                    processes.ended(id, record.sequence(), this::isUnended);
            case Backup.Ended _ -> {
                if (found != null && found.values) {
                    ended.add(found);
                }
                open.remove(id);
                early.remove(id);
                processes.executionEnded(id);
            }
        }
    }

    ProcessReading processes() {
        return processes;
    }

    boolean isOpen(String executionId) {
        return open.containsKey(executionId);
    }

    /** What it sent with its end may not be given, though its beginning be not there. */
    boolean isUnended(String executionId) {
        return isOpen(executionId) || early.containsKey(executionId);
    }

    Iterable<Found> open() {
        return open.values();
    }

    /** Executions that are over, with values that may still be there. */
    List<Found> endedWithValues() {
        ended.removeIf(each -> open.containsKey(each.request.executionId())); // redriven: they go at its end
        return ended;
    }

    /** The highest epoch seen. */
    long epoch() {
        return epoch;
    }

    /** When the bus took the last claim, by its clock. */
    long claimMs() {
        return claimMs;
    }

    /** Records of owners that were none any more. */
    long voided() {
        return voided;
    }
}
