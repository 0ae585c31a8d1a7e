package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The global bus in memory, for tests and the simulator: the executor given decides when an accepted record counts as
 * durable and its listener is called, so that a simulation can hold it back.
 */
public final class MemoryBus implements GlobalBus {
    private static final class Log {
        final ArrayDeque<BusRecord> records = new ArrayDeque<>();
        long end;
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final TreeMap<String, List<Log>> topics = new TreeMap<>();
    private final AtomicLong backlog = new AtomicLong();
    private final long maxBacklogBytes;
    private final int maxRecordBytes;
    private final Executor executor;
    private final LongSupplier clockMs;
    private final EmbeddedTails tails;
    private volatile boolean closed;

    /** Records are durable at once, and listeners are called by the appending thread. */
    public MemoryBus() {
        this(Long.MAX_VALUE, Integer.MAX_VALUE, Runnable::run);
    }

    /** @param executor runs one task after the other, in order */
    public MemoryBus(long maxBacklogBytes, int maxRecordBytes, Executor executor) {
        this(maxBacklogBytes, maxRecordBytes, executor, System::currentTimeMillis);
    }

    /** @param clockMs of the bus: when it takes its records */
    public MemoryBus(LongSupplier clockMs) {
        this(Long.MAX_VALUE, Integer.MAX_VALUE, Runnable::run, clockMs);
    }

    private MemoryBus(long maxBacklogBytes, int maxRecordBytes, Executor executor, LongSupplier clockMs) {
        this.clockMs = clockMs;
        this.maxBacklogBytes = maxBacklogBytes;
        this.maxRecordBytes = maxRecordBytes;
        this.executor = executor;
        this.tails = new EmbeddedTails(new EmbeddedTail.Source() {
            @Override
            public List<BusRecord> read(String topic, int partition, long offset, int max) {
                return MemoryBus.this.read(topic, partition, offset, max);
            }

            @Override
            public Object identity(String topic, int partition) {
                return locked(() -> find(topic, partition));
            }
        }, executor);
    }

    @Override
    public void createTopic(String topic, int partitions) {
        if (partitions < 1) {
            throw new IllegalArgumentException("a topic has at least one partition: " + topic);
        }
        if (closed) {
            throw new BusException(Kind.CLOSED, "the global bus is closed", null);
        }
        locked(() -> topics.computeIfAbsent(topic, t -> {
            List<Log> logs = new ArrayList<>();
            for (int i = 0; i < partitions; i++) {
                logs.add(new Log());
            }
            return logs;
        }));
    }

    @Override
    public void deleteTopic(String topic) {
        locked(() -> topics.remove(topic));
    }

    @Override
    public int partitions(String topic) {
        return locked(() -> topics.getOrDefault(topic, List.of()).size());
    }

    @Override
    public List<String> topics() {
        return locked(() -> List.copyOf(topics.keySet()));
    }

    @Override
    public void append(String topic, int partition, byte[] value, AppendListener listener) {
        Log log;
        try {
            log = locked(() -> log(topic, partition));
        } catch (BusException e) {
            listener.onFailed(e);
            return;
        }
        if (closed) {
            listener.onFailed(new BusException(Kind.CLOSED, "the global bus is closed", null));
        } else if (value.length > maxRecordBytes) {
            listener.onFailed(new BusException(Kind.TOO_LARGE, "a record of " + value.length + " bytes is over the limit of "
                    + maxRecordBytes, null));
        } else if (backlog.addAndGet(value.length) > maxBacklogBytes) {
            long waiting = backlog.addAndGet(-value.length);
            listener.onFailed(new BusException(Kind.FULL, "the global bus's backlog is full: " + waiting + " of "
                    + maxBacklogBytes + " bytes wait", null));
        } else {
            executor.execute(() -> {
                long offset = locked(() -> {
                    log.records.add(new BusRecord(log.end, value, clockMs.getAsLong()));
                    return log.end++;
                });
                backlog.addAndGet(-value.length);
                listener.onAppended(offset);
                tails.onAppended(topic, partition);
            });
        }
    }

    @Override
    public List<BusRecord> read(String topic, int partition, long offset, int max) {
        return locked(() -> log(topic, partition).records.stream().filter(r -> r.offset() >= offset).limit(max).toList());
    }

    @Override
    public long endOffset(String topic, int partition) {
        return locked(() -> log(topic, partition).end);
    }

    @Override
    public long beginOffset(String topic, int partition) {
        return locked(() -> {
            Log log = log(topic, partition);
            return log.records.isEmpty() ? log.end : log.records.getFirst().offset();
        });
    }

    @Override
    public Tail tail(String topic, int partition, long offset, TailListener listener) {
        if (closed) {
            throw new BusException(Kind.CLOSED, "the global bus is closed", null);
        }
        return tails.open(topic, partition, offset, listener);
    }

    @Override
    public void trim(String topic, int partition, long offset) {
        locked(() -> log(topic, partition).records.removeIf(r -> r.offset() < offset));
    }

    @Override
    public long backlogBytes() {
        return backlog.get();
    }

    @Override
    public void close() {
        closed = true;
        tails.close();
    }

    private Log log(String topic, int partition) {
        Log log = find(topic, partition);
        if (log == null) {
            throw new BusException(Kind.UNKNOWN_TOPIC, "no partition " + partition + " of topic " + topic + ", which has "
                    + topics.getOrDefault(topic, List.of()).size(), null);
        }
        return log;
    }

    private Log find(String topic, int partition) {
        List<Log> logs = topics.getOrDefault(topic, List.of());
        return partition < 0 || partition >= logs.size() ? null : logs.get(partition);
    }

    private <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
