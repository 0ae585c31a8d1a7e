package dev.sand.frontend.hosts;

import java.util.concurrent.atomic.AtomicLong;

/** What was counted of requests on their way to hosts. Written on the links' loop, read by any thread. */
public final class RoutingCounts {
    private final AtomicLong resent = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong overBus = new AtomicLong();

    void resent() {
        resent.incrementAndGet();
    }

    void refused() {
        refused.incrementAndGet();
    }

    void overBus() {
        overBus.incrementAndGet();
    }

    /** Requests sent again under the same id. */
    public long timesResent() {
        return resent.get();
    }

    /** Answers refused for their epoch, or since the request has been sent to another owner. */
    public long timesRefused() {
        return refused.get();
    }

    public long timesOverBus() {
        return overBus.get();
    }
}
