package dev.sand.event;

import java.util.function.LongSupplier;

/** Whether something was refused lately for want of room: whoever reads from a full disk notices nothing. Any thread. */
public final class LatelyFull {
    /** Writes that wait for room are tried again more often. */
    private static final long LATELY_NS = 5_000_000_000L;

    private record Refusal(String why, long atNs) {}

    private final LongSupplier clockNs;
    private volatile Refusal last;

    public LatelyFull() {
        this(System::nanoTime);
    }

    LatelyFull(LongSupplier clockNs) {
        this.clockNs = clockNs;
    }

    public void refused(String why) {
        last = new Refusal(why, clockNs.getAsLong());
    }

    /** Null: nothing was, lately. */
    public String why() {
        Refusal refusal = last;
        return refusal == null || clockNs.getAsLong() - refusal.atNs > LATELY_NS ? null : refusal.why;
    }
}
