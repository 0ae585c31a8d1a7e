package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Hop;
import java.util.Map;

/** What comes back of events that were in other hosts' hands: how they ended there, or that they were lost and run again. */
final class Returning {
    private static final int LONGEST_PAUSE = 5;
    private final CoreContext context;
    private final Placing placing;
    private final Sending sending;

    Returning(CoreContext context, Placing placing, Sending sending) {
        this.context = context;
        this.placing = placing;
        this.sending = sending;
    }

    void on(Input.Returned returned) {
        RemoteResult result = returned.result();
        Event event = sending.away(result.event().executionId(), result.event().eventId(), result.event().attempt(), returned);
        if (event == null) {
            return;
        }
        RunningExecution execution = ((Steps) event.owner).execution();
        if (result.event().epoch() != execution.epoch() && context.has(Rule.STALE_RETURN_DROPPED)) {
            context.drop("event " + event.id + " was sent under another epoch than " + execution.epoch(), returned);
            return;
        }
        context.counters.cameBack++;
        placing.forget(event);
        Failure failure = result.failure() != null || result.lost() ? result.failure()
                : Refusals.ofResult(event, result.output(), result.published(), event.grain.application());
        log(event, result, result.lost() ? Errors.CRASHED : failure == null ? null : failure.error());
        if (result.lost()) {
            onLost(event, result);
            return;
        }
        event.end(context);
        if (failure == null) {
            event.owner.onEventSucceeded(event, result.output(), result.published());
        } else {
            event.owner.onEventFailed(event, failure);
        }
    }

    private void onLost(Event event, RemoteResult result) {
        context.counters.lost++;
        String cause = "host " + result.host() + ": " + (result.failure() == null ? "lost" : result.failure().cause());
        if (!event.owner.onEventLost(event, cause)) {
            return;
        }
        context.counters.reruns++;
        event.nextAttempt(context);
        if (!context.has(Rule.RESUMED_BEFORE_RERUN)) {
            placing.placeLost(event);
            return;
        }
        RunningExecution execution = ((Steps) event.owner).execution();
        event.waiting(context);
        Noted noted = new Noted(event);
        execution.backups().resumed(Map.of(event.step, event.losses() + 1), noted::runsAgain);
        if (!execution.isStrict() && context.has(Rule.HOME_WHILE_BUS_IS_SILENT)) {
            context.later(context.configuration.sendPatienceNs(), noted::runsAgain);
        }
    }

    /**
     * A lost event until it runs again: once that is noted in the global bus, or, relaxed, when the bus is silent for so long. Nobody
     * else runs it without the bus, so at most one of its losses in each outage goes uncounted should this host be lost too.
     */
    private final class Noted {
        private final Event event;
        private boolean gone;

        Noted(Event event) {
            this.event = event;
        }

        void runsAgain() {
            if (gone) {
                return;
            }
            gone = true;
            context.later(placing.mayStay(event.grain) ? 0 : pauseNs(event), () -> {
                if (event.state() == Event.State.UNPLACED) {
                    context.timers.disarm(event);
                    placing.placeLost(event);
                }
            });
        }
    }

    private long pauseNs(Event event) {
        return Math.min(2L * event.losses() - 1, LONGEST_PAUSE) * context.configuration.retryNs();
    }

    /** Times of another host's clock are moved to where the event was sent by ours: their differences are what counts. */
    private void log(Event event, RemoteResult result, String error) {
        Hop hop = result.hop();
        Story story = (Story) event.owner.attemptLog();
        if (hop == null) {
            story.add(event, error, 0, 0);
            return;
        }
        long shiftNs = event.queuedNs - hop.queuedNs();
        story.add(new Hop(event.id, event.grainName, event.attempt, error, event.queuedNs, shifted(hop.handedNs(), shiftNs),
                shifted(hop.startedNs(), shiftNs), shifted(hop.endedNs(), shiftNs), context.nowNs, hop.cpuUs(), hop.peakMemoryBytes()));
    }

    private static long shifted(long readingNs, long shiftNs) {
        return readingNs == 0 ? 0 : readingNs + shiftNs;
    }
}
