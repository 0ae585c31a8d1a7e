package dev.sand.frontend.invoke;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.RecordedResults;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.Tracing;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.WatchedEndPoint;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.eclipse.jetty.io.EndPoint;

/**
 * From a request with its target and body to a running execution, and from its result to the answer (walk of one event,
 * steps 1, 2 and 7). Called on a selector's thread: what blocks goes to the virtual threads of {@code blocking}.
 */
final class Invoker implements AutoCloseable {
    /** Above this size the check of a body's JSON does not hold up the selector. */
    private static final int CHECK_INLINE_BYTES = 4 * 1024;
    private static final Payload EMPTY_OBJECT = Payload.json("{}".getBytes(StandardCharsets.UTF_8));
    /** A process is moved by hand: that it is so again while a request follows it is rare. */
    private static final int MOST_REDIRECTIONS = 20;
    private final HostAgentPort host;
    private final RecordedResults recorded;
    private final IdempotencyKeys keys;
    private final ExecutionIds ids;
    private final EndNotes endNotes;
    private final Executor blocking;
    private final Tracing tracing;
    private final LongSupplier clockMs;
    private final InFlight inFlight;
    private final RecentResults recent = new RecentResults();
    private volatile boolean draining;

    /** How the output of a successful execution becomes a response. */
    interface Output {
        void write(HttpExchange exchange, Payload output);

        /** Whether that takes some microseconds only, so that the thread that has the result may do it. */
        boolean isQuick(Payload output);
    }

    Invoker(HostAgentPort host, InvocationStore records, IdempotencyKeys keys, ExecutionIds ids, int mostInFlight, Executor blocking,
            Tracing tracing, LongSupplier clockMs) {
        this.clockMs = clockMs;
        this.host = host;
        this.recorded = new RecordedResults(records);
        this.tracing = tracing;
        this.keys = keys;
        this.ids = ids;
        this.blocking = blocking;
        this.endNotes = new EndNotes(recorded, keys, blocking, Thread::sleep);
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

    /**
     * What is to run.
     *
     * @param target a grain or a workflow
     * @param process the cloud process that it runs in, or null: in none
     * @param drawn the request has not named it: under an Idempotency-Key it is the one that the key stands for
     */
    record Called(ApplicationVersion version, String target, String process, boolean drawn) {
        Called in(String other) {
            return new Called(version, target, other, drawn);
        }
    }

    String newProcess() {
        return ids.next(clockMs.getAsLong(), ExecutionIds.ANY);
    }

    /** @param body is not copied when it fills its array; of any size, the host agent puts large ones where they belong */
    void start(HttpExchange exchange, Called called, Settings settings, String contentType, ByteBuffer body, Output output) {
        if (settings.idempotencyKey() == null) {
            tell(exchange, called.process());
            String id = ids.next(clockMs.getAsLong(), slot(called.version().application(), called.process()));
            hand(exchange, request(id, called, settings, payload(called, contentType, body)), settings, output, null);
            return;
        }
        guarded(exchange, () -> startIdempotent(exchange, called, settings, contentType, body, output));
    }

    private int slot(String application, String process) {
        return process == null ? ExecutionIds.ANY : host.slotOf(application, process, ids.slots());
    }

    /** Runs a blocking step; what it throws is the request's answer. */
    void guarded(HttpExchange exchange, Runnable step) {
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

    private static void tell(HttpExchange exchange, String process) {
        if (process != null) {
            exchange.headers().put(DataPlanes.PROCESS, process);
        }
    }

    private void startIdempotent(HttpExchange exchange, Called asked, Settings settings, String contentType, ByteBuffer body,
                                 Output output) {
        String application = asked.version().application();
        boolean inProcess = asked.process() != null;
        String named = asked.drawn() ? "" : asked.process();
        String hash = IdempotencyKeys.hash(application, inProcess ? asked.target() + '\0' : asked.target(), settings.idempotencyKey());
        long nowMs = clockMs.getAsLong();
        // The process is part of what is asked for, as the body is: another one under the same key is another request.
        IdempotencyKeys.Claim claim = keys.claim(application, hash, inProcess ? contentType + '\0' + named : contentType, body, nowMs,
                (high, low) -> ids.derived(nowMs, high, low, slot(application, asked.drawn() ? IdempotencyKeys.process(hash, nowMs) : asked.process())));
        Called called = asked.drawn() ? asked.in(IdempotencyKeys.process(hash, claim.createdMs())) : asked;
        tell(exchange, called.process());
        String id = claim.executionId();
        InvocationResult before = before(application, id);
        if (before == null && claim.ended()) {
            throw Problem.platform(410, "output-gone", "The output is kept no more", "This Idempotency-Key stands for execution "
                    + id + ", which ended; its record is kept no more.", false).with("executionId", id).asException();
        }
        InvocationRequest request = request(id, called, settings, payload(called, contentType, body));
        if (before == null) {
            hand(exchange, request, settings, output, new Key(hash, claim));
            return;
        }
        if (!claim.ended()) {
            endNotes.note(application, hash, id); // nobody has: its frontend died, or its client waited no longer
        }
        exchange.headers().put("Idempotent-Replayed", "true");
        invocation(exchange, request, settings, output, null).onRepeated(before);
    }

    private InvocationResult before(String application, String id) {
        InvocationResult result = recent.get(id);
        return result != null ? result : recorded.find(application, id).orElse(null);
    }

    /** A workflow that is given nothing begins with an empty object, as StartExecution has it; a grain hears of nothing. */
    private static Payload payload(Called called, String contentType, ByteBuffer body) {
        if (!body.hasRemaining()) {
            return called.version().workflows().containsKey(called.target()) ? EMPTY_OBJECT : Payload.nullJson();
        }
        boolean whole = body.hasArray() && body.arrayOffset() == 0 && body.position() == 0
                && body.array().length == body.remaining();
        byte[] bytes = whole ? body.array()
                : Arrays.copyOfRange(body.array(), body.arrayOffset() + body.position(), body.arrayOffset() + body.limit());
        return new Payload(contentType, bytes, null);
    }

    private InvocationRequest request(String id, Called called, Settings settings, Payload input) {
        ApplicationVersion version = called.version();
        return new InvocationRequest(id, version.application(), version.version(), called.target(), input, settings.timeoutMs(),
                settings.durable(), tracing.ofRequest(settings.traceparent(), id), null, called.process());
    }

    /** The Idempotency-Key of a request, and what it stands for. */
    private record Key(String hash, IdempotencyKeys.Claim claim) {}

    private void hand(HttpExchange exchange, InvocationRequest request, Settings settings, Output output, Key key) {
        Invocation invocation = invocation(exchange, request, settings, output, key);
        inFlight.add(invocation);
        host.invoke(request, key == null && request.process() == null ? invocation : redirecting(invocation, key, 0));
    }

    /** What was refused because its process lives elsewhere goes there, as another execution: that one has not begun. */
    private InvocationListener redirecting(Invocation invocation, Key key, int before) {
        return new InvocationListener() {
            @Override
            public void onAccepted() {
                invocation.onAccepted();
            }

            @Override
            public boolean wantsEnd() {
                return invocation.wantsEnd();
            }

            @Override
            public void onEnd(InvocationResult result) {
                if (ProcessPlace.slotOf(result.failure()) < 0 || before == MOST_REDIRECTIONS || invocation.isAccepted()) {
                    invocation.onEnd(result);
                } else if (key == null) {
                    redirect(invocation, result, null, before);
                } else {
                    blocking.execute(() -> {
                        try {
                            redirect(invocation, result, key, before);
                        } catch (RuntimeException e) {
                            invocation.onEnd(notRedirected(result, e));
                        }
                    });
                }
            }
        };
    }

    private static InvocationResult notRedirected(InvocationResult moved, RuntimeException cause) {
        return new InvocationResult(moved.executionId(), moved.status(), null, Failure.platform(Errors.UNAVAILABLE,
                "its process lives elsewhere, and the Idempotency-Key cannot be carried there: " + cause.getMessage(), true), List.of());
    }

    private void redirect(Invocation invocation, InvocationResult moved, Key key, int before) {
        InvocationRequest old = invocation.request();
        long leftMs = old.timeoutMs() - (System.nanoTime() - invocation.startedNs) / 1_000_000;
        InvocationRequest next = old.as(ids.moved(old.executionId(), ProcessPlace.slotOf(moved.failure()))).withTimeoutMs(Math.max(1, leftMs));
        Key nextKey = null;
        if (key != null) {
            IdempotencyKeys.Claim claim = keys.move(old.application(), key.hash, key.claim, next.executionId());
            if (claim == null) {
                invocation.onEnd(mayHaveRun(moved)); // somebody else asks under the key: who does so next finds what came of it
                return;
            }
            nextKey = new Key(key.hash, claim);
        }
        invocation.redirect(next, answer(invocation.exchange, invocation.output, next, nextKey));
        host.invoke(next, redirecting(invocation, nextKey, before + 1));
    }

    private Answer answer(HttpExchange exchange, Output output, InvocationRequest request, Key key) {
        return new Answer(exchange, output, host, (result, then) -> remember(request, key, result, then));
    }

    private Invocation invocation(HttpExchange exchange, InvocationRequest request, Settings settings, Output output, Key key) {
        return new Invocation(exchange, request, settings, System.nanoTime(), output, answer(exchange, output, request, key), blocking, done -> {
            inFlight.remove(done);
            inFlight.leave();
        });
    }

    /**
     * An idempotent request's end is kept until its record can be read; one that was turned away frees its key before it is
     * answered: who asks again at once must not be the one whose key is freed.
     */
    private void remember(InvocationRequest request, Key key, InvocationResult result, Consumer<InvocationResult> then) {
        Failure failure = result.failure();
        boolean known = key != null && RecordedResults.isKnown(failure);
        if (known && failure != null && failure.retryable()) {
            if (!isFree(key, result)) {
                then.accept(mayHaveRun(result));
                return;
            }
            blocking.execute(() -> {
                try {
                    keys.release(request.application(), key.hash, key.claim);
                } finally {
                    then.accept(result);
                }
            });
            return;
        }
        if (known) {
            recent.put(result);
            endNotes.note(request.application(), key.hash, request.executionId());
        }
        then.accept(result);
    }

    private static InvocationResult mayHaveRun(InvocationResult result) {
        return new InvocationResult(result.executionId(), result.status(), null, result.failure().mayHaveRun(), result.hops());
    }

    /** Of a request that was only turned away, an earlier one under the key may have begun the execution. */
    private static boolean isFree(Key key, InvocationResult result) {
        return key.claim.fresh() || !result.hops().isEmpty() || result.status() == InvocationResult.Status.TIMED_OUT;
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
