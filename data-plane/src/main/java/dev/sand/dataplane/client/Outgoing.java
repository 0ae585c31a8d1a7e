package dev.sand.dataplane.client;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** What goes over a connection: whole frames, of one caller at a time, and small ones that wait for the next of them. Any thread. */
final class Outgoing {
    private static final int BUFFER_BYTES = 64 << 10;
    /** Of a large value, in one write with the frames before it: each write wakes the host. */
    private static final int FIRST_BYTES = 32 << 10;
    /** Small frames, of some 20 bytes; a host for which there are more sends pings without end, and reads nothing. */
    static final int MOST_WAITING = 8192;

    private final OutputStream to;
    private final ReentrantLock writing = new ReentrantLock();
    private final Queue<ByteBuffer> waiting = new LinkedBlockingQueue<>(MOST_WAITING);
    /** Until when what is being written may take; 0: nothing is. */
    private volatile long untilNs;
    /** A frame was written in part: nothing may come behind it. */
    private boolean isBroken;

    Outgoing(OutputStream to) {
        this.to = new BufferedOutputStream(to, BUFFER_BYTES);
    }

    @FunctionalInterface
    interface Write {
        void run() throws IOException;
    }

    /**
     * Behind what waits.
     *
     * @param isWanted asked when it is its turn, and all that waited is ahead of it
     * @param mayTakeUntilNs the write itself, for who looks ({@link #isStuck})
     * @return whether it was its turn in time, and wanted
     */
    boolean write(long turnUntilNs, BooleanSupplier isWanted, long mayTakeUntilNs, Write what) throws IOException, InterruptedException {
        if (!writing.tryLock(turnUntilNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        try {
            return during(mayTakeUntilNs, isWanted, what);
        } finally {
            writing.unlock();
        }
    }

    private boolean during(long mayTakeUntilNs, BooleanSupplier isWanted, Write what) throws IOException {
        if (isBroken) {
            throw new IOException("a frame was written in part");
        }
        untilNs = mayTakeUntilNs | 1;
        isBroken = true;
        try {
            for (ByteBuffer frame = waiting.poll(); frame != null; frame = waiting.poll()) {
                frame(frame);
            }
            boolean wanted = isWanted.getAsBoolean();
            if (wanted) {
                what.run();
            }
            to.flush();
            isBroken = false;
            return wanted;
        } finally {
            untilNs = 0;
        }
    }

    /** Of who writes. */
    void frame(ByteBuffer frame) throws IOException {
        to.write(frame.array(), frame.position(), frame.remaining());
    }

    /** Of who writes: a part's, behind its head. */
    void bytes(byte[] bytes, int from, int length) throws IOException {
        int first = Math.min(length, FIRST_BYTES);
        to.write(bytes, from, first);
        to.write(bytes, from + first, length - first);
    }

    /** With the next write, whosever that is. @throws IOException too many wait already */
    void later(Frame frame) throws IOException {
        if (!waiting.offer(Frames.encode(frame))) {
            throw new IOException("the host reads nothing: " + MOST_WAITING + " small frames wait for it");
        }
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** Nobody is about to take along what waits. */
    boolean isLeftWaiting() {
        return hasWaiting() && !writing.isLocked();
    }

    /** What waits, when it is its turn; behind it nothing of that is on its way any more. Blocks, while the host reads nothing. */
    void writeWaiting(long mayTakeNs) throws IOException {
        writing.lock();
        try {
            if (hasWaiting()) {
                during(System.nanoTime() + mayTakeNs, () -> false, () -> { });
            }
        } finally {
            writing.unlock();
        }
    }

    /** Something is being written for longer than it may take. */
    boolean isStuck() {
        long until = untilNs;
        return until != 0 && System.nanoTime() - until > 0;
    }
}
