package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.LogStore.Line;
import dev.sand.datalayer.LogStore.Which;
import dev.sand.datalayer.Registry;
import dev.sand.event.Ids;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.ProcessView;
import dev.sand.frontend.http.EventStream;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import java.util.List;
import java.util.function.BooleanSupplier;

/** {@code …/logs}: what an application's grains wrote, of one invocation, one cloud process or all; {@code ?follow} stays for more. */
public final class LogsApi {
    private static final int MOST_LINES = 10_000;
    private static final long LOOK_AGAIN_MS = 100;
    private static final int LOOKS_ALIVE = 50;
    /** Lines come in behind the end of their invocation; after so many looks without one there are no more. */
    private static final int LOOKS_AFTER_END = 10;
    private final Registry registry;
    private final LogStore logs;
    private final InvocationsApi invocations;
    private final ProcessesApi processes;

    public LogsApi(Registry registry, LogStore logs, InvocationsApi invocations, ProcessesApi processes) {
        this.registry = registry;
        this.logs = logs;
        this.invocations = invocations;
        this.processes = processes;
    }

    public void addTo(Router router) {
        router.on("applicationLogs", this::ofApplication)
                .on("invocationLogs", this::ofInvocation)
                .on("processLogs", this::ofProcess);
    }

    private void ofApplication(Exchange exchange) throws Exception {
        String application = ApplicationsApi.application(exchange, registry);
        answer(exchange, application, which(exchange, invocation(exchange), null), () -> false);
    }

    private void ofInvocation(Exchange exchange) throws Exception {
        var record = invocations.find(exchange);
        answer(exchange, record.application(), which(exchange, record.executionId(), null), () -> {
            try {
                return invocations.find(exchange).status() != Status.RUNNING;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
        });
    }

    /** Wherever it is, or was: lines are in the global data layer from the start. */
    private void ofProcess(Exchange exchange) throws Exception {
        ProcessView process = processes.find(exchange);
        answer(exchange, process.application(), which(exchange, invocation(exchange), process.process()), () -> false);
    }

    private static String invocation(Exchange exchange) {
        String id = exchange.query("invocation");
        if (id != null && !Ids.isValid(id)) {
            throw Problems.badRequest("'" + id + "' is no execution's id.").asException();
        }
        return id;
    }

    private static Which which(Exchange exchange, String executionId, String process) {
        return new Which(executionId, ApplicationsApi.target(exchange, "grain"), process);
    }

    private void answer(Exchange exchange, String application, Which which, BooleanSupplier ended) throws Exception {
        int limit = exchange.query("limit", 1_000, 1, MOST_LINES);
        String from = exchange.header("Last-Event-ID") != null ? exchange.header("Last-Event-ID") : exchange.query("after");
        List<Line> first = from == null ? logs.tail(application, which, limit)
                : logs.read(application, which, sequence(from), limit);
        if (!exchange.flag("follow")) {
            ArrayNode lines = Json.array();
            first.forEach(line -> lines.add(show(line)));
            ObjectNode answer = Json.object();
            answer.set("lines", lines);
            exchange.json(200, answer.put("next", first.isEmpty() ? null : (Long) first.getLast().sequence()));
            return;
        }
        if (!(exchange instanceof HttpExchange http)) {
            throw Problems.badRequest("Logs are followed over HTTP alone.").asException();
        }
        try (EventStream stream = EventStream.open(http)) {
            follow(stream, application, which, first, from == null ? 0 : sequence(from), ended);
        }
    }

    private void follow(EventStream stream, String application, Which which, List<Line> first, long from,
                        BooleanSupplier ended) throws Exception {
        long after = from;
        List<Line> lines = first;
        int quiet = 0;
        while (true) {
            for (Line line : lines) {
                stream.send("line", Long.toString(line.sequence()), show(line));
                after = line.sequence();
            }
            quiet = lines.isEmpty() ? quiet + 1 : 0;
            if (quiet >= LOOKS_AFTER_END && ended.getAsBoolean()) {
                return;
            }
            if (quiet > 0 && quiet % LOOKS_ALIVE == 0) {
                stream.alive();
            }
            Thread.sleep(LOOK_AGAIN_MS);
            lines = logs.read(application, which, after, MOST_LINES);
        }
    }

    private static long sequence(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw Problems.badRequest("'" + text + "' is no number of a line.").asException();
        }
    }

    private static ObjectNode show(Line line) {
        return Json.object().put("sequence", line.sequence()).put("epochMs", line.epochMs()).put("version", line.version())
                .put("grain", line.grain()).put("executionId", line.executionId()).put("eventId", line.eventId())
                .put("attempt", line.attempt()).put("stream", line.stream()).put("level", line.level()).put("text", line.text())
                .put("process", line.process());
    }
}
