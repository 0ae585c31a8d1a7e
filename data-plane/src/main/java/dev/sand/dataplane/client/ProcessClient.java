package dev.sand.dataplane.client;

import dev.sand.dataplane.Frame;
import dev.sand.event.Ids;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;

/**
 * A cloud process in a program's hands: functions are invoked in it over one connection to the host that has it, from any thread. When
 * the connection is lost, or the process is another host's, what was not answered is asked for again under the same id, which is the same
 * execution. docs/DATA-PLANE.md.
 */
public final class ProcessClient implements AutoCloseable {
    private static final int CONNECT_MS = 10_000;
    private static final long FIRST_PAUSE_MS = 20;
    private static final long LONGEST_PAUSE_MS = 2_000;
    /** That a call waits. */
    private static final Duration LONGEST = Duration.ofDays(365);
    /** What the host's own word about a deadline may take to come. */
    private static final long GRACE_MS = 1_000;
    /** A quarter of the host's patience, which it tells in milliseconds. */
    private static final long PING_NS_OF_MS = 250_000;

    private final ControlPlane control;
    private final SSLContext tls;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Changed under the lock; why nobody connected any more, how often that was so, and whether somebody does.
    private final Set<Call> calls = new LinkedHashSet<>();
    private volatile Connection connection;
    private InvocationException fatal;
    private long refusals;
    private boolean running;
    /** Why there is no answer so far. */
    private volatile String trouble = "nothing answers";
    /** The connection has brought an answer, or has lasted: the next one need not wait. Of the thread that connects. */
    private boolean useful;
    private volatile boolean closed;
    private int room = 1;
    private long aheadMs;
    private int connections;
    private String movedTo;

    /**
     * Connects. The process is made when it is not there; what ends meanwhile is not made again before the next call.
     *
     * @param server the control plane, http://host:port
     * @throws InvocationException when there is no way to it
     */
    public static ProcessClient connect(URI server, String application, String process) throws IOException {
        return connect(server, application, process, new Options(null, List.of(), null));
    }

    /**
     * @param token shown to the control plane, or null
     * @param functions the only ones that this client means to invoke; empty: any
     * @param tls for hosts that speak it; null: the system's
     */
    public record Options(String token, List<String> functions, SSLContext tls) {}

    public static ProcessClient connect(URI server, String application, String process, Options options) throws IOException {
        ProcessClient client = new ProcessClient(new ControlPlane(server, application, process, options.token(), options.functions()),
                options.tls());
        client.start();
        Thread.ofVirtual().name("sand-process-ping-" + process).start(client::tick);
        client.awaitConnection();
        return client;
    }

    private ProcessClient(ControlPlane control, SSLContext tls) {
        this.control = control;
        this.tls = tls;
    }

    private void awaitConnection() throws IOException {
        InvocationException refused = null;
        lock.lock();
        try {
            long leftNs = TimeUnit.MILLISECONDS.toNanos(CONNECT_MS);
            while (connection == null && running && leftNs > 0) {
                leftNs = changed.awaitNanos(leftNs);
            }
            if (connection != null) {
                return;
            }
            refused = fatal;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
        close();
        throw refused != null ? refused : InvocationException.unavailable("the process cannot be reached: " + trouble);
    }

    /**
     * The function's output.
     *
     * @param timeout of any length: one that is longer than the clock's is the longest
     * @throws InvocationException when there is none
     */
    public Value invoke(String function, Value input, Duration timeout) throws IOException, InterruptedException {
        Call call = begin(function, input, timeout);
        try {
            return call.future.get(Math.max(0, call.leftMs()) + GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof InvocationException failed ? failed : new IOException(e.getCause());
        } catch (TimeoutException e) {
            giveUp(call);
            throw new InvocationException("Sand.Timeout", function + " has not answered within " + TimeUnit.NANOSECONDS.toMillis(ns(timeout)) + " ms", true, false);
        } catch (InterruptedException e) {
            giveUp(call);
            throw e;
        }
    }

    /**
     * The same later: many may be under way at once. Waits while as many are as the host takes. To cancel the future cancels the
     * function.
     */
    public CompletableFuture<Value> submit(String function, Value input, Duration timeout) throws IOException, InterruptedException {
        Call call = begin(function, input, timeout);
        call.future.whenComplete((value, failure) -> {
            if (call.future.isCancelled()) {
                drop(call);
            }
        });
        return call.future;
    }

    /** Connections that there have been after the first: how often one was lost, or the process moved. */
    public int reconnects() {
        lock.lock();
        try {
            return Math.max(0, connections - 1);
        } finally {
            lock.unlock();
        }
    }

    /** Where the process was when it was last told to have moved: host:port, behind {@code tls://} if so; empty: nobody said where to. */
    public Optional<String> movedTo() {
        lock.lock();
        try {
            return Optional.ofNullable(movedTo);
        } finally {
            lock.unlock();
        }
    }

    private Call begin(String function, Value input, Duration timeout) throws IOException, InterruptedException {
        Objects.requireNonNull(function, "an invocation has a function");
        Objects.requireNonNull(input, "an invocation has an input");
        Call call = new Call(function, input, System.nanoTime() + ns(timeout));
        Connection over;
        lock.lock();
        try {
            awaitRoom(call);
            over = connection;
            calls.add(call);
            prepare(call);
        } finally {
            lock.unlock();
        }
        if (over != null) {
            try {
                send(call, over);
            } catch (InterruptedException e) {
                giveUp(call);
                throw e;
            } catch (RuntimeException | Error e) { // nobody has the call who could give its place back
                drop(call);
                throw e;
            }
        }
        return call;
    }

    /** Far enough below the clock's largest number for what is added to it. */
    private static long ns(Duration timeout) {
        return timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.compareTo(Duration.ZERO) < 0 ? 0 : timeout.toNanos();
    }

    /** Until one more may be under way; under the lock. */
    private void awaitRoom(Call call) throws InvocationException, InterruptedException {
        start();
        long before = refusals;
        while (calls.size() >= room && !closed) {
            boolean late = changed.awaitNanos(call.untilNs - System.nanoTime()) <= 0;
            if (refusals != before && !closed) {
                throw fatal;
            }
            if (late) {
                throw new InvocationException("Sand.Timeout", calls.size() + " invocations are under way, and no more may be", true, false);
            }
        }
        if (closed) {
            throw InvocationException.unavailable("the client is closed");
        }
    }

    private void prepare(Call call) {
        if (call.id == null && connection != null) {
            call.id = Ids.next(System.currentTimeMillis() + aheadMs, ThreadLocalRandom.current());
        }
    }

    private void send(Call call, Connection over) throws InterruptedException {
        Frame.Welcome welcome = over.welcome();
        if (call.input.bytes().length > welcome.valueBytes()) {
            forget(call);
            call.fail(new InvocationException("Sand.TooLarge", "an input of " + call.input.bytes().length + " bytes; the host's limit is "
                    + welcome.valueBytes(), false, false));
            return;
        }
        try {
            over.invoke(call);
        } catch (IOException e) {
            over.close(); // whoever reads finds out, and the call is sent over the next one
        }
    }

    private void forget(Call call) {
        lock.lock();
        try {
            calls.remove(call);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void giveUp(Call call) {
        call.fail(new InvocationException("Sand.Timeout", call.function + " has not answered in its time: " + trouble, true, false));
        drop(call);
    }

    /** Nobody waits for it any more. */
    private void drop(Call call) {
        forget(call);
        Connection over = connection;
        if (over != null) {
            over.cancel(call);
        }
    }

    // --- the thread that connects and reads

    /** Anew, too, when it was refused before. */
    private void start() {
        lock.lock();
        try {
            if (!running && !closed) {
                running = true;
                Thread.ofVirtual().name("sand-process").start(this::run);
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        long pauseMs = FIRST_PAUSE_MS;
        while (!closed) {
            useful = false;
            try (Connection made = new Connection(control.place(isFirst()), tls(), CONNECT_MS)) {
                serve(made);
            } catch (InvocationException e) {
                fail(e);
                return;
            } catch (Connection.Refused e) {
                if (!e.frame().retryable()) {
                    fail(new InvocationException(e.frame().error(), e.frame().cause(), false, false));
                    return;
                }
                pauseMs = pause(e, pauseMs);
            } catch (IOException e) {
                pauseMs = pause(e, useful ? FIRST_PAUSE_MS : pauseMs);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** What was there once is made again by a call alone: a connection that its kill has ended is no reason to. */
    private boolean isFirst() {
        lock.lock();
        try {
            return connections == 0;
        } finally {
            lock.unlock();
        }
    }

    private SSLContext tls() throws IOException {
        try {
            return tls != null ? tls : SSLContext.getDefault();
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private void serve(Connection made) throws IOException {
        long beganNs = System.nanoTime();
        List<Call> before;
        lock.lock();
        try {
            connection = made;
            connections++;
            trouble = "the host is silent";
            room = made.welcome().inFlight();
            aheadMs = made.welcome().nowMs() - System.currentTimeMillis();
            before = List.copyOf(calls);
            before.forEach(this::prepare);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (!before.isEmpty()) {
            // Not on this thread, which has to read meanwhile.
            Thread.ofVirtual().name("sand-process-again").start(() -> again(before, made));
        }
        try {
            while (!closed) {
                Call ended = made.read();
                if (ended != null) {
                    useful = true;
                    ended(ended);
                }
            }
        } finally {
            useful |= System.nanoTime() - beganNs > TimeUnit.MILLISECONDS.toNanos(LONGEST_PAUSE_MS);
            lock.lock();
            connection = null;
            lock.unlock();
        }
    }

    private void again(List<Call> before, Connection over) {
        try {
            for (Call call : before) {
                send(call, over);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ended(Call call) {
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

    /** @return the next one */
    private long pause(IOException why, long pauseMs) {
        boolean atOnce = why instanceof Connection.MovedAway && pauseMs == FIRST_PAUSE_MS;
        lock.lock();
        try {
            trouble = why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
            if (why instanceof Connection.MovedAway moved && !moved.address().isEmpty()) {
                movedTo = moved.address();
            }
            if (!atOnce && !closed) {
                changed.awaitNanos(TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(pauseMs / 2, pauseMs + 1)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
        return Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }

    /** Pings, ends calls of whose deadline the host does not speak, and a connection that takes nothing. Waits for nobody. */
    private void tick() {
        long pingedNs = System.nanoTime();
        try {
            while (!closed) {
                Thread.sleep(GRACE_MS / 2);
                lock.lock();
                List<Call> late;
                Connection over;
                try {
                    late = calls.stream().filter(call -> call.leftMs() < -GRACE_MS).toList();
                    over = connection;
                } finally {
                    lock.unlock();
                }
                late.forEach(this::giveUp);
                if (over != null && over.isStuck()) {
                    over.close(); // whoever reads finds out
                } else if (over != null && System.nanoTime() - pingedNs > over.welcome().idleMs() * PING_NS_OF_MS) {
                    pingedNs = System.nanoTime();
                    over.send(new Frame.Ping(0));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void fail(InvocationException why) {
        List<Call> left;
        lock.lock();
        try {
            running = false;
            fatal = why;
            refusals++;
            left = List.copyOf(calls);
            calls.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        left.forEach(call -> call.fail(why));
    }

    /** Calls that are not answered fail; what they invoked may go on. */
    @Override
    public void close() {
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
            over.close();
        }
        control.close();
        fail(InvocationException.unavailable("the client is closed"));
    }
}
