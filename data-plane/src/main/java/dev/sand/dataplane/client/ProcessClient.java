package dev.sand.dataplane.client;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/**
 * A cloud process in a program's hands: functions are invoked in it over one connection to the host that has it, from any thread. When
 * the connection is lost, or the process is another host's, what was not answered is asked for again under the same id, which is the same
 * execution. docs/DATA-PLANE.md.
 */
public final class ProcessClient implements AutoCloseable {
    /** That a call waits; also one that says nothing of it. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private final ControlPlane control;
    private final Reconnecting reconnecting;
    private final Underway underway;

    /**
     * Connects. The process is made when it is not there; what ends meanwhile is not made again before the next call.
     *
     * @param server the control plane, http://host:port
     * @throws InvocationException when there is no way to it
     * @throws IllegalArgumentException when the server is no control plane's address, the token nothing that can be shown, or a name one
     *     that nothing has
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
        try {
            client.reconnecting.start(process);
        } catch (RuntimeException | Error e) { // no thread for it
            client.close();
            throw e;
        }
        client.awaitConnection();
        return client;
    }

    private ProcessClient(ControlPlane control, SSLContext tls) {
        this.control = control;
        reconnecting = new Reconnecting(control, tls);
        underway = reconnecting.underway;
    }

    private void awaitConnection() throws IOException {
        try {
            if (underway.awaitConnection(Reconnecting.CONNECT_MS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        InvocationException refused = underway.refusal();
        close();
        throw refused != null ? refused : InvocationException.unavailable("the process cannot be reached: " + reconnecting.trouble());
    }

    /**
     * The function's output.
     *
     * @param timeout of any length: one that is longer than the clock's is the longest; null: as long as it takes
     * @throws InvocationException when there is none
     */
    public Value invoke(String function, Value input, Duration timeout) throws IOException, InterruptedException {
        Call call = begin(function, input, timeout);
        try {
            return call.future.get(Math.max(0, call.leftMs()) + Reconnecting.GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof InvocationException failed ? failed : new IOException(e.getCause());
        } catch (TimeoutException e) {
            reconnecting.giveUp(call);
            throw new InvocationException("Sand.Timeout", function + " has not answered within " + TimeUnit.NANOSECONDS.toMillis(ns(timeout)) + " ms", true, false);
        } catch (InterruptedException e) {
            reconnecting.giveUp(call);
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
                underway.drop(call);
            }
        });
        return call.future;
    }

    private Call begin(String function, Value input, Duration timeout) throws IOException, InterruptedException {
        Objects.requireNonNull(function, "an invocation has a function");
        Objects.requireNonNull(input, "an invocation has an input");
        Call call = new Call(function, input, System.nanoTime() + ns(timeout));
        Connection over = underway.enter(call);
        if (over != null) {
            try {
                reconnecting.send(call, over);
            } catch (InterruptedException e) {
                reconnecting.giveUp(call);
                throw e;
            } catch (RuntimeException | Error e) { // nobody has the call who could give its place back
                underway.drop(call);
                throw e;
            }
        }
        return call;
    }

    /** Far enough below the clock's largest number for what is added to it. */
    private static long ns(Duration timeout) {
        return timeout == null || timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.compareTo(Duration.ZERO) < 0 ? 0 : timeout.toNanos();
    }

    /** Connections that there have been after the first: how often one was lost, or the process moved. */
    public int reconnects() {
        return Math.max(0, reconnecting.connections() - 1);
    }

    /** Where the process was when it was last told to have moved: host:port, behind {@code tls://} if so; empty: nobody said where to. */
    public Optional<String> movedTo() {
        return Optional.ofNullable(reconnecting.movedTo());
    }

    /** Calls that are not answered fail; what they invoked may go on. */
    @Override
    public void close() {
        underway.close();
        control.close();
    }
}
