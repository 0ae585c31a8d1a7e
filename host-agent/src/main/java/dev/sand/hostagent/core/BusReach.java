package dev.sand.hostagent.core;

/**
 * Whether the global bus takes this shard's events for other hosts, as they tell themselves. Once one was not taken, or not
 * confirmed for a while, only one in so long tries, until one is confirmed. Used by {@link Sending}.
 */
final class BusReach {
    private final long pauseNs;
    private boolean silent;
    private long triesAtNs;

    BusReach(long pauseNs) {
        this.pauseNs = pauseNs;
    }

    /** Whether an event that could as well run here may be sent; while the bus is silent, whoever is told so is the one that tries. */
    boolean takesOne(long nowNs) {
        if (!silent) {
            return true;
        }
        if (nowNs < triesAtNs) {
            return false;
        }
        triesAtNs = nowNs + pauseNs;
        return true;
    }

    void confirmed() {
        silent = false;
    }

    void silent(long nowNs) {
        silent = true;
        triesAtNs = nowNs + pauseNs;
    }
}
