package dev.sand.hostagent;

import dev.sand.hostagent.HostMemory.Room;
import dev.sand.hostagent.segments.MemoryRoom;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says when memory is short, so that idle processes are swapped out and idle sandboxes stopped: every two seconds, and at once when large
 * values have taken what was left above the reserve. Where a limit of this program's own has no room for a value, that one waits until
 * some is made: the kernel would end the program.
 */
final class MemoryWatch implements MemoryRoom, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
    private static final long PERIOD_S = 2;
    private static final long MIB = 1 << 20;
    /** More than what is not asked for here grows by between two looks; of little memory a part. */
    private static final long LEAST = 128 * MIB;
    private static final int LEAST_PART = 8;
    /** Of a limit, for the heap, which takes what it may have only when it needs it. */
    private static final int HEAP_PART = 4;
    /** No value takes the last of a limit. */
    private static final long KEPT = 64 * MIB;
    private static final int KEPT_PART = 16;
    /** What was begun because of one look is not seen at once by the next. */
    private static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long SAID_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_MS = 50;

    /** What gives memory back. Any thread. */
    interface Relief {
        /** What nobody uses any more goes at once. */
        void shrink();

        /** What is idle leaves. @param everywhere memory of the machine is short, and not only what this program may have of it */
        void leave(boolean everywhere);

        /** What is idle of an application leaves. Blocks. @return whether anything does */
        boolean leave(String application);
    }

    /** @param growth bytes by which the heap may grow still */
    record Time(LongSupplier nowNs, Runnable pause, LongSupplier growth) {
        static final Time REAL = new Time(System::nanoTime, MemoryWatch::sleep,
                () -> Runtime.getRuntime().maxMemory() - Runtime.getRuntime().totalMemory());
    }

    private final HostMemory memory;
    private final double share;
    private final Relief relief;
    private final Time time;
    private final ScheduledExecutorService clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("sand-memory").daemon().factory());
    /** Of values whose pages are being made. */
    private final AtomicLong promised = new AtomicLong();
    /** Above the reserve at the last look, less what was taken since. */
    private final AtomicLong left = new AtomicLong();
    private final AtomicLong relievedNs;
    private final AtomicLong saidNs;
    private volatile boolean closed;

    /** @param share of each bound that is to stay free */
    MemoryWatch(HostMemory memory, double share, Relief relief, Time time) {
        this.memory = memory;
        this.share = share;
        this.relief = relief;
        this.time = time;
        this.relievedNs = new AtomicLong(time.nowNs().getAsLong() - AGAIN_NS);
        this.saidNs = new AtomicLong(time.nowNs().getAsLong() - SAID_NS);
    }

    void start() {
        clock.scheduleWithFixedDelay(this::look, PERIOD_S, PERIOD_S, TimeUnit.SECONDS);
    }

    /** @return the least that is free of a limit of this program's own, less what is promised */
    long look() {
        long promisedNow = promised.get();
        long own = Long.MAX_VALUE;
        Room tightest = null;
        long least = Long.MAX_VALUE;
        boolean everywhere = false;
        for (Room room : memory.rooms()) {
            long above = room.free() - promisedNow - reserve(room);
            everywhere |= above < 0 && !room.isOwn();
            if (above < least) {
                least = above;
                tightest = room;
            }
            if (room.isOwn()) {
                own = Math.min(own, room.free() - promisedNow - kept(room));
            }
        }
        left.set(least);
        if (least < 0) {
            relieve(tightest, everywhere);
        }
        return own;
    }

    private void relieve(Room tightest, boolean everywhere) {
        relief.shrink();
        long before = relievedNs.get();
        long nowNs = time.nowNs().getAsLong();
        if (nowNs - before >= AGAIN_NS && relievedNs.compareAndSet(before, nowNs)) {
            relief.leave(everywhere);
        }
        long saidBefore = saidNs.get();
        if (nowNs - saidBefore >= SAID_NS && saidNs.compareAndSet(saidBefore, nowNs)) {
            LOG.info("memory is short: {} of {} MiB of {} are free, and {} are to be; what is idle leaves", tightest.free() / MIB,
                    tightest.bytes() / MIB, tightest.of(), reserve(tightest) / MIB);
        }
    }

    /** What is to stay free. */
    private long reserve(Room room) {
        long least = Math.max((long) (share * room.bytes()), Math.min(LEAST, room.bytes() / LEAST_PART));
        return room.isOwn() ? least + Math.min(time.growth().getAsLong(), room.bytes() / HEAP_PART) : least;
    }

    private static long kept(Room room) {
        return Math.min(KEPT, room.bytes() / KEPT_PART);
    }

    @Override
    public boolean take(long bytes) {
        promised.addAndGet(bytes);
        if (closed || left.addAndGet(-bytes) >= 0) {
            return true;
        }
        long untilNs = time.nowNs().getAsLong() + PATIENCE_NS;
        while (look() < 0) {
            if (closed || time.nowNs().getAsLong() - untilNs >= 0) {
                return closed || memory.swap() >= bytes || refused(bytes);
            }
            time.pause().run();
        }
        return true;
    }

    private boolean refused(long bytes) {
        promised.addAndGet(-bytes);
        return false;
    }

    @Override
    public void made(long bytes) {
        promised.addAndGet(-bytes);
    }

    @Override
    public boolean leaves(String application) {
        boolean some = !closed && relief.leave(application);
        if (some) {
            time.pause().run();
        }
        return some;
    }

    private static void sleep() {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        clock.shutdownNow();
    }
}
