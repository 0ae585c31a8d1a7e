package dev.sand.tests.cluster;

import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;

/** All parts are started at once and wait for each other themselves; the fixture waits for the whole. */
final class Started extends AbstractWaitStrategy {
    @Override
    protected void waitUntilReady() {
        // The container runs: that is all.
    }
}
