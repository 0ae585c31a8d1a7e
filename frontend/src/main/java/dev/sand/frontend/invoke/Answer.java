package dev.sand.frontend.invoke;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationResult;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import java.math.BigDecimal;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EofException;

/** Writes an invocation's one answer: output, problem, 202, or nothing to a client that has gone. */
final class Answer implements Invocation.Answers {
    /** Of more, their times take long to sum up; and whoever waited for that many does not mind another thread's waking. */
    private static final int QUICK_HOPS = 64;
    private final HttpExchange exchange;
    private final Invoker.Output output;
    private final HostAgentPort host;
    private final BiConsumer<InvocationResult, Consumer<InvocationResult>> onResult;

    /** @param onResult does what is to be done before the answer, and then gives what is to be answered */
    Answer(HttpExchange exchange, Invoker.Output output, HostAgentPort host,
           BiConsumer<InvocationResult, Consumer<InvocationResult>> onResult) {
        this.exchange = exchange;
        this.output = output;
        this.host = host;
        this.onResult = onResult;
    }

    @Override
    public void ended(InvocationResult result, Consumer<InvocationResult> then) {
        onResult.accept(result, then);
    }

    @Override
    public boolean isQuick(InvocationResult result) {
        return result.status() == InvocationResult.Status.SUCCEEDED && result.output().bytes() != null
                && result.hops().size() <= QUICK_HOPS && output.isQuick(result.output());
    }

    @Override
    public void result(Invocation invocation, InvocationResult result) {
        try {
            HttpFields.Mutable headers = exchange.headers();
            headers.add("Sand-Execution-Id", result.executionId());
            headers.add("Server-Timing", ServerTiming.of(result.hops()));
            if (invocation.settings.mayAnswerEarly()) {
                headers.put(HttpHeader.CONTENT_LOCATION, location(invocation));
            }
            if (result.status() == InvocationResult.Status.SUCCEEDED && result.output().bytes() == null) {
                exchange.problem(Problem.platform(410, "output-gone", "The output is kept no more", "Execution "
                        + result.executionId() + " succeeded, but its output is kept no more.", false)
                        .with("executionId", result.executionId()));
            } else if (result.status() == InvocationResult.Status.SUCCEEDED) {
                output.write(exchange, result.output());
            } else {
                exchange.problem(Problems.of(result.status(), failure(result), result.executionId()));
            }
        } catch (Throwable e) {
            Gate.answer(exchange, e);
        }
    }

    static Failure failure(InvocationResult result) {
        if (result.failure() != null) {
            return result.failure();
        }
        return switch (result.status()) {
            case TIMED_OUT -> Failure.platform(Errors.TIMEOUT, "The execution's deadline passed.", true);
            case CANCELLED -> Failure.caller(Errors.CANCELLED, "The execution was cancelled.");
            default -> Failure.grain("Sand.Failed", "The execution failed without saying why.", null);
        };
    }

    @Override
    public void accepted(Invocation invocation) {
        String location = location(invocation);
        HttpFields.Mutable headers = exchange.headers();
        headers.add("Sand-Execution-Id", invocation.request().executionId());
        headers.put(HttpHeader.LOCATION, location);
        headers.add("Preference-Applied", invocation.settings.async() ? "respond-async"
                : "wait=" + seconds(invocation.settings.waitMs()));
        exchange.json(202, Json.object().put("executionId", invocation.request().executionId())
                .put("application", invocation.request().application()).put("version", invocation.request().version())
                .put("target", invocation.request().target()).put("status", invocation.status().name()).put("location", location));
    }

    /** As it was asked for: a whole number without a point. */
    private static String seconds(long ms) {
        return BigDecimal.valueOf(ms, 3).stripTrailingZeros().toPlainString();
    }

    private static String location(Invocation invocation) {
        return "/api/v1/applications/" + invocation.request().application() + "/invocations/" + invocation.request().executionId();
    }

    @Override
    public void silent(Invocation invocation) {
        String id = invocation.request().executionId();
        host.cancel(id, "the frontend's guard: no answer long after the deadline");
        exchange.headers().add("Sand-Execution-Id", id);
        exchange.problem(Problem.platform(504, "no-answer", "The host agent did not answer",
                "Execution " + id + " has no end long after its deadline; it may have run.", true).with("executionId", id)
                .with(Failure.MAY_HAVE_RUN, true));
    }

    @Override
    public void hungUp(Invocation invocation) {
        if (!invocation.settings.durable()) {
            host.cancel(invocation.request().executionId(), "the client hung up");
        }
        exchange.callback().failed(new EofException("the client hung up"));
    }
}
