package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.ProcessPlace;

/**
 * Executions that an earlier owner left, and whose process does not take them here. What the journal has of their end counts; the others
 * are not begun anew where the process lives: its image may have what they did.
 */
final class Stranded {
    private final CoreContext context;
    private final Processes processes;

    Stranded(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
    }

    void on(RunningExecution execution, Application application, Failure refusal) {
        if (execution.endsInItsReplay()) {
            execution.run();
            processes.arrivals().arrived(execution);
        } else if (ProcessPlace.slotOf(refusal) < 0) {
            execution.ending().refused(refusal.mayHaveRun());
        } else {
            look(execution, application);
        }
    }

    /** What this host believes may be old, or a guess: the image says where it lives. */
    private void look(RunningExecution execution, Application application) {
        String name = execution.request().application();
        String id = execution.request().processId();
        context.emit(new Action.FindImage(name, id, (view, place, failure) -> {
            if (execution.isEnded()) {
                return;
            }
            if (failure != null) {
                context.later(() -> look(execution, application));
                return;
            }
            processes.table().heard(name, id, view != null, place);
            int lives = processes.table().slotOf(name, id);
            if (lives == execution.slot()) {
                processes.enter(execution, application);
            } else {
                execution.ending().refused(Failure.mayHaveRun(Errors.UNAVAILABLE, "execution " + execution.id()
                        + " has lost its host, and its process " + id + " lives in slot " + lives + " since"));
            }
        }));
    }
}
