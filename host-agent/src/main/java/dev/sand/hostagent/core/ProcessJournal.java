package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Brings the changes of a process into the journal (PraaS 3.3; SAND 3.2), in the partition of its slot and in their order: alone, or
 * in one record with what it means for the execution that made it. What waits for one goes on when it, and all before it, are there.
 */
final class ProcessJournal {
    private final CoreContext context;
    private final String application;
    private final String process;
    private final long createdMs;
    private final ProcessPlace place;
    private final int slot;
    private final long epoch;
    private final ArrayDeque<PendingChange> pending = new ArrayDeque<>();
    /** Its last ones. */
    private final HeldMessages held;
    /** Of the images behind which the journal has changes; the last is that of what is written now. */
    private final List<Long> bases;
    private long base;
    private boolean isBaseOpen;
    private boolean isStrict;
    private Runnable onQuiet;
    private Consumer<Change> onWrite = change -> { };

    /** @param place where the process lives; @param base of what is written from now on; @param open bases of what is in the journal */
    ProcessJournal(CoreContext context, String application, String process, ProcessPlace place, long createdMs, long base,
                   List<Long> open) {
        this.context = context;
        this.application = application;
        this.process = process;
        this.createdMs = createdMs;
        this.place = place;
        this.slot = place.slot();
        this.epoch = context.slots.epoch(slot);
        this.base = base;
        this.bases = new ArrayList<>(open);
        this.isBaseOpen = open.contains(base);
        this.held = new HeldMessages(context, this::begin);
    }

    ProcessPlace place() {
        return place;
    }

    /** @param value whether whoever waits for a change waits for the disk too, as they do for its beginning and its end in any case */
    void strict(boolean value) {
        isStrict = value;
    }

    private Await await(Change change) {
        return switch (change) {
            case Change.Made _, Change.Killed _, Change.Left _ -> Await.YES;
            case Change.Arrived _, Change.Done _, Change.Fired _ -> isStrict ? Await.YES : Await.IN_BUS;
        };
    }

    long epoch() {
        return epoch;
    }

    /** In a record of its own. @param then once it is durable */
    void write(long number, Change change, Runnable then) {
        write(ProcessChange.journalId(process, createdMs, base), number, new Backup.Changed(), number, change, then);
    }

    /** In one record with what it means for an execution, whose {@code sequence} that is. */
    void write(String executionId, long sequence, Backup backup, long number, Change change, Runnable then) {
        held.release();
        begin(add(executionId, sequence, backup, number, change, then));
    }

    /** A message of a function that runs, and does not end before {@code then}. */
    void writeSent(long number, Change.Arrived arrived, Runnable then) {
        boolean isHeld = !isStrict && onQuiet == null && held.takes(arrived);
        if (!isHeld) {
            held.release();
        }
        PendingChange added = add(ProcessChange.journalId(process, createdMs, base), number, new Backup.Changed(), number, arrived, then);
        if (isHeld) {
            held.add(added);
        } else {
            begin(added);
        }
    }

    /** Those of the messages received that are held, as the record of that end may have them ({@link #writeEnd}). */
    List<Change.Passed> passes(List<Long> received) {
        return !context.readers.knowPassed() ? List.of() : held.first(received).stream().map(each -> Change.Passed.of(each.change)).toList();
    }

    /** What {@link #passes} has told is in the record of this end, and nowhere else. Else as {@link #write}. @param number with some, the last one's */
    void writeEnd(String executionId, long sequence, Backup backup, long number, Change.Done done, Runnable then) {
        if (done.passed().isEmpty()) {
            write(executionId, sequence, backup, number, done, then);
            return;
        }
        List<PendingChange> behind = new ArrayList<>();
        for (int i = held.count(); i > 0; i--) {
            behind.addFirst(pending.pollLast());
        }
        List<PendingChange> passed = held.take(done.passed().size());
        PendingChange end = add(executionId, sequence, backup, number, done, () -> {
            passed.forEach(each -> each.then.run());
            then.run();
        });
        pending.addAll(behind.subList(passed.size(), behind.size()));
        begin(end);
    }

    private PendingChange add(String executionId, long sequence, Backup backup, long number, Change change, Runnable then) {
        if (!isBaseOpen) {
            isBaseOpen = true;
            bases.add(base);
        }
        PendingChange added = new PendingChange(executionId, sequence, backup, new ProcessChange(process, createdMs, base, number, change), then);
        pending.add(added);
        return added;
    }

    private void begin(PendingChange added) {
        emit(added);
        onWrite.accept(added.change.change());
    }

    private void emit(PendingChange each) {
        if (context.mayAct(slot, epoch)) {
            context.emit(new Action.Journal(each.executionId, application, slot, epoch, each.sequence, each.backup, await(each.change.change()),
                    process, new Carried(each.change, failure -> onJournaled(each, failure))));
        }
    }

    private void onJournaled(PendingChange each, Failure failure) {
        if (failure != null) {
            context.counters.journalFailures++;
            context.later(() -> emit(each));
            return;
        }
        each.there = true;
        while (!pending.isEmpty() && pending.peekFirst().there) {
            pending.pollFirst().then.run();
        }
        if (pending.isEmpty() && onQuiet != null) {
            Runnable told = onQuiet;
            onQuiet = null;
            told.run();
        }
    }

    boolean holdsAny() {
        return held.count() > 0;
    }

    /** Messages that are held are written now: somebody waits for them. */
    void hurry() {
        held.release();
    }

    /** The process is here no more, and nothing of it is to be written. */
    void close() {
        held.drop();
    }

    /** @param told of each change that no image has */
    void onWrite(Consumer<Change> told) {
        onWrite = told;
    }

    /** Whether a next owner knows of the process. */
    boolean isMade() {
        return pending.isEmpty() || !(pending.peekFirst().change.change() instanceof Change.Made);
    }

    /** Whether there are changes that no image has. */
    boolean isDirty() {
        return !bases.isEmpty();
    }

    /** @param step done once, when all changes are durable; at once when they are */
    void whenQuiet(Runnable step) {
        if (pending.isEmpty()) {
            step.run();
        } else {
            onQuiet = step;
            held.release();
        }
    }

    /** @param told why no change becomes durable just now; null: none is on its way, or nothing is known to be wrong */
    void whyNot(Consumer<Failure> told) {
        if (pending.isEmpty()) {
            told.accept(null);
        } else {
            context.emit(new Action.AskJournal(away -> told.accept(away == null || pending.isEmpty() ? null : Failure.platform(Errors.UNAVAILABLE,
                    "changes of process " + process + " are not in the journal, which takes nothing now: " + away, true))));
        }
    }

    /** An image is made of all that is durable: what changes from now on is behind it. */
    void imageBegins(long number) {
        base = number;
        isBaseOpen = false;
    }

    /** An image has all changes up to that number: what the journal has of them may go. */
    void imaged(long number) {
        imaged(number, Set.of());
    }

    /** @param needed bases with changes behind it: an owner that was late has written the image when those were made */
    void imaged(long number, Set<Long> needed) {
        for (long old : bases.stream().filter(each -> each < number && !needed.contains(each)).toList()) {
            end(old, number);
        }
    }

    /** The process is gone: so may be all of it. */
    void end(long number) {
        List.copyOf(bases).forEach(each -> end(each, number));
    }

    private void end(long old, long number) {
        bases.remove(old);
        if (context.mayAct(slot, epoch)) {
            context.emit(new Action.Journal(ProcessChange.journalId(process, createdMs, old), application, slot, epoch, number + 1,
                    new Backup.Ended(Status.SUCCEEDED), Await.NO, process, null));
        }
    }
}
