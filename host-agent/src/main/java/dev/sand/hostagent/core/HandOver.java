package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import java.util.function.Consumer;

/**
 * The last step of a process on its way to another slot: that it left is in the journal of this one, and is now said with its image,
 * where everyone finds it. Repeated until that is so, by this owner of the slot or the next.
 */
final class HandOver {
    private final CoreContext context;
    private final Processes processes;

    HandOver(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
    }

    /** @param number of the record of it; @param then told once it is there (null), or that somebody else will see to it */
    void over(String application, String process, ProcessJournal journal, long number, ProcessPlace to, Consumer<Failure> then) {
        ProcessPlace from = journal.place();
        if (!context.mayAct(from.slot(), journal.epoch())) {
            return; // who asked is told that the slot is lost
        }
        context.emit(new Action.MoveImage(application, process, from, journal.epoch(), number, to, failure -> {
            if (!context.mayAct(from.slot(), journal.epoch())) {
                return;
            }
            if (failure != null && !failure.error().equals(Errors.MOVED)) {
                context.later(() -> over(application, process, journal, number, to, then));
                return;
            }
            if (failure == null) {
                journal.end(number);
                processes.table().places().heard(application, process, to);
            }
            then.accept(failure);
            processes.table().hasVanished(application, process);
        }));
    }

    /** An earlier owner has begun it. */
    void recover(Input.RecoverProcess recover, ProcessChange last) {
        ProcessPlace to = ((Change.Left) last.change()).place();
        ProcessJournal journal = new ProcessJournal(context, recover.application(), recover.process(),
                new ProcessPlace(recover.slot(), to.moves() - 1), recover.createdMs(), last.base(), recover.bases());
        processes.table().vanishes(recover.application(), recover.process(), recover.slot());
        over(recover.application(), recover.process(), journal, last.number(), to, failure -> { });
    }
}
