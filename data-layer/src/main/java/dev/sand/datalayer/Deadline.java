package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import java.time.Duration;

/** When a call of the store has to be over, by this process's monotonic clock. */
record Deadline(long atNs) {
    static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    boolean passed() {
        return System.nanoTime() - atNs >= 0;
    }

    /** At least a moment, so that what is asked at the last minute fails there. */
    Duration remaining() {
        return Duration.ofNanos(Math.max(1_000_000, atNs - System.nanoTime()));
    }

    /** @throws StoreException AWAY when that would end behind the deadline */
    void pause(Duration pause, StoreException cause) {
        if (System.nanoTime() + pause.toNanos() - atNs >= 0) {
            throw cause;
        }
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException(Kind.AWAY, "interrupted while waiting for Cassandra", 0, e);
        }
    }
}
