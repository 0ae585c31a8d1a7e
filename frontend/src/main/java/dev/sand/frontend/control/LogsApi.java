package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.LogStore;
import dev.sand.datalayer.LogStore.Line;
import dev.sand.datalayer.LogStore.Page;
import dev.sand.datalayer.LogStore.Which;
import dev.sand.datalayer.Registry;
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
import java.util.stream.Stream;

/** {@code …/logs}: what an application's grains wrote, of one invocation, one cloud process or all; {@code ?follow} stays for more. */
public final class LogsApi {
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
        answer(exchange, application, LinesAsked.of(exchange, null, null), () -> false);
    }

    private void ofInvocation(Exchange exchange) throws Exception {
        var record = invocations.find(exchange);
        answer(exchange, record.application(), LinesAsked.of(exchange, record.executionId(), null), () -> {
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
        answer(exchange, process.application(), LinesAsked.of(exchange, null, process.process()), () -> false);
    }

    private void answer(Exchange exchange, String application, LinesAsked asked, BooleanSupplier ended) throws Exception {
        Part part = read(application, asked);
        if (!exchange.flag("follow")) {
            ArrayNode lines = Json.array();
            part.lines().forEach(line -> lines.add(show(line)));
            ObjectNode answer = Json.object();
            answer.set("lines", lines);
            exchange.json(200, answer.put("next", part.next()).put("previous", part.previous()));
            return;
        }
        if (!(exchange instanceof HttpExchange http)) {
            throw Problems.badRequest("Logs are followed over HTTP alone.").asException();
        }
        try (EventStream stream = EventStream.open(http)) {
            follow(stream, application, asked.which(), part, asked.after() == null ? 0 : asked.after(), ended);
        }
    }

    /** @param next to go on behind; @param previous to go on before; null: nothing is there */
    private record Part(List<Line> lines, Long next, Long previous) {}

    private Part read(String application, LinesAsked asked) {
        if (asked.after() != null) {
            Page page = logs.after(application, asked.which(), asked.after(), asked.limit());
            return new Part(page.lines(), page.more() || !page.lines().isEmpty() ? page.cursor() : null,
                    asked.after() > 0 ? (Long) (asked.after() + 1) : null);
        }
        if (asked.before() != null) {
            Page page = logs.before(application, asked.which(), asked.before(), asked.limit());
            return new Part(page.lines(), page.lines().isEmpty() ? asked.before() - 1 : page.lines().getLast().sequence(),
                    page.more() ? page.cursor() : null);
        }
        // Whoever asks for rare lines goes on behind the last line of all; what comes between the two looks is in the second.
        List<Line> newest = logs.last(application, Which.ALL, 1).lines();
        Page page = logs.last(application, asked.which(), asked.limit());
        Long next = Stream.concat(newest.stream(), page.lines().stream()).map(Line::sequence).max(Long::compare).orElse(null);
        return new Part(page.lines(), next, page.more() ? page.cursor() : null);
    }

    private void follow(EventStream stream, String application, Which which, Part first, long from, BooleanSupplier ended)
            throws Exception {
        long after = first.next() == null ? from : first.next();
        List<Line> lines = first.lines();
        int quiet = 0;
        while (true) {
            for (Line line : lines) {
                stream.send("line", Long.toString(line.sequence()), show(line));
            }
            quiet = lines.isEmpty() ? quiet + 1 : 0;
            if (quiet >= LOOKS_AFTER_END && ended.getAsBoolean()) {
                return;
            }
            if (quiet > 0 && quiet % LOOKS_ALIVE == 0) {
                stream.alive();
            }
            Thread.sleep(LOOK_AGAIN_MS);
            Page page = logs.after(application, which, after, LinesAsked.MOST_LINES);
            lines = page.lines();
            after = page.cursor();
        }
    }

    private static ObjectNode show(Line line) {
        return Json.object().put("sequence", line.sequence()).put("epochMs", line.epochMs()).put("version", line.version())
                .put("grain", line.grain()).put("executionId", line.executionId()).put("eventId", line.eventId())
                .put("attempt", line.attempt()).put("stream", line.stream()).put("level", line.level()).put("text", line.text())
                .put("process", line.process());
    }
}
