package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;

/**
 * The container of one application's version (SAND 3.1). One object an application; each start has an id of its own, and
 * reports about another id count no more.
 *
 * <pre>
 * NONE        → STARTING     an event waits
 * NONE        → BACKING_OFF  its tenant's sandboxes use all the memory that they may
 * STARTING    → RUNNING      its supervisor is connected
 * STARTING, RUNNING → BACKING_OFF  it failed or ended by itself while work waits; again after a pause that doubles
 * STARTING, RUNNING → NONE   the same without work, too often in a row, or so that it would again: what waits fails
 * STARTING, RUNNING → STOPPING     idle, superseded, host short of memory, drained, or an instance that cannot be killed
 * STOPPING    → NONE         it has ended
 * BACKING_OFF → STARTING | NONE    the pause is over; there is still work, or not
 * BACKING_OFF → BACKING_OFF  there is work, and still no memory
 * </pre>
 */
final class Sandbox extends Timed {
    enum State { NONE, STARTING, RUNNING, STOPPING, BACKING_OFF }

    private final Application application;
    private final CoreContext context;
    private State state = State.NONE;
    private String id;
    private int failures;
    private long startedMs;
    private long heldBytes;
    /** Since when its tenant has had no memory for it; 0: it has. */
    private long lackingSinceNs;

    Sandbox(Application application, CoreContext context) {
        this.application = application;
        this.context = context;
    }

    String id() {
        return id;
    }

    State state() {
        return state;
    }

    long startedMs() {
        return startedMs;
    }

    /** Of memory, from its tenant's allowance. */
    long heldBytes() {
        return heldBytes;
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    boolean isNone() {
        return state == State.NONE;
    }

    private void become(State next) {
        boolean legal = switch (state) {
            case NONE, BACKING_OFF -> next != State.RUNNING && next != State.STOPPING;
            case STARTING -> next != State.STARTING;
            case RUNNING -> next == State.STOPPING || next == State.BACKING_OFF || next == State.NONE;
            case STOPPING -> next == State.NONE;
        };
        if (!legal) {
            throw CoreContext.illegal("sandbox", id, state, next);
        }
        state = next;
    }

    void need() {
        if (state == State.NONE) {
            start();
        }
    }

    /** Why a request that needs it is not taken now; null: it is. */
    Failure refusal() {
        boolean isThere = state != State.NONE && state != State.BACKING_OFF;
        return isThere || application.allowance().hasMemory(bytes()) || makesRoom() ? null
                : Refusals.memory(application.allowance(), application.key(), bytes());
    }

    private long bytes() {
        return application.version().sandbox().memoryBytes();
    }

    /** @return whether one of this shard's goes for it; those of other shards are asked to */
    private boolean makesRoom() {
        boolean makes = context.stopLongestIdle(application.allowance());
        if (!makes) {
            context.emit(new Action.TellShards(new Input.RoomWanted(application.allowance().tenant())));
        }
        return makes;
    }

    private void start() {
        if (!application.allowance().takeMemory(bytes())) {
            lacksMemory();
            return;
        }
        heldBytes = bytes();
        lackingSinceNs = 0;
        become(State.STARTING);
        id = context.nextSandboxId();
        context.counters.sandboxStarts++;
        context.emit(new Action.StartSandbox(application.key(), id, application.version()));
    }

    /** What waits for it waits as for a host where it may run. */
    private void lacksMemory() {
        makesRoom();
        lackingSinceNs = lackingSinceNs == 0 ? context.nowNs : lackingSinceNs;
        if (context.nowNs - lackingSinceNs < context.configuration.placementWaitNs()) {
            become(State.BACKING_OFF);
            context.timers.arm(this, context.nowNs + context.configuration.backOff(1));
        } else {
            giveUp(Refusals.memory(application.allowance(), application.key(), bytes()));
        }
    }

    private void giveUp(Failure failure) {
        failures = 0;
        lackingSinceNs = 0;
        become(State.NONE);
        application.failQueued(failure);
        if (state == State.NONE) {
            application.onSandboxNone();
        }
    }

    private void release() {
        application.allowance().giveMemory(heldBytes);
        heldBytes = 0;
    }

    boolean isCurrent(String sandbox) {
        return sandbox.equals(id) && (state == State.STARTING || state == State.RUNNING || state == State.STOPPING);
    }

    void onStarted() {
        if (state == State.STARTING) {
            become(State.RUNNING);
            startedMs = context.epochMs();
            application.onSandboxRunning();
        }
        // STOPPING: it was told to stop while it started, and its end is still to come.
    }

    /** A handler ran in it: whatever went wrong before is over. */
    void proved() {
        failures = 0;
    }

    /** @param forGood another start fails too */
    void onFailed(String cause, boolean forGood) {
        context.counters.sandboxFailures++;
        if (state == State.STOPPING) {
            ended(cause);
        } else {
            failed("no sandbox could be started for application " + application.key().application() + ": " + cause, forGood);
        }
    }

    void onEnded(String cause) {
        if (state == State.STOPPING) {
            ended(cause);
        } else {
            context.counters.sandboxFailures++;
            failed("the sandbox of application " + application.key().application() + " ended: " + cause, false);
        }
    }

    private void ended(String cause) {
        context.timers.disarm(this);
        release();
        application.onSandboxGone(cause);
        become(State.NONE);
        if (application.hasWork()) {
            start();
        } else {
            application.onSandboxNone();
        }
    }

    private void failed(String cause, boolean forGood) {
        failures++;
        release();
        become(State.BACKING_OFF);
        application.onSandboxGone(cause);
        if (forGood || failures > context.configuration.startsInARow()) {
            giveUp(Failure.platform(Errors.SANDBOX_FAILED, cause, !forGood));
        } else {
            context.timers.arm(this, context.nowNs + context.configuration.backOff(failures));
        }
    }

    /** Ends it and all in it; what runs there runs again elsewhere. */
    void stop() {
        if (state == State.STARTING || state == State.RUNNING) {
            become(State.STOPPING);
            askToStop();
        } else if (state == State.BACKING_OFF && !application.hasWork()) {
            context.timers.disarm(this);
            become(State.NONE);
            application.onSandboxNone();
        }
    }

    private void askToStop() {
        context.emit(new Action.StopSandbox(application.key(), id));
        context.timers.arm(this, context.nowNs + 10 * context.configuration.retryNs());
    }

    @Override
    void onDue() {
        if (state == State.STOPPING) {
            askToStop();
        } else if (state == State.BACKING_OFF) {
            if (application.hasWork()) {
                start();
            } else {
                become(State.NONE);
                application.onSandboxNone();
            }
        }
    }
}
