package dev.sand.hostagent.core;

import dev.sand.event.InvocationResult.Status;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a shard's core has counted since it began. Written by the core alone. */
public final class Counters {
    /** Requests: {@code received = refused + joined + admitted}, and {@code admitted + recovered = the four ends + moved + open}. */
    public long received;
    public long refused;
    public long joined;
    public long admitted;
    public long recovered;
    public long succeeded;
    public long failed;
    public long timedOut;
    public long cancelled;
    /** Ended here without effect, because their slot went to another host. */
    public long moved;
    /** Events: attempts handed over, how they ended, and events put back because their attempt was lost. */
    public long handedOver;
    public long finished;
    public long attemptsFailed;
    public long crashed;
    public long lost;
    public long reruns;
    public long overloaded;
    /** Events sent to other hosts, and events of other hosts' executions run here. */
    public long sentAway;
    public long cameBack;
    public long sendFailures;
    /** Sent events that were run here after all: the global bus did not confirm them, or was silent for long. */
    public long takenBack;
    /** Times that an event had to wait for a host where it may run. */
    public long unplaced;
    public long guests;
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
    /** Results of instances that came when their event was not theirs any more: its execution has moved, or has ended otherwise. */
    public long late;
    public long journalFailures;
    public long recordFailures;
    public long hopsNotKept;

    /** By the names of the fields, in their order. */
    Map<String, Long> read() {
        Map<String, Long> values = new LinkedHashMap<>();
        for (Field field : Counters.class.getFields()) {
            try {
                values.put(field.getName(), field.getLong(this));
            } catch (IllegalAccessException e) {
                throw new IllegalStateException("a counter that cannot be read: " + field, e);
            }
        }
        return values;
    }

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
