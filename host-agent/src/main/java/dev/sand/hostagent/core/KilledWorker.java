package dev.sand.hostagent.core;

/**
 * A worker that was told to end with all its instances, and has not been seen to. Its grain has another one by now; but a
 * kill may miss, and what runs there would run on past every deadline. So it is killed once more, and then its sandbox goes.
 */
final class KilledWorker extends Timed {
    private final Sandbox sandbox;
    private final String sandboxId;
    private final Action.Kill kill;
    private final CoreContext context;
    private int kills;

    KilledWorker(Sandbox sandbox, Action.Kill kill, CoreContext context) {
        this.sandbox = sandbox;
        this.sandboxId = sandbox.id();
        this.kill = kill;
        this.context = context;
        context.killedWorkers.put(kill.instance(), this);
        kill();
    }

    private void kill() {
        kills++;
        context.counters.kills++;
        context.emit(kill);
        context.timers.arm(this, context.nowNs + context.configuration.killGraceNs() / 2);
    }

    /** It has ended. */
    void gone() {
        context.timers.disarm(this);
        context.killedWorkers.remove(kill.instance());
    }

    @Override
    void onDue() {
        if (!sandbox.isRunning() || !sandbox.id().equals(sandboxId)) {
            gone();
        } else if (kills < 2) {
            kill();
        } else {
            gone();
            context.counters.escalations++;
            sandbox.stop();
        }
    }
}
