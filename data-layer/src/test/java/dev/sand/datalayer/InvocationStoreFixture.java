package dev.sand.datalayer;

import static org.awaitility.Awaitility.await;

import dev.sand.event.Failure;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;

/** Records of invocations over a store that can be held and made to fail. */
abstract class InvocationStoreFixture {
    static final Duration FOREVER = Duration.ofDays(1);

    /** A store that can be held and made to fail. */
    static final class FaultyStore extends ForwardingStore {
        final AtomicBoolean full = new AtomicBoolean();
        final CountDownLatch open = new CountDownLatch(1);
        volatile boolean held;
        volatile int waiting;
        volatile int batches;
        /** What happens right after the next read. */
        final AtomicReference<Runnable> afterGet = new AtomicReference<>(() -> { });

        @Override
        public Optional<Versioned> get(String table, String scope, String key) {
            Optional<Versioned> found = super.get(table, scope, key);
            afterGet.getAndSet(() -> { }).run();
            return found;
        }

        @Override
        public void writeAll(List<Write> writes) {
            if (held) {
                waiting++;
                try {
                    open.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            if (full.get()) {
                throw new StoreException(StoreException.Kind.FULL, "no room", 0, null);
            }
            batches++;
            super.writeAll(writes);
        }
    }

    final FaultyStore store = new FaultyStore();
    InvocationStore invocations = open(Duration.ofMillis(1), 100, 1000);

    @AfterEach
    void close() {
        store.open.countDown();
        invocations.close();
    }

    static boolean uninterrupted(CountDownLatch latch) {
        try {
            return latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static InvocationRecord withOutput(int number, int size) {
        byte[] bytes = new byte[size];
        bytes[size - 1] = (byte) number;
        return ended(record("app", number, Status.SUCCEEDED, "g"), new Payload("image/png", bytes, null));
    }

    static InvocationRecord ended(InvocationRecord record, Payload output) {
        return record.with(record.input(), output);
    }

    void reopen(Duration linger, int maxWaiting, int keep) {
        invocations.close();
        invocations = open(linger, maxWaiting, keep);
    }

    InvocationStore open(Duration linger, int maxWaiting, int keep) {
        return open(linger, maxWaiting, keep, new ScopeParts(1));
    }

    InvocationStore open(Duration linger, int maxWaiting, int keep, ScopeParts parts) {
        return new InvocationStore(store, new InvocationStore.Options(maxWaiting, 1 << 20, linger, keep, 500_000, parts));
    }

    static String id(int number) {
        return String.format("01HZ%022d", number);
    }

    static InvocationRecord record(String application, int number, Status status, String target) {
        return new InvocationRecord((short) 1, id(number), application, 1, target, status, Payload.nullJson(), null,
                status == Status.FAILED ? Failure.grain("ValueError", "no", "at line 1") : null, 10, 20, 30, 40,
                List.of(new Hop(id(number) + "/Root", "g", 1, null, 1, 2, 3, 4, 5, 6, 7)));
    }
}
