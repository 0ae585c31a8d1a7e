package dev.sand.hostagent.core;

/**
 * One grain instance: a process forked ahead of need (SAND 3.1).
 *
 * <pre>
 * SPAWNING → WAITING  its first take
 * WAITING  → RUNNING  an event was handed over
 * RUNNING  → RESTING  the attempt ended, and it will take again (isolation: worker)
 * RUNNING  → ENDING   the attempt ended (isolation: request), or it is being killed
 * RUNNING  → CLOSED   its connection closed under an event: the words for its death are waited for
 * RESTING  → WAITING  the next take
 * WAITING, RESTING → ENDING  dismissed, or being killed
 * any      → GONE     exited, closed, or lost with its worker; whichever comes first
 * </pre>
 * It holds one of the grain's concurrency slots from the hand-over until the attempt ended; when it has to be killed,
 * until it is gone.
 */
final class Instance extends Timed {
    enum State { SPAWNING, WAITING, RUNNING, RESTING, ENDING, CLOSED, GONE }

    final String id;
    final Grain grain;
    final Worker worker;
    final long spawnedNs;
    /** How often the grain's secrets had changed before. */
    final int generation;
    long waitingSinceNs;
    int pid;
    int served;
    /** The last event handed over; kept after its end, so that a late result is known as such. */
    Event event;
    private State state = State.SPAWNING;
    private boolean holdsSlot;
    private int kills;
    private AttemptLog figuresFor;
    private int figuresHop;
    private boolean exited;
    private boolean untold;
    private long cpuUs;
    private long peakMemoryBytes;
    private final CoreContext context;

    Instance(String id, Grain grain, Worker worker, CoreContext context) {
        this.id = id;
        this.grain = grain;
        this.worker = worker;
        this.context = context;
        this.spawnedNs = context.nowNs;
        this.generation = grain.pool().generation();
        grain.pool().changed(null, state);
        context.timers.arm(this, context.nowNs + context.configuration.spawnNs());
    }

    State state() {
        return state;
    }

    boolean holdsSlot() {
        return holdsSlot;
    }

    /** The event whose running attempt it holds, or null: it has none, or the event has ended or is run again elsewhere. */
    Event runningEvent() {
        return event != null && event.isRunning() && event.instance == this ? event : null;
    }

    private void become(State next) {
        boolean legal = switch (state) {
            case SPAWNING -> next == State.WAITING || next == State.ENDING || next == State.GONE;
            case WAITING -> next == State.RUNNING || next == State.ENDING || next == State.GONE;
            case RUNNING -> next == State.RESTING || next == State.ENDING || next == State.CLOSED || next == State.GONE;
            case RESTING -> next == State.WAITING || next == State.ENDING || next == State.GONE;
            case ENDING, CLOSED -> next == State.GONE;
            case GONE -> false;
        };
        if (!legal) {
            throw CoreContext.illegal("instance", id, state, next);
        }
        grain.pool().changed(state, next);
        state = next;
    }

    void waiting(int pid) {
        if (state == State.SPAWNING) {
            grain.figures().fork.add(context.nowNs - spawnedNs);
        }
        become(State.WAITING);
        this.pid = pid;
        waitingSinceNs = context.nowNs;
        context.timers.disarm(this);
    }

    void running(Event next) {
        become(State.RUNNING);
        event = next;
        served++;
        holdsSlot = true;
        grain.slotTaken();
    }

    /** The attempt ended. */
    void attemptEnded(boolean takesAgain) {
        if (state == State.RUNNING) {
            become(takesAgain ? State.RESTING : State.ENDING);
            releaseSlot();
            context.timers.arm(this, context.nowNs + context.configuration.endGraceNs());
        }
    }

    void dismiss() {
        become(State.ENDING);
        context.counters.dismissed++;
        context.emit(new Action.Dismiss(grain.application().key(), id));
        context.timers.arm(this, context.nowNs + context.configuration.endGraceNs());
    }

    /** Its process is to go now. It keeps its slot until it has. */
    void kill() {
        if (kills > 0 || state == State.CLOSED || state == State.GONE) {
            return;
        }
        if (state != State.ENDING) {
            become(State.ENDING);
        }
        killAgain();
    }

    private void killAgain() {
        kills++;
        context.counters.kills++;
        context.emit(new Action.Kill(grain.application().key(), grain.application().sandbox().id(), id, pid));
        context.timers.arm(this, context.nowNs + context.configuration.killGraceNs() / 2);
    }

    /** Its connection closed under an event: only the worker knows more, and says so within a moment. */
    void closedWhileRunning() {
        become(State.CLOSED);
        context.timers.arm(this, context.nowNs + context.configuration.deathCauseNs());
    }

    /** @param reaped false: the process may still be there without its connection, and is then killed */
    void gone(boolean reaped) {
        become(State.GONE);
        releaseSlot();
        if (reaped) {
            context.timers.disarm(this);
        } else if (kills == 0) {
            context.timers.arm(this, context.nowNs + context.configuration.endGraceNs());
        }
    }

    private void releaseSlot() {
        if (holdsSlot) {
            holdsSlot = false;
            grain.slotReleased();
        }
    }

    /** CPU time and memory of its process belong to this attempt, once they are known. */
    void expectFigures(AttemptLog log, int hop) {
        if (untold) {
            return;
        }
        figuresFor = log;
        figuresHop = hop;
        log.expectFigures();
        tellFigures();
    }

    /** Its process has been reaped. */
    void exited(long cpuUs, long peakMemoryBytes) {
        this.exited = true;
        this.cpuUs = cpuUs;
        this.peakMemoryBytes = peakMemoryBytes;
        tellFigures();
    }

    private void tellFigures() {
        if (exited && figuresFor != null) {
            AttemptLog log = figuresFor;
            figuresFor = null;
            log.onFigures(figuresHop, cpuUs, peakMemoryBytes);
        }
    }

    /** Its worker is gone: nobody will tell them. */
    void figuresLost() {
        untold = true;
        if (figuresFor != null) {
            AttemptLog log = figuresFor;
            figuresFor = null;
            log.onFiguresLost();
        }
    }

    @Override
    void onDue() {
        switch (state) {
            case SPAWNING -> grain.onSpawnTimeout(this);
            case CLOSED -> grain.attempts().onInstanceDied(this, ExitWords.crashUnexplained(grain.spec(), id), false);
            case RUNNING, WAITING -> { }
            case RESTING, ENDING, GONE -> {
                if (kills < 2) {
                    if (state == State.RESTING) {
                        become(State.ENDING);
                    }
                    killAgain();
                } else {
                    context.counters.escalations++;
                    grain.application().sandbox().stop();
                }
            }
        }
    }

    @Override
    public String toString() {
        return id + " of " + grain.spec().name() + " " + state;
    }
}
