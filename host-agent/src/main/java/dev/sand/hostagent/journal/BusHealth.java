package dev.sand.hostagent.journal;

import java.util.concurrent.atomic.AtomicLong;

/** Whether the global bus takes records: told of every append and how it ended, asked before somebody is made to wait. */
final class BusHealth {
    /** A bus that confirms nothing for so long is away; after a refusal, one record in so long tries again. */
    private static final long PATIENCE_NS = 2_000_000_000L;

    private final AtomicLong inFlight = new AtomicLong();
    private volatile long progressNs = System.nanoTime();
    private volatile long refusedNs;
    /** Why the last record was not taken, in the bus's words; null when one was taken since. */
    private volatile String refusal;

    void given() {
        if (inFlight.getAndIncrement() == 0) {
            progressNs = System.nanoTime();
        }
    }

    void appended() {
        inFlight.decrementAndGet();
        progressNs = System.nanoTime();
        refusal = null;
    }

    /** @param why the bus could not be reached, or has no room; null: it is only this record that it did not take */
    void failed(String why) {
        inFlight.decrementAndGet();
        if (why != null) {
            refusedNs = System.nanoTime();
            refusal = why;
        }
    }

    /** @return why nobody should be made to wait for a record now, or null */
    String away() {
        String why = refusal;
        if (why == null && inFlight.get() == 0) {
            return null;
        }
        long now = System.nanoTime();
        if (why != null) {
            return now - refusedNs < PATIENCE_NS ? why : null;
        }
        return now - progressNs > PATIENCE_NS ? "it has confirmed nothing for " + (now - progressNs) / 1_000_000 + " ms" : null;
    }
}
