package dev.sand.dataplane.client;

import dev.sand.event.Ids;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A client's calls that have no answer yet, the room for more, and the connection that they go over. Any thread. */
final class Underway {
    private final Runnable connects;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Changed under the lock.
    private final Set<Call> calls = new LinkedHashSet<>();
    private int room = 1;
    /** What the host's clock is ahead of this one. */
    private long aheadMs;
    private volatile Connection connection;
    private volatile boolean closed;
    // Whether somebody connects; why nobody does any more, and how often that was so.
    private boolean running;
    private InvocationException refusal;
    private long refusals;

    /** @param connects begun when a call needs a connection and nobody makes one; returns at once */
    Underway(Runnable connects) {
        this.connects = connects;
    }

    /** Somebody is to connect: anew, too, when that was refused before. */
    void start() {
        lock.lock();
        try {
            if (!running && !closed) {
                connects.run();
                running = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /** @return whether there is a connection; not: the time is over, or nobody connects */
    boolean awaitConnection(long mostMs) throws InterruptedException {
        lock.lock();
        try {
            long leftNs = TimeUnit.MILLISECONDS.toNanos(mostMs);
            while (connection == null && running && leftNs > 0) {
                leftNs = changed.awaitNanos(leftNs);
            }
            return connection != null;
        } finally {
            lock.unlock();
        }
    }

    /** Waits while as many are under way as the host takes. @return what it is to be sent over; null: over the next one, by whoever makes that */
    Connection enter(Call call) throws InvocationException, InterruptedException {
        lock.lock();
        try {
            start();
            long before = refusals;
            while (calls.size() >= room && !closed) {
                boolean late = changed.awaitNanos(call.untilNs - System.nanoTime()) <= 0;
                if (refusals != before && !closed) {
                    throw refusal;
                }
                if (late) {
                    throw new InvocationException("Sand.Timeout", calls.size() + " invocations are under way, and no more may be", true, false);
                }
            }
            if (closed) {
                throw InvocationException.unavailable("the client is closed");
            }
            calls.add(call);
            if (connection != null) {
                name(call);
            }
            return connection;
        } finally {
            lock.unlock();
        }
    }

    private void name(Call call) {
        if (call.id == null) {
            call.id = Ids.next(System.currentTimeMillis() + aheadMs, ThreadLocalRandom.current());
        }
    }

    /** Calls go over it from now on. @return those that are to be sent over it first */
    List<Call> connected(Connection made) {
        lock.lock();
        try {
            connection = made;
            room = made.welcome().inFlight();
            aheadMs = made.welcome().nowMs() - System.currentTimeMillis();
            calls.forEach(this::name);
            changed.signalAll();
            return List.copyOf(calls);
        } finally {
            lock.unlock();
        }
    }

    void disconnected() {
        lock.lock();
        connection = null;
        lock.unlock();
    }

    Connection connection() {
        return connection;
    }

    /** It is answered. */
    void leave(Call call) {
        lock.lock();
        try {
            calls.remove(call);
            if (calls.size() + 1 >= room) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nobody waits for it any more. */
    void drop(Call call) {
        leave(call);
        Connection over = connection;
        if (over != null) {
            over.cancel(call);
        }
    }

    /** Those whose time has been over for so long. */
    List<Call> late(long byMs) {
        lock.lock();
        try {
            return calls.stream().filter(call -> call.leftMs() < -byMs).toList();
        } finally {
            lock.unlock();
        }
    }

    /** Nobody connects any more, until a call comes; those that are under way fail. */
    void refuse(InvocationException why) {
        List<Call> left;
        lock.lock();
        try {
            running = false;
            refusal = why;
            refusals++;
            left = List.copyOf(calls);
            calls.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        left.forEach(call -> call.fail(why));
    }

    /** Why nobody connects any more; null: somebody does, or nobody ever did. */
    InvocationException refusal() {
        lock.lock();
        try {
            return refusal;
        } finally {
            lock.unlock();
        }
    }

    /** Waits so long, or until something changes. */
    void pause(long ms) {
        lock.lock();
        try {
            if (!closed) {
                changed.awaitNanos(TimeUnit.MILLISECONDS.toNanos(ms));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        Connection over;
        lock.lock();
        try {
            closed = true;
            over = connection;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (over != null) {
            over.finish();
        }
        refuse(InvocationException.unavailable("the client is closed"));
    }
}
