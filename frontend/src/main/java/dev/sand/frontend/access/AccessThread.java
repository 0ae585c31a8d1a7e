package dev.sand.frontend.access;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads behind the requests' back what the ring has to know, and writes when keys were last used. */
public final class AccessThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessThread.class);
    private static final long REFRESH_MS = 400;
    /** Less than whoever makes the first account waits for. */
    private static final long ACCOUNTS_MS = 800;
    private static final long NOTE_S = 60;
    private final AccessRing ring;
    private final Accounts accounts;
    private final ScheduledExecutorService refreshing = Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("access").factory());
    private final ScheduledExecutorService noting = Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("access-use").factory());

    public AccessThread(AccessRing ring, Accounts accounts) {
        this.ring = ring;
        this.accounts = accounts;
    }

    public void start() {
        refreshing.scheduleWithFixedDelay(() -> guarded(ring::refresh), REFRESH_MS, REFRESH_MS, TimeUnit.MILLISECONDS);
        refreshing.scheduleWithFixedDelay(() -> guarded(accounts::renew), ACCOUNTS_MS, ACCOUNTS_MS, TimeUnit.MILLISECONDS);
        noting.scheduleWithFixedDelay(() -> guarded(ring::note), NOTE_S, NOTE_S, TimeUnit.SECONDS);
    }

    /** What throws would not be done again. */
    private static void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.error("what is known of keys was not renewed", e);
        }
    }

    @Override
    public void close() {
        refreshing.shutdownNow();
        noting.shutdownNow();
    }
}
