package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.GlobalBus.Tail;
import dev.sand.globalbus.GlobalBus.TailListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One tail of an embedded bus: woken when its partition may have something new, it reads a page and hands it over, until a
 * read gives nothing. Scheduled at most once at a time.
 */
final class EmbeddedTail implements Tail, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedTail.class);
    private static final int PAGE_RECORDS = 512;
    private static final int RETRY_MS = 1000;

    /** Where records come from. */
    interface Source {
        List<BusRecord> read(String topic, int partition, long offset, int max);

        /** What tells a topic from one of its name that was made later; null when there is no such partition. */
        Object identity(String topic, int partition);
    }

    private final Source source;
    private final String topic;
    private final int partition;
    private final TailListener listener;
    private final Executor executor;
    private final Consumer<EmbeddedTail> onClosed;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final ReentrantLock delivery = new ReentrantLock();
    private volatile boolean paused;
    private volatile boolean closed;
    private long next;
    private Object identity;

    EmbeddedTail(Source source, String topic, int partition, long offset, TailListener listener, Executor executor,
            Consumer<EmbeddedTail> onClosed) {
        this.source = source;
        this.topic = topic;
        this.partition = partition;
        this.next = offset;
        this.listener = listener;
        this.executor = executor;
        this.onClosed = onClosed;
        this.identity = source.identity(topic, partition);
    }

    void wake() {
        if (!closed && !paused && scheduled.compareAndSet(false, true)) {
            executor.execute(this);
        }
    }

    @Override
    public void run() {
        scheduled.set(false); // before the read: what comes after it wakes the tail again
        delivery.lock();
        boolean more;
        try {
            more = !closed && !paused && deliver();
        } finally {
            delivery.unlock();
        }
        if (more) {
            wake();
        }
    }

    private boolean deliver() {
        Object now = source.identity(topic, partition);
        if (now == null) {
            return false;
        }
        if (identity != null && identity != now) {
            next = 0;
        }
        identity = now;
        List<BusRecord> records = read();
        if (records.isEmpty()) {
            return false;
        }
        next = records.getLast().offset() + 1;
        try {
            listener.onRecords(records);
        } catch (RuntimeException e) {
            LOG.error("global bus: the listener of {}-{} failed at {}", topic, partition, next, e);
        }
        return true;
    }

    private List<BusRecord> read() {
        try {
            return source.read(topic, partition, next, PAGE_RECORDS);
        } catch (BusException e) {
            if (e.kind() != Kind.UNKNOWN_TOPIC && e.kind() != Kind.CLOSED) {
                LOG.warn("global bus: cannot follow {}-{} from {}, tried again in {} ms: {}", topic, partition, next, RETRY_MS,
                        e.getMessage());
                CompletableFuture.delayedExecutor(RETRY_MS, TimeUnit.MILLISECONDS, Runnable::run).execute(this::wake);
            }
            return List.of();
        }
    }

    @Override
    public void pause() {
        paused = true;
    }

    @Override
    public void resume() {
        paused = false;
        wake();
    }

    @Override
    public void close() {
        delivery.lock(); // waits for a delivery under way, unless it is that delivery that closes
        try {
            closed = true;
        } finally {
            delivery.unlock();
        }
        onClosed.accept(this);
    }
}
