package dev.sand.hostagent.core;

import dev.sand.event.InvocationResult.Status;

/** What a shard's core has counted since it began. Written by the core alone. */
public final class Counters {
    /** Requests: {@code received = refused + joined + admitted}, and {@code admitted = the four ends + open}. */
    public long received;
    public long refused;
    public long joined;
    public long admitted;
    public long recovered;
    public long succeeded;
    public long failed;
    public long timedOut;
    public long cancelled;
    /** Events: attempts handed over, how they ended, and events put back because their attempt was lost. */
    public long handedOver;
    public long finished;
    public long attemptsFailed;
    public long crashed;
    public long lost;
    public long reruns;
    public long overloaded;
    /** Hand-overs that found an instance waiting, and events that had to wait for one. */
    public long warm;
    public long missed;
    /** Processes. */
    public long spawned;
    public long forkFailures;
    public long dismissed;
    public long kills;
    public long escalations;
    public long workerStarts;
    public long workerRestarts;
    public long sandboxStarts;
    public long sandboxFailures;
    /** Inputs that came from an attempt, instance, worker or sandbox that counts no more, or that made no sense. */
    public long stale;
    public long journalFailures;
    public long recordFailures;
    public long hopsNotKept;

    void ended(Status status) {
        switch (status) {
            case SUCCEEDED -> succeeded++;
            case FAILED -> failed++;
            case TIMED_OUT -> timedOut++;
            case CANCELLED -> cancelled++;
            case RUNNING -> throw new IllegalStateException("an execution that runs has not ended");
        }
    }
}
