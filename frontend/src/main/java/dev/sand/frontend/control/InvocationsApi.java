package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.Registry;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.eclipse.jetty.http.HttpHeader;

/** {@code /api/v1/applications/{app}/invocations}: what happened to executions, while they run and after. */
public final class InvocationsApi {
    /** An execution's record is written behind its answer: whoever asks at once waits a moment and is not told "unknown". */
    private static final long FRESH_MS = 10_000;
    private static final long LOOK_AGAIN_MS = 10;
    private static final int LOOKS = 100;
    private static final long CANCEL_MS = 10_000;
    private final Registry registry;
    private final InvocationStore records;
    private final HostAgentPort host;
    private final LongSupplier clockMs;
    private final HistoryView history;
    private final Redrives redrives;

    public InvocationsApi(Registry registry, InvocationStore records, HostAgentPort host, LongSupplier clockMs) {
        this.registry = registry;
        this.records = records;
        this.host = host;
        this.clockMs = clockMs;
        this.history = new HistoryView(registry, records);
        this.redrives = new Redrives(registry, records, host, clockMs);
    }

    public void addTo(Router router) {
        router.on("listInvocations", this::list)
                .on("describeInvocation", this::describe)
                .onHttp("invocationInput", this::input)
                .onHttp("invocationOutput", this::output)
                .on("invocationTimeline", exchange -> exchange.json(200, Timeline.of(find(exchange))))
                .on("invocationHistory", exchange -> history.answer(exchange, find(exchange)))
                .on("cancelInvocation", this::cancel)
                .on("redriveInvocation", exchange -> redrives.answer(exchange, find(exchange)));
    }

    /** @throws dev.sand.frontend.http.ProblemException 404 when there is no such execution of that application */
    InvocationRecord find(Exchange exchange) throws InterruptedException {
        String application = ApplicationsApi.application(exchange, registry);
        String id = exchange.path("id");
        if (Ids.isValid(id)) {
            boolean fresh = Math.abs(clockMs.getAsLong() - Ids.epochMs(id)) < FRESH_MS;
            for (int looks = fresh ? LOOKS : 1; looks > 0; looks--) {
                var record = records.get(application, id);
                if (record.isPresent()) {
                    return record.get();
                }
                Thread.sleep(LOOK_AGAIN_MS);
            }
        }
        throw Problem.caller(404, "unknown-invocation", "Unknown invocation",
                "Application '" + application + "' has no invocation " + id + ", or has it no more.").asException();
    }

    private void describe(Exchange exchange) throws InterruptedException {
        InvocationRecord record = find(exchange);
        ObjectNode shown = show(record);
        shown.set("hops", record.hops() == null ? Json.array() : Json.tree(record.hops()));
        exchange.json(200, shown);
    }

    private void list(Exchange exchange) {
        String application = ApplicationsApi.application(exchange, registry);
        InvocationStore.Page page = records.list(application,
                new InvocationStore.Filter(status(exchange.query("status")), ApplicationsApi.target(exchange, "target"),
                        process(exchange.query("process"))),
                before(exchange.query("before")), exchange.query("limit", 50, 1, 1000));
        ArrayNode invocations = Json.array();
        page.records().forEach(record -> invocations.add(show(record)));
        ObjectNode answer = Json.object();
        answer.set("invocations", invocations);
        answer.put("next", page.next());
        exchange.json(200, answer);
    }

    /** The {@code next} of the page before. */
    private static String before(String text) {
        if (text != null && !Ids.isValid(text)) {
            throw Problems.badRequest("'" + text + "' is no execution's id: 'before' takes the 'next' of an earlier answer.").asException();
        }
        return text;
    }

    private static String process(String text) {
        return text == null ? null : ProcessesApi.checked(text);
    }

    private static Status status(String text) {
        try {
            return text == null ? null : Status.valueOf(text);
        } catch (IllegalArgumentException e) {
            throw Problems.badRequest("'" + text + "' is no status of an invocation.").asException();
        }
    }

    static ObjectNode show(InvocationRecord record) {
        ObjectNode shown = Json.object().put("executionId", record.executionId()).put("application", record.application())
                .put("version", record.version()).put("target", record.target()).put("status", record.status().name())
                .put("startedMs", record.startedMs()).put("endedMs", record.endedMs() == 0 ? null : (Long) record.endedMs())
                .put("cpuUs", record.cpuUs()).put("peakMemoryBytes", record.peakMemoryBytes()).put("redriveCount", record.redrives());
        if (record.process() != null) {
            shown.put("process", record.process());
        }
        if (record.failure() != null) {
            shown.set("failure", Json.tree(record.failure()));
        }
        if (record.input() != null) {
            shown.set("input", Json.object().put("contentType", record.input().contentType()).put("size", record.input().size()));
        }
        if (record.output() != null) {
            shown.set("output", Json.object().put("contentType", record.output().contentType()).put("size", record.output().size()));
        }
        return shown;
    }

    private void input(HttpExchange exchange) throws InterruptedException, IOException {
        InvocationRecord record = find(exchange);
        Payload input = record.input();
        if (input == null || input.bytes() == null) {
            throw Problem.platform(410, "input-gone", "The input is not kept", "The input of execution " + record.executionId()
                    + (input == null ? "" : ", of " + input.size() + " bytes,") + " is not kept: records have inputs of up to "
                    + Limits.INLINE_BYTES + " bytes.", false).with("executionId", record.executionId()).asException();
        }
        exchange.headers().put("Sand-Execution-Id", record.executionId());
        exchange.stream(200, input.contentType(), input.size(), to -> to.write(input.bytes()));
    }

    private void output(HttpExchange exchange) throws InterruptedException, IOException {
        InvocationRecord record = find(exchange);
        exchange.headers().put("Sand-Execution-Id", record.executionId());
        if (record.status() == Status.RUNNING) {
            exchange.headers().put(HttpHeader.RETRY_AFTER, "1");
            exchange.json(202, Json.object().put("executionId", record.executionId()).put("status", "RUNNING"));
            return;
        }
        if (record.status() != Status.SUCCEEDED) {
            Failure failure = record.failure() != null ? record.failure()
                    : Failure.platform("Sand." + record.status(), "The execution ended as " + record.status() + ".", false);
            exchange.problem(Problems.of(record.status(), failure, record.executionId()));
            return;
        }
        InvocationStore.Output output = records.output(record).orElseThrow(() -> Problems.outputGone(record).asException());
        exchange.stream(200, output.contentType(), output.size(), output.content()::writeTo);
    }

    private void cancel(Exchange exchange) throws Exception {
        InvocationRecord record = find(exchange);
        Stop stop = Stop.of(exchange, record.executionId());
        if (record.status() != Status.RUNNING || !AskedAgain.until(CANCEL_MS, "It is not known whether execution "
                + record.executionId() + " is stopped; stop it again",
                () -> host.cancel(record.executionId(), stop.error(), stop.cause()))) {
            InvocationRecord now = find(exchange);
            throw Problem.caller(409, "not-running", "The invocation does not run", "Execution " + record.executionId()
                    + " does not run: its status is " + now.status() + ".").with("executionId", record.executionId())
                    .with("invocationStatus", now.status().name()).asException();
        }
        exchange.json(200, Json.object().put("executionId", record.executionId()).put("status", "CANCELLED"));
    }
}
