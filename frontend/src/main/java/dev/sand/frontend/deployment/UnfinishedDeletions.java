package dev.sand.frontend.deployment;

import dev.sand.datalayer.Registry;
import dev.sand.event.LogFields;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings deletions to their end that were cut short, by a part's loss or the frontend's own. One that somebody is in the middle of is
 * left to him: only what no one has begun anew for a while is gone on with.
 */
public final class UnfinishedDeletions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UnfinishedDeletions.class);
    /** Longer than a deletion takes. */
    private static final long PERIOD_MS = 60_000;
    private final Registry registry;
    private final Deployer deployer;
    private final Deletion deletion;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("deletions").factory());
    /** By application, the number of the one that was under way at the last look. */
    private Map<String, Long> before = Map.of();

    public UnfinishedDeletions(Registry registry, Deployer deployer, Deletion deletion) {
        this.registry = registry;
        this.deployer = deployer;
        this.deletion = deletion;
    }

    public void start() {
        thread.scheduleWithFixedDelay(this::look, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    /** Blocks. */
    public synchronized void look() {
        try {
            Map<String, Long> now = registry.deletionsUnderWay();
            now.forEach((application, number) -> {
                if (number.equals(before.get(application))) {
                    goOn(application);
                }
            });
            before = now;
        } catch (RuntimeException e) {
            LOG.debug("which deletions have not ended cannot be read: {}", e.toString());
        }
    }

    private void goOn(String application) {
        try {
            deployer.alone(application, () -> deletion.goOn(application));
        } catch (RuntimeException e) {
            LOG.atInfo().addKeyValue(LogFields.APPLICATION, application)
                    .log("application {} is deleted, and what is left of it stays for now: {}", application, e.toString());
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
