package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.ProcessChange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A process that comes here from its slot's journal. Who addresses it meanwhile waits. */
final class Restoring implements Tenant {
    private final CoreContext context;
    private final Input.RecoverProcess recover;
    private final Consumer<ProcessHome> here;
    private final List<Consumer<ProcessHome>> waiting = new ArrayList<>(1);
    private List<ProcessChange> changes;
    private Application application;
    private boolean over;

    /** @param here told first, of what has come; null: nothing has, its application is gone */
    Restoring(CoreContext context, Input.RecoverProcess recover, Consumer<ProcessHome> here) {
        this.context = context;
        this.recover = recover;
        this.here = here;
    }

    String process() {
        return recover.process();
    }

    /** @param step given what has come, or null */
    void await(Consumer<ProcessHome> step) {
        waiting.add(step);
    }

    void begin() {
        if (!over) {
            context.emit(new Action.RestoreProcess(recover.application(), recover.changes(), this::onRestored));
        }
    }

    /** The slot is another host's, or the application is deleted. */
    void close() {
        over = true;
    }

    private void onRestored(List<ProcessChange> local, Failure failure) {
        if (over) {
            if (local != null) {
                local.forEach(change -> context.processes.free(recover.application(), change.change().values()));
            }
        } else if (failure != null) {
            context.later(this::begin);
        } else {
            changes = local;
            application = context.application(new AppKey(recover.application(), ((Change.Made) local.getFirst().change()).version()));
            application.onTenant(this);
        }
    }

    @Override
    public boolean waitsForRegistry() {
        return true;
    }

    @Override
    public void onApplicationMissing(Failure failure) {
        application.onTenantGone(this);
        changes.forEach(change -> context.processes.free(recover.application(), change.change().values()));
        tell(null);
    }

    @Override
    public void onApplicationReady() {
        application.onTenantGone(this);
        if (over) {
            return;
        }
        Change.Made made = (Change.Made) changes.getFirst().change();
        var spec = application.version().processSpec().with(made.concurrency(), made.memoryBytes());
        CloudProcess process = new CloudProcess(recover.process(), spec);
        for (ProcessChange change : changes) {
            context.processes.free(recover.application(), process.replay(change, context.nowNs));
        }
        ProcessJournal journal = new ProcessJournal(context, recover.application(), recover.process(), recover.createdMs(),
                changes.getLast().base(), recover.bases());
        tell(new ProcessHome(context, application.version(), spec, process, journal, recover.createdMs()));
    }

    private void tell(ProcessHome home) {
        over = true;
        here.accept(home);
        waiting.forEach(step -> step.accept(home));
        if (home != null) {
            home.resume();
        }
    }
}
