package dev.sand.hostagent.core;

import dev.sand.hostagent.core.Input.AppKey;
import java.util.List;

/** Inputs that tell of applications, sandboxes and workers: finds whom they are of, and drops those that count no more. */
final class ApplicationInputs {
    private final CoreContext context;

    ApplicationInputs(CoreContext context) {
        this.context = context;
    }

    void on(Input.ApplicationLoaded loaded) {
        Application application = context.applications.get(loaded.app());
        if (application == null || application.isReady()) {
            context.drop("application " + loaded.app() + " is not being loaded", loaded);
        } else {
            application.onLoaded(loaded.version(), loaded.failure());
        }
    }

    void on(Input.Retire retire) {
        Application application = context.applications.get(retire.app());
        if (application != null) {
            application.retire();
        }
    }

    /** Each version that is here, and each process's own. */
    void on(Input.SecretsChanged changed) {
        for (Application application : List.copyOf(context.applications.values())) {
            if (application.key().application().equals(changed.application())) {
                application.grains().forEach(Grain::onSecretsChanged);
            }
        }
    }

    void onMemoryPressure() {
        context.stopLongestIdle(null);
    }

    void on(Input.RoomWanted wanted) {
        context.stopLongestIdle(context.allowances.of(wanted.tenant()));
    }

    private Sandbox sandbox(AppKey app, String id, Input input) {
        Application application = context.applications.get(app);
        if (application != null && application.sandbox().isCurrent(id)) {
            return application.sandbox();
        }
        context.drop("sandbox " + id + " is not known (any more)", input);
        return null;
    }

    void on(Input.SandboxStarted started) {
        Sandbox sandbox = sandbox(started.app(), started.sandbox(), started);
        if (sandbox != null) {
            sandbox.onStarted();
        }
    }

    void on(Input.SandboxFailed failed) {
        Sandbox sandbox = sandbox(failed.app(), failed.sandbox(), failed);
        if (sandbox != null) {
            sandbox.onFailed(failed.cause(), failed.forGood());
        }
    }

    void on(Input.SandboxEnded ended) {
        Sandbox sandbox = sandbox(ended.app(), ended.sandbox(), ended);
        if (sandbox != null) {
            sandbox.onEnded(ended.cause());
        }
    }

    private Worker worker(AppKey app, String id, Input input) {
        Worker worker = context.workers.get(id);
        if (worker != null && worker.grain().application().key().equals(app)) {
            return worker;
        }
        context.drop("worker " + id + " is not known (any more)", input);
        return null;
    }

    void on(Input.WorkerReady ready) {
        Worker worker = worker(ready.app(), ready.worker(), ready);
        if (worker != null && worker.state() == Worker.State.STARTING) {
            worker.onReady(ready.pid());
        } else if (worker != null) {
            context.drop("worker " + ready.worker() + " was ready before", ready);
        }
    }

    void on(Input.WorkerFailed failed) {
        Worker worker = worker(failed.app(), failed.worker(), failed);
        if (worker != null) {
            worker.onFailed(failed.failure());
        }
    }

    void on(Input.WorkerExited exited) {
        KilledWorker killed = context.killedWorkers.get(exited.worker());
        if (killed != null) {
            killed.gone();
            return;
        }
        Worker worker = worker(exited.app(), exited.worker(), exited);
        if (worker != null) {
            worker.onExited(exited.cause());
        }
    }
}
