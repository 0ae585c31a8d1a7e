package dev.sand.hostagent.core;

/**
 * How many events came to a grain lately, and how many were handed to instances: counted by the second, in places that are there from
 * the start. Some additions an event. The owner thread's alone.
 */
final class Traffic {
    /** Whole ones: the second that runs counts once it is over. */
    static final int SECONDS = 10;
    private static final long SECOND_NS = 1_000_000_000;
    /** One more than the window has, for the second that runs. */
    private static final int PLACES = SECONDS + 1;

    private final int[] in = new int[PLACES];
    private final int[] out = new int[PLACES];
    private long second;

    /** @param nowNs the clock that is given with inputs, never going back */
    void cameIn(long nowNs) {
        in[place(nowNs)]++;
    }

    void handedOut(long nowNs) {
        out[place(nowNs)]++;
    }

    double inPerSecond(long nowNs) {
        return mean(in, nowNs);
    }

    double outPerSecond(long nowNs) {
        return mean(out, nowNs);
    }

    private double mean(int[] counts, long nowNs) {
        int running = place(nowNs);
        long sum = 0;
        for (int i = 0; i < PLACES; i++) {
            sum += i == running ? 0 : counts[i];
        }
        return (double) sum / SECONDS;
    }

    /** That of the second that runs; those of seconds since the last look are empty. */
    private int place(long nowNs) {
        long now = Math.floorDiv(nowNs, SECOND_NS);
        if (now != second) {
            for (long each = Math.max(second + 1, now - SECONDS); each <= now; each++) {
                int place = Math.floorMod(each, PLACES);
                in[place] = 0;
                out[place] = 0;
            }
            second = now;
        }
        return Math.floorMod(second, PLACES);
    }
}
