package dev.sand.globalbus;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a member of the group appends, with the outcomes brought back to its thread. The queue holds the outcomes of what the
 * member has under way, and claims of others: a few a slot.
 */
final class MemberOutbox {
    private static final Logger LOG = LoggerFactory.getLogger(MemberOutbox.class);

    private final GlobalBus bus;
    private final LinkedBlockingQueue<Runnable> inbox = new LinkedBlockingQueue<>();

    MemberOutbox(GlobalBus bus) {
        this.bus = bus;
    }

    void onThread(Runnable work) {
        inbox.add(work);
    }

    void append(String topic, int partition, byte[] record, LongConsumer onOffset, Consumer<BusException> onFailure) {
        bus.append(topic, partition, record, new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long offset) {
                onThread(() -> onOffset.accept(offset));
            }

            @Override
            public void onFailed(BusException failure) {
                LOG.warn("membership: {}", failure.getMessage());
                onThread(() -> onFailure.accept(failure));
            }
        });
    }

    /** Runs what waits; called by the member's thread. */
    void runAll() {
        for (Runnable work = inbox.poll(); work != null; work = inbox.poll()) {
            work.run();
        }
    }

    /** As runAll, and waits for something to come. */
    void runOne(Duration atMost) throws InterruptedException {
        Runnable work = inbox.poll(atMost.toMillis(), TimeUnit.MILLISECONDS);
        if (work != null) {
            work.run();
        }
    }
}
