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
    /** A change on its way. */
    private final class Pending {
        final String executionId;
        final long sequence;
        final Backup backup;
        final ProcessChange change;
        final Runnable then;
        boolean there;

        Pending(String executionId, long sequence, Backup backup, ProcessChange change, Runnable then) {
            this.executionId = executionId;
            this.sequence = sequence;
            this.backup = backup;
            this.change = change;
            this.then = then;
        }

        void emit() {
            if (context.mayAct(slot, epoch)) {
                context.emit(new Action.Journal(executionId, application, slot, epoch, sequence, backup, await(change.change()), process,
                        new Carried(change, this::onJournaled)));
            }
        }

        private void onJournaled(Failure failure) {
            if (failure != null) {
                context.counters.journalFailures++;
                context.later(this::emit);
                return;
            }
            there = true;
            while (!pending.isEmpty() && pending.peekFirst().there) {
                pending.pollFirst().then.run();
            }
            if (pending.isEmpty() && onQuiet != null) {
                Runnable told = onQuiet;
                onQuiet = null;
                told.run();
            }
        }
    }

    private final CoreContext context;
    private final String application;
    private final String process;
    private final long createdMs;
    private final ProcessPlace place;
    private final int slot;
    private final long epoch;
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
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
        if (!isBaseOpen) {
            isBaseOpen = true;
            bases.add(base);
        }
        Pending added = new Pending(executionId, sequence, backup, new ProcessChange(process, createdMs, base, number, change), then);
        pending.add(added);
        added.emit();
        onWrite.accept(change);
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
