package dev.sand.hostagent.journal;

import java.util.List;

/**
 * How old an execution and its signals are. What lies between their records and the new owner's claim is told by the global
 * bus's clock, what has passed since that claim by this host's monotonic one: hosts' wall clocks may differ by minutes.
 *
 * @param acceptedMs when the bus took the request's record, by its clock; 0: not known
 * @param signalsMs the same of the signals' records
 * @param claimMs the same of the claim
 * @param claimNs when this host knew that the claim was taken
 */
public record Ages(long acceptedMs, List<Long> signalsMs, long claimMs, long claimNs) {
    /** Of an execution whose bus keeps no times. */
    public static final long UNKNOWN = -1;

    long ofAcceptanceMs(long nowNs) {
        return ageMs(acceptedMs, nowNs);
    }

    List<Long> ofSignalsMs(long nowNs) {
        return signalsMs.stream().map(atMs -> ageMs(atMs, nowNs)).toList();
    }

    /** A bus's clock may be set back: nothing is younger than the claim. */
    private long ageMs(long atMs, long nowNs) {
        return atMs == 0 || claimMs == 0 ? UNKNOWN : Math.max(0, claimMs - atMs) + (nowNs - claimNs) / 1_000_000;
    }
}
