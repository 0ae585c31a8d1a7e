package dev.sand.frontend.invoke;

import dev.sand.datalayer.InvocationStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.WatchedEndPoint;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jetty.io.EndPoint;

/**
 * From a request with its target and body to a running execution, and from its result to the answer (walk of one event,
 * steps 1, 2 and 7). Called on a selector's thread: what blocks goes to the virtual threads of {@code blocking}.
 */
final class Invoker implements AutoCloseable {
    /** Above this size the check of a body's JSON does not hold up the selector. */
    private static final int CHECK_INLINE_BYTES = 4 * 1024;
    private final HostAgentPort host;
    private final InvocationStore records;
    private final IdempotencyKeys keys;
    private final Executor blocking;
    private final InFlight inFlight;
    private final RecentResults recent = new RecentResults();
    private volatile boolean draining;

    /** How the output of a successful execution becomes a response. */
    interface Output {
        void write(Exchange exchange, Payload output);

        /** Whether that takes some microseconds only, so that the thread that has the result may do it. */
        boolean isQuick(Payload output);
    }

    Invoker(HostAgentPort host, InvocationStore records, IdempotencyKeys keys, int mostInFlight, Executor blocking) {
        this.host = host;
        this.records = records;
        this.keys = keys;
        this.blocking = blocking;
        this.inFlight = new InFlight(mostInFlight, Invoker::watch);
    }

    /** Takes one more request, or says why not. Each that entered leaves once, by its answer. */
    void enter() {
        if (draining) {
            throw Problem.platform(503, "draining", "Shutting down", "This frontend takes no new requests; try another.", true)
                    .asException();
        }
        if (!inFlight.enter()) {
            throw Problem.platform(429, "overloaded", "Too many requests in flight",
                    "This frontend has as many requests in flight as it takes.", true)
                    .with("limit", inFlight.most()).with("actual", inFlight.most() + 1).asException();
        }
    }

    void leave() {
        inFlight.leave();
    }

    int inFlight() {
        return inFlight.count();
    }

    boolean isDraining() {
        return draining;
    }

    void drain() {
        draining = true;
    }

    /** @param body is not copied when it fills its array; of any size, the host agent puts large ones where they belong */
    void start(Exchange exchange, ApplicationVersion version, String target, Settings settings, String contentType,
               ByteBuffer body, Output output) {
        if (settings.idempotencyKey() == null) {
            String id = Ids.next(System.currentTimeMillis(), ThreadLocalRandom.current());
            hand(exchange, request(id, version, target, settings, payload(contentType, body)), settings, output, null);
            return;
        }
        guarded(exchange, () -> startIdempotent(exchange, version, target, settings, contentType, body, output));
    }

    /** Runs a blocking step; what it throws is the request's answer. */
    void guarded(Exchange exchange, Runnable step) {
        blocking.execute(() -> {
            try {
                step.run();
            } catch (Throwable e) {
                leave();
                Gate.answer(exchange, e);
            }
        });
    }

    static boolean checksInline(ByteBuffer body) {
        return body.remaining() <= CHECK_INLINE_BYTES;
    }

    private void startIdempotent(Exchange exchange, ApplicationVersion version, String target, Settings settings,
                                 String contentType, ByteBuffer body, Output output) {
        String application = version.application();
        String hash = IdempotencyKeys.hash(application, target, settings.idempotencyKey());
        String id = keys.claim(application, hash, contentType, body, System.currentTimeMillis());
        InvocationResult before = before(application, id);
        InvocationRequest request = request(id, version, target, settings, payload(contentType, body));
        if (before == null) {
            hand(exchange, request, settings, output, hash);
            return;
        }
        exchange.headers().put("Idempotent-Replayed", "true");
        Invocation again = invocation(exchange, request, settings, output, null);
        if (settings.async()) {
            again.onAccepted();
        } else {
            again.onEnd(before);
        }
    }

    private InvocationResult before(String application, String id) {
        InvocationResult result = recent.get(id);
        if (result != null) {
            return result;
        }
        InvocationRecord record = records.get(application, id).orElse(null);
        return record == null || record.status() == Status.RUNNING ? null
                : new InvocationResult(id, record.status(), record.output(), record.failure(), record.hops());
    }

    private static Payload payload(String contentType, ByteBuffer body) {
        if (!body.hasRemaining()) {
            return Payload.nullJson();
        }
        boolean whole = body.hasArray() && body.arrayOffset() == 0 && body.position() == 0
                && body.array().length == body.remaining();
        byte[] bytes = whole ? body.array()
                : Arrays.copyOfRange(body.array(), body.arrayOffset() + body.position(), body.arrayOffset() + body.limit());
        return new Payload(contentType, bytes, null);
    }

    private static InvocationRequest request(String id, ApplicationVersion version, String target, Settings settings,
                                             Payload input) {
        return new InvocationRequest(id, version.application(), version.version(), target, input, settings.timeoutMs(),
                settings.durable(), settings.traceparent());
    }

    private void hand(Exchange exchange, InvocationRequest request, Settings settings, Output output, String hash) {
        Invocation invocation = invocation(exchange, request, settings, output, hash);
        inFlight.add(invocation);
        host.invoke(request, invocation);
    }

    private Invocation invocation(Exchange exchange, InvocationRequest request, Settings settings, Output output, String hash) {
        Answer answer = new Answer(exchange, output, host, result -> remember(request, hash, result));
        return new Invocation(exchange, request, settings, System.nanoTime(), answer, blocking, done -> {
            inFlight.remove(done);
            inFlight.leave();
        });
    }

    /** An idempotent request's end is kept until its record can be read; one that was turned away frees its key. */
    private void remember(InvocationRequest request, String hash, InvocationResult result) {
        if (hash == null) {
            return;
        }
        if (result.failure() != null && result.failure().retryable()) {
            blocking.execute(() -> keys.release(request.application(), hash));
        } else {
            recent.put(result);
        }
    }

    private static void watch(Invocation invocation, Runnable onHangUp) {
        EndPoint endPoint = invocation.exchange.request().getConnectionMetaData().getConnection().getEndPoint();
        if (endPoint instanceof WatchedEndPoint watched) {
            watched.watch(onHangUp);
        }
    }

    @Override
    public void close() {
        inFlight.close();
    }
}
