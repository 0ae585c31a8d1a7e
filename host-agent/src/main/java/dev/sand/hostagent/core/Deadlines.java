package dev.sand.hostagent.core;

import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;

/**
 * How long an execution still has. Deadlines travel as remaining time, so that no decision compares two hosts' clocks
 * (DESIGN, decision 13). A recovered one has what was left of its time-out by the global bus's own clock, when the journal
 * has its times. When it has not, the wall clock in the execution's id (a frontend's) is all that there is; it may be wrong by
 * minutes, so it takes at most half of the time-out away: a wrong clock shortens an execution and never ends one, and a right
 * one keeps executions whose hosts die again and again from living for ever.
 */
final class Deadlines {
    private Deadlines() {}

    /** @param recovery null: the request comes from a frontend, with the time that remains */
    static long remainingMs(InvocationRequest request, Input.Recover recovery, long wallMs) {
        long timeoutMs = request.timeoutMs();
        if (recovery == null) {
            return timeoutMs;
        }
        if (recovery.elapsedMs() >= 0) {
            return Math.max(0, timeoutMs - recovery.elapsedMs());
        }
        if (!Ids.isValid(request.executionId())) {
            return timeoutMs;
        }
        return timeoutMs - Math.clamp(wallMs - Ids.epochMs(request.executionId()), 0, timeoutMs / 2);
    }
}
