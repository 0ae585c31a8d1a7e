package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.Payload;
import java.util.List;

/**
 * What is told of an execution: its attempts, its record, and afterwards the figures of processes that were still exiting
 * when it ended. Armed as a timer while those are waited for.
 */
final class Story extends Timed implements AttemptLog {
    /** What is kept of one that runs is no older than this. */
    private static final long SNAPSHOT_NS = 1_000_000_000L;
    /** The same, while somebody watches it; what has become long is not packed that often. */
    private static final long WATCHED_SNAPSHOT_NS = 100_000_000L;

    private final CoreContext context;
    private final InvocationRequest request;
    private final Audience audience;
    private final int slot;
    private final long epoch;
    private final long startedMs;
    private final Hops hops;
    private final Signals.Kept kept;
    /** Keeps what has happened so far, for those who ask while it runs. */
    private final Timed snapshot = new Timed() {
        @Override
        void onDue() {
            if (result == null) {
                record(false);
            }
        }
    };
    /** Null while it runs. */
    private InvocationResult result;
    private long endedMs;

    Story(CoreContext context, InvocationRequest request, Audience audience, int slot, long epoch, long startedMs,
          Signals.Kept kept) {
        this.context = context;
        this.request = request;
        this.audience = audience;
        this.slot = slot;
        this.epoch = epoch;
        this.startedMs = startedMs;
        this.kept = kept;
        this.hops = new Hops(context.configuration.maxHops());
    }

    /** It can be asked about from now on. */
    void begun() {
        record(false);
    }

    /** A signal came. One that is not in the global bus has no record while it runs: nobody would end it after a crash. */
    void changed(boolean isDurable) {
        if (isDurable && result == null && !snapshot.isArmed()) {
            context.timers.arm(snapshot, context.nowNs + (isWatchedClosely() ? WATCHED_SNAPSHOT_NS : SNAPSHOT_NS));
        }
    }

    /** Somebody watches it from now on. */
    void watched() {
        if (snapshot.isArmed() && isWatchedClosely()) {
            context.timers.arm(snapshot, Math.min(snapshot.dueNs, context.nowNs + WATCHED_SNAPSHOT_NS));
        }
    }

    private boolean isWatchedClosely() {
        return audience.isWatched() && kept.isShort();
    }

    InvocationResult ended(InvocationResult.Status status, Payload output, Failure failure) {
        result = new InvocationResult(request.executionId(), status, output, failure, hops.copy());
        endedMs = context.epochMs();
        context.timers.disarm(snapshot);
        return result;
    }

    /** Its last record but for late figures. @param awaited the answer is Recorded */
    void recordEnd(boolean awaited) {
        if (awaited && hops.count() > FanOut.WIDE) {
            // Whoever waits has the answer; the record of a thousand attempts takes a turn of its own.
            context.later(FanOut.NEXT_TURN_NS, () -> record(true));
        } else {
            record(awaited);
        }
        if (!hops.isComplete()) {
            context.timers.arm(this, context.nowNs + context.configuration.lateFiguresNs());
        }
    }

    void recordAgain() {
        kept.keepAgain();
        context.later(() -> record(true));
    }

    /** Of the execution before it was redriven. */
    void before(List<Hop> before) {
        if (before != null) {
            hops.addBefore(before);
        }
    }

    private void record(boolean awaited) {
        if (context.mayAct(slot, epoch)) {
            context.emit(new Action.Record(hops.record(request, result, startedMs, endedMs), awaited, slot, epoch, kept.changed(),
                    kept.packing()));
        }
    }

    @Override
    public int add(Event event, String error, long startedNs, long endedNs) {
        Hop hop = new Hop(event.id, event.grainName, event.attempt, error, event.queuedNs, event.handedNs, startedNs, endedNs,
                context.nowNs, 0, 0);
        if (!event.isAway()) {
            context.attemptEnded(event, hop, request.traceparent(), audience.counts());
        }
        return add(hop);
    }

    int add(Hop hop) {
        int place = hops.add(hop);
        if (place < 0) {
            context.counters.hopsNotKept++;
        }
        audience.saw(hop);
        return place;
    }

    @Override
    public void expectFigures() {
        hops.expectFigures();
    }

    @Override
    public void onFigures(int place, long cpuUs, long peakMemoryBytes) {
        hops.figures(place, cpuUs, peakMemoryBytes);
        settleFigures();
    }

    @Override
    public void onFiguresLost() {
        hops.figuresLost();
        settleFigures();
    }

    private void settleFigures() {
        if (hops.isComplete() && isArmed()) {
            context.timers.disarm(this);
            recordLate();
        }
    }

    /** The record of one that was redriven meanwhile is the new run's. */
    private void recordLate() {
        RememberedResults.Entry last = context.executions.remembered(request.executionId(), slot);
        if (context.executions.get(request.executionId()) == null && (last == null || last.result() == result)) {
            record(false);
        }
    }

    /** They have been waited for long enough. */
    @Override
    void onDue() {
        recordLate();
    }
}
