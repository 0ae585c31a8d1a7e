package dev.sand.hostagent.core;

import dev.sand.event.Slots;

/**
 * Limits and times of one shard's core.
 *
 * @param maxExecutions open at once, on this shard; an application that has half of them starts no more by itself
 * @param maxHeldBytes of inputs of open executions, in frames
 * @param maxListeners of one execution, and watchers as many
 * @param maxOpenSteps of one execution at once
 * @param maxHops kept of one execution: later ones are counted only
 * @param rememberedResults of ended executions, for the same id given again
 * @param rememberedBytes of their outputs
 * @param coldApplications known without a sandbox; beyond, the one used longest ago is forgotten
 * @param runsPerEvent first run and re-runs, on one host, of an event whose worker or sandbox was lost under it
 * @param runsInAll of an event, counting those that were lost with their host or by the moving of a slot, which is nobody's fault
 * @param startsInARow of a sandbox or worker that fail before what waits for it is failed
 * @param forkFailuresInARow of a worker before what waits for it is failed
 * @param backOffNs before the second start; doubles up to {@code maxBackOffNs}
 * @param workerStartNs longest import of a grain's code
 * @param spawnNs longest time from fork to first take
 * @param killGraceNs from the first kill until the sandbox is stopped because the instance is still there
 * @param endGraceNs from the end of its last attempt until an instance that should be gone is killed
 * @param deathCauseNs how long the words for a death are waited for after a connection closed
 * @param lateFiguresNs how long CPU time and memory are waited for after an execution ended
 * @param refillDelayNs pause after a hand-over before a pool that can wait is filled up: longer than most short requests take in all
 * @param poolReviewNs period in which idle targets shrink and old instances are renewed
 * @param renewNs age at which an idle instance is renewed
 * @param idleInstanceBytes estimate that bounds idle instances by the sandbox's memory (a quarter of it)
 * @param slots of the platform, the same for ever
 * @param maxHeldRequests while the journals of their slots are read
 * @param maxAway events on other hosts at once
 * @param maxGuests events of other hosts' executions at once
 * @param rememberedGuests their last results, for the same event given again; their outputs within {@code rememberedBytes}
 * @param placementWaitNs how long an event waits for a host where it may run
 * @param sendPatienceNs until an event that the global bus has not confirmed is run here instead, where it may be
 * @param returnPatienceNs until an event that another host has is run here too, where it may be, when nothing was heard over the global bus
 *     for so long; relaxed
 * @param processors of this host: events at once that make it busy
 * @param messageHoldNs how long a message may be in no journal while its sender runs ({@link HeldMessages}); 0: each goes at once
 * @param togetherNs how long the answer to who awaits what it invokes waits for the result ({@link FollowUp})
 * @param journaledBytes of a process, in records of its journal, until it gets an image; or a quarter of its state when that is more
 * @param retryNs pause before an adapter is asked again: stopping a sandbox, journaling, storing
 */
public record CoreConfiguration(
        int maxExecutions, long maxHeldBytes, int maxListeners, int maxOpenSteps, int maxHops, int rememberedResults,
        long rememberedBytes, int coldApplications, int runsPerEvent, int runsInAll, int startsInARow, int forkFailuresInARow,
        long backOffNs, long maxBackOffNs, long workerStartNs, long spawnNs, long killGraceNs, long endGraceNs,
        long deathCauseNs, long lateFiguresNs, long refillDelayNs, long poolReviewNs, long renewNs,
        long idleInstanceBytes, int slots, int maxHeldRequests, int maxAway, int maxGuests, int rememberedGuests,
        long placementWaitNs, long sendPatienceNs, long returnPatienceNs, int processors, long messageHoldNs,
        long togetherNs, long journaledBytes, long retryNs) {
    private static final long MS = 1_000_000;
    private static final long S = 1000 * MS;

    public static final CoreConfiguration DEFAULT = new CoreConfiguration(
            50_000, 512L << 20, 100, 10_000, 1_000, 10_000,
            64L << 20, 1_000, 3, 10, 3, 5,
            100 * MS, 30 * S, 120 * S, 60 * S, 2 * S, 2 * S,
            2 * S, S, 2 * MS, 10 * S, 600 * S,
            2L << 20, Slots.DEFAULT, 10_000, 10_000, 10_000, 10_000, 10 * S, 3 * S, 15 * S, 2, 50 * MS,
            MS / 2, JournalBytes.OF_ONE, S);

    /** The number that the platform's membership has. */
    public CoreConfiguration withSlots(int value) {
        return with(maxExecutions, value, processors, messageHoldNs, togetherNs, journaledBytes);
    }

    CoreConfiguration withMaxExecutions(int value) {
        return with(value, slots, processors, messageHoldNs, togetherNs, journaledBytes);
    }

    public CoreConfiguration withProcessors(int value) {
        return with(maxExecutions, slots, value, messageHoldNs, togetherNs, journaledBytes);
    }

    public CoreConfiguration withMessageHold(long valueNs) {
        return with(maxExecutions, slots, processors, valueNs, togetherNs, journaledBytes);
    }

    public CoreConfiguration withTogether(long valueNs) {
        return with(maxExecutions, slots, processors, messageHoldNs, valueNs, journaledBytes);
    }

    public CoreConfiguration withJournaledBytes(long value) {
        return with(maxExecutions, slots, processors, messageHoldNs, togetherNs, value);
    }

    private CoreConfiguration with(int otherExecutions, int otherSlots, int otherProcessors, long otherHoldNs,
            long otherTogetherNs, long otherJournaledBytes) {
        return new CoreConfiguration(otherExecutions, maxHeldBytes, maxListeners, maxOpenSteps, maxHops, rememberedResults, rememberedBytes,
                coldApplications, runsPerEvent, runsInAll, startsInARow, forkFailuresInARow, backOffNs, maxBackOffNs, workerStartNs, spawnNs,
                killGraceNs, endGraceNs, deathCauseNs, lateFiguresNs, refillDelayNs, poolReviewNs, renewNs, idleInstanceBytes, otherSlots,
                maxHeldRequests, maxAway, maxGuests, rememberedGuests, placementWaitNs, sendPatienceNs, returnPatienceNs, otherProcessors,
                otherHoldNs, otherTogetherNs, otherJournaledBytes, retryNs);
    }

    /** @param failures so far, from 1 */
    long backOff(int failures) {
        return Math.min(maxBackOffNs, backOffNs << Math.min(failures - 1, 20));
    }
}
