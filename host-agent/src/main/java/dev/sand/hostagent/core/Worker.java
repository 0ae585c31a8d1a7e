package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The grain worker: the process that has loaded the grain's code and forks its instances (SAND 3.1). One object a grain; each
 * start has an id of its own, and reports about another id count no more.
 *
 * <pre>
 * STOPPED     → STARTING     the sandbox runs, and the grain is needed
 * STARTING    → READY        it has loaded the code
 * STARTING    → FAILED       the code cannot be loaded: what waits fails with the traceback
 * STARTING, READY → BACKING_OFF  it ended; it is started again after a pause that doubles
 * STARTING, READY → FAILED   it ended too often in a row: what waits fails
 * BACKING_OFF → STARTING     the pause is over
 * FAILED      → STARTING     a new event came after the pause
 * any         → STOPPED      the sandbox is gone
 * </pre>
 */
final class Worker extends Timed {
    enum State { STOPPED, STARTING, READY, BACKING_OFF, FAILED }

    private final Grain grain;
    private final CoreContext context;
    private final Set<Instance> instances = new LinkedHashSet<>();
    private State state = State.STOPPED;
    private String id;
    private int pid;
    private int failures;
    private long restarts;
    private Failure importFailure;
    private long failedUntilNs;

    Worker(Grain grain, CoreContext context) {
        this.grain = grain;
        this.context = context;
    }

    String id() {
        return id;
    }

    int pid() {
        return pid;
    }

    State state() {
        return state;
    }

    Grain grain() {
        return grain;
    }

    long restarts() {
        return restarts;
    }

    boolean isReady() {
        return state == State.READY;
    }

    /** Those of its instances whose processes may still be there. */
    Set<Instance> instances() {
        return instances;
    }

    private void become(State next) {
        boolean legal = switch (state) {
            case STOPPED -> next == State.STARTING;
            case STARTING -> next != State.STARTING;
            case READY -> next == State.BACKING_OFF || next == State.FAILED || next == State.STOPPED;
            case BACKING_OFF -> next == State.STARTING || next == State.STOPPED;
            case FAILED -> next == State.STARTING || next == State.STOPPED;
        };
        if (!legal) {
            throw CoreContext.illegal("worker", id, state, next);
        }
        state = next;
    }

    /** While the code is known not to load, an event fails at once; after the pause the next one tries again. */
    Failure importFailure() {
        return state == State.FAILED && context.nowNs < failedUntilNs ? importFailure : null;
    }

    void need() {
        if (grain.application().sandbox().isRunning()
                && (state == State.STOPPED || state == State.FAILED && context.nowNs >= failedUntilNs)) {
            start();
        }
    }

    private void start() {
        become(State.STARTING);
        id = context.nextWorkerId();
        pid = 0;
        context.workers.put(id, this);
        context.counters.workerStarts++;
        Application application = grain.application();
        context.emit(new Action.StartWorker(application.key(), application.sandbox().id(), id, grain.spec()));
        context.timers.arm(this, context.nowNs + context.configuration.workerStartNs());
    }

    void onReady(int pid) {
        become(State.READY);
        this.pid = pid;
        importFailure = null;
        context.timers.disarm(this);
        grain.pool().open();
    }

    /** An event's handler ran: whatever went wrong before is over. */
    void proved() {
        failures = 0;
    }

    /** The grain's code cannot be loaded, or not any more. */
    void onFailed(Failure failure) {
        failures++;
        context.workers.remove(id);
        fail(failure);
    }

    void onExited(String cause) {
        context.workers.remove(id);
        failures++;
        restarts++;
        context.counters.workerRestarts++;
        context.timers.disarm(this);
        if (failures > context.configuration.startsInARow()) {
            fail(Failure.platform(Errors.UNAVAILABLE, "the worker of grain " + grain.spec().name() + " of application "
                    + grain.application().key().application() + " ended " + failures + " times in a row: " + cause, true));
        } else {
            become(State.BACKING_OFF);
            loseInstances(cause);
            context.timers.arm(this, context.nowNs + (failures == 1 ? 0 : context.configuration.backOff(failures - 1)));
        }
    }

    private void fail(Failure failure) {
        become(State.FAILED);
        importFailure = failure;
        failedUntilNs = context.nowNs + context.configuration.backOff(failures);
        context.timers.disarm(this);
        loseInstances(failure.cause());
        grain.failQueued(failure);
    }

    /** Ends it with all its instances, and starts the next one. */
    void restart(String cause) {
        if (state == State.READY) {
            Application application = grain.application();
            Sandbox sandbox = application.sandbox();
            new KilledWorker(sandbox, new Action.Kill(application.key(), sandbox.id(), id, pid), context);
            onExited(cause);
        }
    }

    void onSandboxGone(String cause) {
        if (state != State.STOPPED) {
            context.workers.remove(id);
            context.timers.disarm(this);
            become(State.STOPPED);
            failures = 0;
            loseInstances(cause);
        }
    }

    /** All its instances are gone with it; their events run again. */
    private void loseInstances(String cause) {
        grain.pool().close();
        List<Event> lost = new ArrayList<>();
        for (Instance instance : instances) {
            context.instances.remove(instance.id);
            Event event = instance.runningEvent();
            if (event != null) {
                lost.add(event);
            }
            if (instance.state() != Instance.State.GONE) {
                instance.gone(true);
            }
            context.timers.disarm(instance);
            instance.figuresLost();
        }
        instances.clear();
        for (Event event : lost) {
            if (event.isRunning()) { // one that fails for good may end its execution, and the others of it here
                grain.attempts().onLost(event, cause);
            }
        }
    }

    /** Its pause is over, or it did not load in time. */
    @Override
    void onDue() {
        if (state == State.BACKING_OFF) {
            if (grain.application().sandbox().isRunning()) {
                start();
            } else {
                become(State.STOPPED);
            }
        } else if (state == State.STARTING) {
            Application application = grain.application();
            context.emit(new Action.StopWorker(application.key(), application.sandbox().id(), id));
            onFailed(Failure.platform(Errors.IMPORT_FAILED, "grain " + grain.spec().name() + " of application "
                    + application.key().application() + " did not load within "
                    + context.configuration.workerStartNs() / 1_000_000 + " ms", false));
        }
    }
}
