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
    private record Entry(long epoch, ProcessChange change, String executionId) {}

    private static final class Found {
        final TreeMap<Long, Entry> byNumber = new TreeMap<>();
        /** By base, where the changes behind it begin. */
        final TreeMap<Long, Long> bases = new TreeMap<>();
        final Map<Long, Boolean> values = new HashMap<>();

        /** As last told; null: there are others since. Who asks asks for each open execution. */
        private List<Entry> whole;

        void changed() {
            whole = null;
        }

        /** Those without a gap. */
        List<Entry> whole() {
            whole = whole == null ? withoutGap() : whole;
            return whole;
        }

        boolean isGone() {
            return !whole().isEmpty() && (whole.getLast().change().change() instanceof Change.Killed
                    || whole.getLast().change().change() instanceof Change.Left);
        }

        private List<Entry> withoutGap() {
            List<Entry> whole = new ArrayList<>();
            for (Entry entry : byNumber.values()) {
                boolean isGap = !whole.isEmpty() && entry.change().first() != whole.getLast().change().number() + 1;
                if (isGap && (whole.getLast().change().change() instanceof Change.Left || isFirstBehindItsImage(entry))) {
                    whole.clear(); // it was elsewhere, and is back; or those between are ended: an image has all that was before
                } else if (isGap) {
                    break; // what lies behind a gap was promised to nobody
                }
                whole.add(entry);
            }
            return whole;
        }

        /** All before it were there when that image was begun: when they are not, they have been let go. */
        private static boolean isFirstBehindItsImage(Entry entry) {
            return entry.change().first() == entry.change().base() + 1;
        }
    }

    private record Imaged(Name name, long number) {}

    /** Whether a change counts; that the image is to tell: UNSURE. */
    enum Word { COUNTS, VOID, UNSURE }

    /** Changes that an image has, with values that may still be there. */
    record Ended(String journalId, long firstOffset) {}

    private final Map<Name, Found> processes = new LinkedHashMap<>();
    private final Map<String, Name> names = new HashMap<>();
    /** By id, when the last of it was made. */
    private final Map<String, Long> newest = new HashMap<>();
    private final List<Ended> ended = new ArrayList<>();
    /** By execution that is open, those of its changes that an image has. */
    private final Map<String, Set<Imaged>> imaged = new HashMap<>();

    /** @param executionId of the record */
    void take(long offset, long epoch, ProcessChange change, String executionId) {
        Name name = new Name(change.process(), change.createdMs());
        Found found = processes.computeIfAbsent(name, added -> new Found());
        names.put(change.journalId(), name);
        newest.merge(change.process(), change.createdMs(), Math::max);
        found.changed();
        found.bases.putIfAbsent(change.base(), offset);
        found.values.merge(change.base(), Values.areGlobal(change), Boolean::logicalOr);
        found.byNumber.tailMap(change.first(), true).values().removeIf(entry -> entry.epoch() < epoch);
        found.byNumber.putIfAbsent(change.number(), new Entry(epoch, change, executionId));
    }

    /**
     * What was journaled under that id is needed no more.
     *
     * @param number of the first change that whoever ended it did not have; it had all before, whether or not they are still there
     * @param isOpen whether an execution is, whose changes are to be known as counting still
     */
    void ended(String journalId, long number, Predicate<String> isOpen) {
        Name name = names.remove(journalId);
        Found found = name == null ? null : processes.get(name);
        if (found == null) {
            return;
        }
        found.changed();
        long base = Long.parseLong(journalId.substring(journalId.lastIndexOf('.') + 1));
        Long first = found.bases.remove(base);
        if (first != null && found.values.get(base)) {
            ended.add(new Ended(journalId, first));
        }
        found.byNumber.headMap(number).values().stream().filter(entry -> isOpen.test(entry.executionId())).forEach(entry ->
                imaged.computeIfAbsent(entry.executionId(), added -> new HashSet<>(2)).add(new Imaged(name, entry.change().number())));
        found.byNumber.headMap(number).clear(); // of other bases too, whose own end may not be there
        found.byNumber.values().removeIf(entry -> entry.change().base() == base);
        if (found.bases.isEmpty()) {
            processes.remove(name);
        }
    }

    /** The execution is over. */
    void executionEnded(String executionId) {
        imaged.remove(executionId);
    }

    /** What is known of a change that an execution has made. */
    Word word(ProcessChange change, String executionId) {
        Name name = new Name(change.process(), change.createdMs());
        Found found = processes.get(name);
        if (imaged.getOrDefault(executionId, Set.of()).contains(new Imaged(name, change.number()))) {
            return Word.COUNTS;
        }
        Entry entry = found == null ? null : found.byNumber.get(change.number());
        if (entry == null || !entry.executionId().equals(executionId)) {
            return Word.VOID; // a later owner did not have it
        }
        List<Entry> whole = found.whole();
        if (isFollowed(name) && !found.isGone()) {
            return Word.VOID; // its beginning never was there: the next of its name would not have been made
        }
        if (change.number() > whole.getLast().change().number()) {
            return Word.VOID;
        }
        return change.number() < whole.getFirst().change().number() ? Word.COUNTS : Word.UNSURE;
    }

    /** @param isOpen whether an execution is */
    List<Input.RecoverProcess> left(String application, Predicate<String> isOpen) {
        List<Input.RecoverProcess> left = new ArrayList<>();
        processes.forEach((name, found) -> {
            List<ProcessChange> changes = new ArrayList<>();
            Map<String, List<Change.Outgoing>> unsent = new LinkedHashMap<>();
            boolean isVoid = isFollowed(name) && !found.isGone();
            for (Entry entry : isVoid ? List.<Entry>of() : found.whole()) {
                changes.add(entry.change());
                if (entry.change().change() instanceof Change.Done done && !done.sends().isEmpty() && isOpen.test(entry.executionId())) {
                    unsent.computeIfAbsent(entry.executionId(), added -> new ArrayList<>()).addAll(done.sends());
                }
            }
            left.add(new Input.RecoverProcess(application, name.process(), name.createdMs(), changes, List.copyOf(found.bases.keySet()),
                    unsent, -1, isFollowed(name)));
        });
        return left;
    }

    private boolean isFollowed(Name name) {
        return newest.get(name.process()) > name.createdMs();
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
