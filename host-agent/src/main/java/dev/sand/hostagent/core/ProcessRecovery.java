package dev.sand.hostagent.core;

import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import java.util.List;

/**
 * What a journal has of a cloud process that an earlier owner of its slot had here, or this host before it was started again: the process
 * lives on, or its end, its move, and what its functions have sent with their ends is carried out.
 */
final class ProcessRecovery {
    private final CoreContext context;
    private final Processes processes;

    ProcessRecovery(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
    }

    void recover(Input.RecoverProcess given) {
        String application = given.application();
        int slot = given.slot() >= 0 ? given.slot() : context.slots.of(given.process());
        Input.RecoverProcess recover = given.in(slot);
        if (context.slots.state(slot) == SlotTable.State.ELSEWHERE) {
            context.drop("slot " + slot + " of process " + recover.process() + " is not this host's", recover);
            return;
        }
        processes.madeBefore(recover.createdMs());
        if (recover.followed()) {
            onlyItsSends(recover);
            return;
        }
        if (recover.changes().isEmpty()) { // they were void, and what came in their place an image has
            new ProcessJournal(context, application, recover.process(), ProcessPlace.first(slot), recover.createdMs(), 0, recover.bases())
                    .end(recover.bases().getLast());
            return;
        }
        if (processes.table().isKnown(application, recover.process())) {
            long epoch = context.slots.epoch(slot);
            List<String> senders = List.copyOf(recover.unsent().keySet());
            senders.forEach(processes.sends()::begin); // none of them is marked as ended before
            processes.table().whenSettled(application, recover.process(), () -> {
                recoverBeside(recover, epoch);
                senders.forEach(processes.sends()::done);
            });
            return;
        }
        ProcessChange last = recover.changes().getLast();
        if (last.change() instanceof Change.Killed || last.change() instanceof Change.Left) {
            if (last.change() instanceof Change.Killed) {
                vanish(recover, last, slot);
            } else {
                processes.hands().recover(recover, last);
            }
            recover.unsent().forEach((executionId, messages) -> processes.deferred().deliverAgain(application, executionId, messages));
        } else {
            recover.unsent().keySet().forEach(processes.sends()::begin);
            processes.table().bring(recover, 0, true, (home, failure) -> processes.table().unreadable().whenRead(recover, () -> resend(recover)));
        }
    }

    /** Its image is deleted, and what is there now is of who came behind it; its journal's end was lost. */
    private void onlyItsSends(Input.RecoverProcess dead) {
        ProcessJournal journal = new ProcessJournal(context, dead.application(), dead.process(), ProcessPlace.first(dead.slot()),
                dead.createdMs(), 0, dead.bases());
        dead.unsent().forEach((executionId, messages) -> processes.deferred().deliverAgain(dead.application(), executionId, messages));
        processes.late().whenNone(dead.application(), dead.process(), () -> {
            if (context.mayAct(dead.slot(), journal.epoch())) {
                journal.end(dead.changes().isEmpty() ? dead.bases().getLast() : dead.changes().getLast().number());
            }
        });
    }

    /** What functions sent with their ends, which count if the image, or whatever else the journal goes on from, has all that was before. */
    private void resend(Input.RecoverProcess of) {
        boolean counts = processes.table().counts(of.slot(), of.application(), of.process(), of.createdMs(), of.changes().getFirst().number());
        of.unsent().forEach((executionId, messages) -> {
            if (counts) {
                processes.deferred().deliverAgain(of.application(), executionId, messages);
            }
            processes.sends().done(executionId);
        });
    }

    /** One of its name is, or was, here in another slot: that it lives there, its image says; what is told of here was before. */
    private void recoverBeside(Input.RecoverProcess recover, long epoch) {
        ProcessHome home = processes.table().here(recover.application(), recover.process());
        if (!context.mayAct(recover.slot(), epoch)) {
            return; // its next owner's
        }
        if (home == null) {
            recover(recover);
        } else if (home.slot() != recover.slot()) {
            new ProcessJournal(context, recover.application(), recover.process(), ProcessPlace.first(recover.slot()), recover.createdMs(), 0,
                    recover.bases()).end(recover.changes().getLast().number());
        } else {
            context.drop("process " + recover.process() + " is here already", recover);
        }
    }

    /** It was killed, and perhaps not all of it deleted. */
    private void vanish(Input.RecoverProcess killed, ProcessChange last, int slot) {
        String application = killed.application();
        ProcessPlace lived = ((Change.Killed) last.change()).place();
        ProcessJournal journal = new ProcessJournal(context, application, killed.process(), lived != null ? lived : ProcessPlace.first(slot),
                killed.createdMs(), last.base(), killed.bases());
        processes.table().vanishes(application, killed.process(), slot);
        processes.table().killed(application, killed.process());
        context.emit(new Action.DeleteImage(application, killed.process(), journal.place(), journal.epoch(), () ->
                processes.vanished(application, killed.process(), journal, last.number())));
    }
}
