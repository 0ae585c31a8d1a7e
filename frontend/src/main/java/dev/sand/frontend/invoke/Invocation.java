package dev.sand.frontend.invoke;

import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.frontend.http.HttpExchange;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One request between its hand-over to the host agent and its answer. Answered exactly once, by whichever comes first: the
 * end, the acceptance (asynchronous requests), the client's hang-up, or the guard's time.
 *
 * <pre>
 * waiting ─ onEnd ─────────────▶ answered with the output or the failure
 *         ─ onAccepted (async) ▶ answered 202; wait=N: once N seconds have passed
 *         ─ hung up ───────────▶ answered with nothing, the execution cancelled unless it is to live on
 *         ─ guard ─────────────▶ answered 504: the host agent said nothing in time
 * </pre>
 */
final class Invocation implements InvocationListener {
    /** How to answer: one of result, accepted, silent and hungUp, once. */
    interface Answers {
        /** The execution has ended, answered already or not; only enqueues. @param then gives that for the answer, perhaps on another thread */
        void ended(InvocationResult result, Consumer<InvocationResult> then);

        void result(Invocation invocation, InvocationResult result);

        /** Whether {@code result} may be called by the owner thread. */
        boolean isQuick(InvocationResult result);

        void accepted(Invocation invocation);

        void silent(Invocation invocation);

        void hungUp(Invocation invocation);
    }

    final HttpExchange exchange;
    final Settings settings;
    final long startedNs;
    final Invoker.Output output;
    private volatile InvocationRequest request;
    private volatile Answers answers;
    private final Executor executor;
    private final Consumer<Invocation> onAnswered;
    private final AtomicBoolean answered = new AtomicBoolean();
    private volatile boolean accepted;
    /** As far as this frontend knows. */
    private volatile Status status = Status.RUNNING;
    private volatile boolean waited;
    private boolean watched;

    Invocation(HttpExchange exchange, InvocationRequest request, Settings settings, long startedNs, Invoker.Output output, Answers answers,
               Executor executor, Consumer<Invocation> onAnswered) {
        this.exchange = exchange;
        this.request = request;
        this.settings = settings;
        this.startedNs = startedNs;
        this.output = output;
        this.answers = answers;
        this.executor = executor;
        this.onAnswered = onAnswered;
        this.waited = settings.async();
    }

    InvocationRequest request() {
        return request;
    }

    /** Nothing has come of it, and it is another execution from now on. */
    void redirect(InvocationRequest next, Answers its) {
        request = next;
        answers = its;
    }

    boolean isAccepted() {
        return accepted;
    }

    @Override
    public void onAccepted() {
        accepted = true;
        answerEarly();
    }

    @Override
    public void onEnd(InvocationResult result) {
        status = result.status();
        answers.ended(result, this::answer);
    }

    private void answer(InvocationResult result) {
        if (claim()) {
            if (answers.isQuick(result)) {
                // Waking another thread for a write that does not block costs more than the write.
                answers.result(this, result);
            } else {
                executor.execute(() -> answers.result(this, result));
            }
        }
    }

    /** It is that of an earlier request under its key, which has ended; this one is answered as it asks. */
    void onRepeated(InvocationResult before) {
        status = before.status();
        if (settings.async()) {
            onAccepted();
        } else {
            onEnd(before);
        }
    }

    Status status() {
        return status;
    }

    @Override
    public boolean wantsEnd() {
        // An idempotent request's end is kept under its key.
        return !answered.get() || settings.idempotencyKey() != null;
    }

    /** The time of {@code Prefer: wait} has passed. */
    void onWaited() {
        waited = true;
        answerEarly();
    }

    /** Called on one thread: whether this is the first time. */
    boolean startWatching() {
        boolean first = !watched;
        watched = true;
        return first;
    }

    void onHungUp() {
        if (claim()) {
            executor.execute(() -> answers.hungUp(this));
        }
    }

    void onSilent() {
        if (claim()) {
            executor.execute(() -> answers.silent(this));
        }
    }

    private void answerEarly() {
        if (accepted && waited && claim()) {
            executor.execute(() -> answers.accepted(this));
        }
    }

    private boolean claim() {
        boolean mine = answered.compareAndSet(false, true);
        if (mine) {
            onAnswered.accept(this);
        }
        return mine;
    }
}
