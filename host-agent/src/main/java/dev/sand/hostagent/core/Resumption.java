package dev.sand.hostagent.core;

import dev.sand.workflow.Execution.Signal;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was processing when an execution's last owner was lost runs again here (SAND 4.2.1), as the next attempt; so often at
 * most, then it fails with that cause. The attempts are in the global bus before any of them runs: an event that takes its
 * hosts down with it would otherwise be run by one host after the other. What was away on another host is run again too: the
 * journal does not say where events are, and a result that comes back late is a stale attempt's, and dropped.
 */
final class Resumption {
    private final CoreContext context;
    private final Input.Recover recovery;
    private final long recoveredNs;

    /** @param recoveredNs when the journal's word of it came */
    Resumption(CoreContext context, Input.Recover recovery, long recoveredNs) {
        this.context = context;
        this.recovery = recovery;
        this.recoveredNs = recoveredNs;
    }

    /** @return the attempts that are to be in the global bus before any of these events runs */
    Map<String, Integer> begin(Collection<Event> open) {
        Map<String, Integer> attempts = new LinkedHashMap<>();
        for (Event event : open) {
            int lost = recovery.attempts().getOrDefault(event.step, 1); // a step that was not resumed was in its first attempt
            event.lostBefore(lost);
            event.attempt = lost + 1;
            attempts.put(event.step, event.attempt);
        }
        return attempts;
    }

    void run(Event event) {
        if (event.losses() < context.configuration.runsInAll() || !context.has(Rule.RETRY_LIMIT)) {
            context.placing.readmit(event);
        } else {
            event.end(context);
            event.owner.onEventFailed(event, Refusals.lost(event, "the owner of its execution was lost"));
        }
    }

    /**
     * How long ago an earlier owner met the signal: by the global bus's clock. Where that is not known, by the wall clocks of
     * both hosts, but not longer than the execution is old: a clock that is fast fires no timer before its time by more than
     * that, and one that is slow lets it run its full length again.
     *
     * @param left signals that are still to be replayed, this one included
     */
    long elapsedMs(Signal signal, int left) {
        int place = recovery.replay().size() - left;
        long ageMs = place < 0 ? recovery.elapsedMs() : recovery.agesMs().get(place);
        if (ageMs >= 0) {
            return ageMs + (context.nowNs - recoveredNs) / 1_000_000;
        }
        long byClocksMs = signal.atMs() > 0 ? Math.max(0, context.epochMs() - signal.atMs()) : 0;
        return recovery.elapsedMs() < 0 ? byClocksMs : Math.min(byClocksMs, recovery.elapsedMs());
    }
}
