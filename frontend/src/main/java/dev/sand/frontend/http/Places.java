package dev.sand.frontend.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * So many places for what is done at once, of which one tenant has so many at most: whoever fills his own waits, or is refused, and
 * nobody else. Any thread.
 */
public final class Places {
    private final Semaphore all;
    private final int most;
    private final int mostOfOne;
    /** By tenant, and there are as many of these as the operator has made. */
    private final Map<String, Semaphore> ofOne = new ConcurrentHashMap<>();

    public Places(int most, int mostOfOne) {
        this.all = new Semaphore(most, true);
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** Blocks, for so long at most. Whoever got one leaves it. */
    public boolean take(String tenant, long patienceMs) throws InterruptedException {
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        Semaphore his = of(tenant);
        if (!his.tryAcquire(patienceMs, TimeUnit.MILLISECONDS)) {
            return false;
        }
        boolean taken = false;
        try {
            taken = all.tryAcquire(Math.max(0, untilNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        } finally {
            if (!taken) {
                his.release();
            }
        }
        return taken;
    }

    /** As above, at once or not. */
    public boolean tryTake(String tenant) {
        Semaphore his = of(tenant);
        if (!his.tryAcquire()) {
            return false;
        }
        boolean taken = all.tryAcquire();
        if (!taken) {
            his.release();
        }
        return taken;
    }

    private Semaphore of(String tenant) {
        return ofOne.computeIfAbsent(tenant, _ -> new Semaphore(mostOfOne, true));
    }

    public void leave(String tenant) {
        all.release();
        of(tenant).release();
    }

    /** None was to be had. @param what the places are for, as in "Too many deployments at once" */
    public Problem refusal(String what) {
        return Problem.platform(429, "overloaded", "Too many " + what + " at once", "As many " + what + " are under way as are taken: "
                + mostOfOne + " of one tenant, and " + most + " in all.", true).with("limit", mostOfOne).with("actual", mostOfOne + 1);
    }
}
