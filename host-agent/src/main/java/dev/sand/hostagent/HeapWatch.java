package dev.sand.hostagent;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How full the heap is, in which the values of processes up to 64 KiB lie: told of each collection what it has left. When that is much, idle
 * processes leave; when it is nearly all, no more such values are taken, for what cannot be had then is had by nobody.
 */
class HeapWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeapWatch.class);
    private static final double MUCH = 0.7;
    private static final double NEARLY_ALL = 0.85;
    private static final long MIB = 1 << 20;

    private static final long LOOK_S = 3;

    private final Runnable leave;
    private final Consumer<Boolean> full;
    private final Runnable collect;
    private final ScheduledExecutorService clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("sand-heap").daemon().factory());
    private final Set<String> pools = ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName).collect(Collectors.toSet());
    private final NotificationListener listener = (notification, handback) -> onCollected(notification);
    private boolean wasFull;

    /**
     * @param leave has idle processes leave; only enqueues, as {@code full} does, which is told whether no more is to be taken
     * @param collect what is left is to be known: where nothing is taken, nothing is collected by itself
     */
    HeapWatch(Runnable leave, Consumer<Boolean> full, Runnable collect) {
        this.leave = leave;
        this.full = full;
        this.collect = collect;
    }

    void start() {
        ManagementFactory.getGarbageCollectorMXBeans().forEach(collector ->
                ((NotificationEmitter) collector).addNotificationListener(listener, null, null));
        clock.scheduleWithFixedDelay(this::look, LOOK_S, LOOK_S, TimeUnit.SECONDS);
    }

    /** While it is full, which ends when idle ones have left and a collection tells. */
    void look() {
        if (isFull()) {
            leave.run();
            collect.run();
        }
    }

    private synchronized boolean isFull() {
        return wasFull;
    }

    private void onCollected(Notification notification) {
        if (notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            long used = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData()).getGcInfo().getMemoryUsageAfterGc()
                    .entrySet().stream().filter(pool -> pools.contains(pool.getKey())).map(Map.Entry::getValue)
                    .mapToLong(MemoryUsage::getUsed).sum();
            onCollected(used, Runtime.getRuntime().maxMemory());
        }
    }

    /** @param used bytes that are left; @param most that there may be */
    synchronized void onCollected(long used, long most) {
        if (used > MUCH * most) {
            leave.run();
        }
        boolean isFull = used > NEARLY_ALL * most;
        if (isFull != wasFull) {
            wasFull = isFull;
            LOG.warn(isFull ? "the heap is full, {} of {} MiB: processes take no more small values until idle ones have left"
                    : "the heap has room again: {} of {} MiB", used / MIB, most / MIB);
            full.accept(isFull);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        ManagementFactory.getGarbageCollectorMXBeans().forEach(collector -> {
            try {
                ((NotificationEmitter) collector).removeNotificationListener(listener);
            } catch (ListenerNotFoundException e) {
                LOG.debug("{} was not listened to", collector.getName());
            }
        });
    }
}
