package dev.sand.hostagent.journal;

import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * The changes of processes that the records of one journal partition have: those that no image has for certain. Pure. The first of a
 * higher epoch replaces those of lower ones from its number on, as with executions.
 */
final class ProcessReading {
    private record Name(String process, long createdMs) {}

    /** @param executionId that made it, with its record */
    private record Entry(long epoch, ProcessChange change, String executionId) {
        boolean isLeft() {
            return change.change() instanceof Change.Left;
        }
    }

    private static final class Found {
        final TreeMap<Long, Entry> byNumber = new TreeMap<>();
        /** By base, where the changes behind it begin. */
        final TreeMap<Long, Long> bases = new TreeMap<>();
        final Map<Long, Boolean> values = new HashMap<>();

        boolean isWholeTo(long number) {
            long next = byNumber.firstEntry().getValue().change().base() + 1;
            for (Map.Entry<Long, Entry> each : byNumber.headMap(number, true).entrySet()) {
                if (each.getKey() != next) {
                    return false;
                }
                // It was elsewhere, and is back: an image has all that was before.
                next = each.getValue().isLeft() && byNumber.higherKey(each.getKey()) != null ? byNumber.higherKey(each.getKey())
                        : each.getKey() + 1;
            }
            return true;
        }
    }

    /** Of a change. */
    private record Place(Name name, long epoch, long number) {}

    /** Changes that an image has, with values that may still be there. */
    record Ended(String journalId, long firstOffset) {}

    private final Map<Name, Found> processes = new LinkedHashMap<>();
    private final Map<String, Name> names = new HashMap<>();
    private final List<Ended> ended = new ArrayList<>();
    /** Changes that counted for nobody, since one before them was missing, and that are not kept here any more. */
    private final Set<Place> lost = new HashSet<>();

    /** @param executionId of the record */
    void take(long offset, long epoch, ProcessChange change, String executionId) {
        Name name = new Name(change.process(), change.createdMs());
        Found found = processes.computeIfAbsent(name, added -> new Found());
        names.put(change.journalId(), name);
        found.bases.putIfAbsent(change.base(), offset);
        found.values.merge(change.base(), Values.areGlobal(change), Boolean::logicalOr);
        found.byNumber.tailMap(change.number(), true).values().removeIf(entry -> entry.epoch() < epoch && lost.add(place(name, entry)));
        found.byNumber.putIfAbsent(change.number(), new Entry(epoch, change, executionId));
    }

    private static Place place(Name name, Entry entry) {
        return new Place(name, entry.epoch(), entry.change().number());
    }

    /** Whether that change, of an owner of that epoch, has nothing missing before it; or had when an image had it. */
    boolean counts(long epoch, ProcessChange change) {
        Name name = new Name(change.process(), change.createdMs());
        Found found = processes.get(name);
        Entry entry = found == null ? null : found.byNumber.get(change.number());
        return !lost.contains(new Place(name, epoch, change.number())) && (entry == null || entry.epoch() != epoch || found.isWholeTo(change.number()));
    }

    /** What was journaled under that id is needed no more. */
    void ended(String journalId) {
        Name name = names.remove(journalId);
        Found found = name == null ? null : processes.get(name);
        if (found == null) {
            return;
        }
        long base = Long.parseLong(journalId.substring(journalId.lastIndexOf('.') + 1));
        Long first = found.bases.remove(base);
        if (first != null && found.values.get(base)) {
            ended.add(new Ended(journalId, first));
        }
        List<Entry> gone = found.byNumber.values().stream().filter(entry -> entry.change().base() == base).toList();
        gone.stream().filter(entry -> !found.isWholeTo(entry.change().number())).forEach(entry -> lost.add(place(name, entry)));
        found.byNumber.values().removeAll(gone);
        if (found.bases.isEmpty()) {
            processes.remove(name);
        }
    }

    /** @param isOpen whether an execution is */
    List<Input.RecoverProcess> left(String application, Predicate<String> isOpen) {
        List<Input.RecoverProcess> left = new ArrayList<>();
        processes.forEach((name, found) -> {
            List<ProcessChange> changes = new ArrayList<>();
            Map<String, List<Change.Outgoing>> unsent = new LinkedHashMap<>();
            for (Map.Entry<Long, Entry> each : found.byNumber.entrySet()) {
                Entry entry = each.getValue();
                boolean isGap = !changes.isEmpty() && each.getKey() != changes.getLast().number() + 1;
                if (isGap && changes.getLast().change() instanceof Change.Left) {
                    changes.clear(); // it was elsewhere, and is back: an image has all that was before
                } else if (isGap) {
                    break; // what lies behind a gap was promised to nobody
                }
                changes.add(entry.change());
                if (entry.change().change() instanceof Change.Done done && !done.sends().isEmpty() && isOpen.test(entry.executionId())) {
                    unsent.computeIfAbsent(entry.executionId(), added -> new ArrayList<>()).addAll(done.sends());
                }
            }
            left.add(new Input.RecoverProcess(application, name.process(), name.createdMs(), changes, List.copyOf(found.bases.keySet()),
                    unsent));
        });
        return left;
    }

    /** By journal id, where what is open begins; told of each. */
    void forEachOpen(BiConsumer<String, Long> told) {
        processes.forEach((name, found) -> found.bases.forEach((base, offset) ->
                told.accept(ProcessChange.journalId(name.process(), name.createdMs(), base), offset)));
    }

    /** Those of which values may still be there. */
    List<Ended> endedWithValues() {
        return ended;
    }
}
