package dev.sand.hostagent.core;

import dev.sand.event.InvocationResult.Hop;

/** What is measured of one grain on one shard since its start. The owner thread's alone; a scrape reads it there. */
public final class GrainFigures {
    final String application;
    final String grain;
    final Durations queue = new Durations();
    /** From the queue to the handler's first line, of events that found an instance waiting. */
    final Durations handOver = new Durations();
    final Durations dispatch = new Durations();
    final Durations run = new Durations();
    final Durations bus = new Durations();
    /** From the order to fork until the instance waited, rehearsed. */
    final Durations fork = new Durations();
    long attempts;
    long failures;

    /**
     * @param queued events that wait now, and queuedBytes their inputs
     * @param oldestNs age of the event that waits for longest
     * @param idle instances that wait now; running those with an event; spawning those being forked
     */
    public record Reading(String application, String grain, long attempts, long failures, int queued, long queuedBytes,
                          long oldestNs, int idle, int running, int spawning, Durations.Reading queue, Durations.Reading handOver,
                          Durations.Reading dispatch, Durations.Reading run, Durations.Reading bus, Durations.Reading fork) {}

    GrainFigures(String application, String grain) {
        this.application = application;
        this.grain = grain;
    }

    /** Some ten additions an attempt. */
    void ended(Hop hop) {
        attempts++;
        if (hop.error() != null) {
            failures++;
        }
        if (hop.handedNs() == 0) {
            return;
        }
        queue.add(hop.handedNs() - hop.queuedNs());
        if (hop.startedNs() == 0) {
            return;
        }
        long dispatchNs = hop.startedNs() - hop.handedNs();
        dispatch.add(dispatchNs);
        if (hop.handedNs() == hop.queuedNs()) {
            handOver.add(dispatchNs);
        }
        run.add(hop.endedNs() - hop.startedNs());
        bus.add(hop.returnedNs() - hop.endedNs());
    }
}
