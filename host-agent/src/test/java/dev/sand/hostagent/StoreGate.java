package dev.sand.hostagent;

import static org.awaitility.Awaitility.await;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Holds up every call of one kind that the store gets for an image, until it is opened. */
final class StoreGate implements Consumer<String> {
    private final String held;
    private final CountDownLatch open = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();

    /** @param held as the method of the store is called */
    StoreGate(String held) {
        this.held = held;
    }

    @Override
    public void accept(String call) {
        if (call.equals(held)) {
            waiting.incrementAndGet();
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    void awaitCall() {
        await("a call of " + held).atMost(ProcessHosts.PATIENCE).until(() -> waiting.get() > 0);
    }

    void open() {
        open.countDown();
    }
}
