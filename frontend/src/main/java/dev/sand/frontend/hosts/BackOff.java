package dev.sand.frontend.hosts;

import java.time.Duration;

/** Pauses before what failed is tried again: each twice the last, up to the longest. */
final class BackOff {
    private final long longestNs;
    private long nextNs;

    BackOff(RoutingOptions options) {
        this.nextNs = options.backOff().toNanos();
        this.longestNs = options.slowestBackOff().toNanos();
    }

    Duration next() {
        Duration pause = Duration.ofNanos(nextNs);
        nextNs = Math.min(nextNs * 2, longestNs);
        return pause;
    }
}
