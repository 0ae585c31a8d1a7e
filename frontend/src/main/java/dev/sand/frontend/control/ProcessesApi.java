package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.ProcessException;
import dev.sand.event.Ids;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.DataPlanes;
import dev.sand.frontend.invoke.Directory;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * {@code /api/v1/applications/{app}/processes}: the control plane of cloud processes (PraaS 4.1, Listing 2). They are made, told of
 * and killed here, and functions are invoked in them.
 */
public final class ProcessesApi {
    static final String ROOT = ApplicationsApi.ROOT + "/{app}/processes";
    static final String HEADER = "Sand-Process";
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._~-]{1,128}");
    private static final int BODY_BYTES = 64 * 1024;
    private static final long ANSWER_MS = 10_000;
    private final HostAgentPort host;
    private final Directory directory;
    private final DataPlanes planes;
    private final LongSupplier clockMs;

    public ProcessesApi(HostAgentPort host, Directory directory, DataPlanes planes, LongSupplier clockMs) {
        this.host = host;
        this.directory = directory;
        this.planes = planes;
        this.clockMs = clockMs;
    }

    public void addTo(Router router) {
        router.add("POST", ROOT, this::create)
                .add("GET", ROOT, this::list)
                .add("POST", ROOT + "/invoke", this::invoke)
                .add("GET", ROOT + "/{process}", exchange -> exchange.json(200, Json.tree(command(exchange, ProcessCommand.Kind.DESCRIBE))))
                .add("DELETE", ROOT + "/{process}", exchange -> {
                    command(exchange, ProcessCommand.Kind.KILL);
                    exchange.empty(204);
                });
    }

    private void create(Exchange exchange) throws IOException, InterruptedException {
        JsonNode body = JsonBody.object(exchange, BODY_BYTES, "The body, if there is one, is a JSON object with the process's \"id\".");
        String id = body == null || !body.hasNonNull("id") ? newId() : checked(body.get("id").asText());
        ProcessView made = ask(host.process(command(live(exchange), id, ProcessCommand.Kind.CREATE)));
        exchange.headers().put("Location", "/api/v1/applications/" + made.application() + "/processes/" + id);
        exchange.json(201, Json.tree(made));
    }

    private void list(Exchange exchange) throws InterruptedException {
        ApplicationVersion version = live(exchange);
        String status = exchange.query("status");
        List<ProcessView> found = ask(host.processes(version.application()));
        ArrayNode shown = Json.array();
        found.stream().filter(view -> status == null || view.status().equals(status))
                .sorted(Comparator.comparing(ProcessView::process)).forEach(view -> shown.add(Json.tree(view)));
        exchange.json(200, Json.object().set("processes", shown));
    }

    /** As {@code /invoke} does, in the process that the header or the query names, which is made when there is none of that id. */
    private void invoke(Exchange exchange) {
        String function = exchange.query("function");
        if (function == null || function.isEmpty()) {
            throw Problems.badRequest("?function= names the grain to be run; it is missing.").asException();
        }
        String named = exchange.header(HEADER) != null ? exchange.header(HEADER) : exchange.query("process");
        String id = named == null ? newId() : checked(named);
        exchange.headers().put(HEADER, id);
        planes.invokeInProcess(exchange, exchange.path("app"), function, id);
    }

    private ProcessView command(Exchange exchange, ProcessCommand.Kind kind) throws InterruptedException {
        return ask(host.process(command(live(exchange), checked(exchange.path("process")), kind)));
    }

    private static ProcessCommand command(ApplicationVersion version, String process, ProcessCommand.Kind kind) {
        return new ProcessCommand(version.application(), version.version(), process, kind);
    }

    private ApplicationVersion live(Exchange exchange) {
        return directory.load(exchange.path("app"), null);
    }

    private String newId() {
        return Ids.next(clockMs.getAsLong(), ThreadLocalRandom.current());
    }

    private static String checked(String id) {
        if (!ID.matcher(id).matches()) {
            throw Problems.badRequest("A process's id is " + ID.pattern() + ", not '" + id + "'.").asException();
        }
        return id;
    }

    private static <T> T ask(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get(ANSWER_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ProcessException refused) {
                throw problem(refused.failure()).asException();
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw problem(Failure.platform(Errors.UNAVAILABLE, "the process's host has not answered within " + ANSWER_MS + " ms", true))
                    .asException();
        }
    }

    private static Problem problem(Failure failure) {
        return switch (failure.error()) {
            case Errors.NOT_FOUND -> Problem.caller(404, "unknown-process", "Unknown process", sentence(failure.cause()));
            case Errors.CONFLICT -> Problem.caller(409, "conflict", "Conflict", sentence(failure.cause()));
            default -> Problems.of(failure, null);
        };
    }

    private static String sentence(String cause) {
        return Character.toUpperCase(cause.charAt(0)) + cause.substring(1) + ".";
    }
}
