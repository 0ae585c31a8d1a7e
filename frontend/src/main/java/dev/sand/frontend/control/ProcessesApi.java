package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.LogStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.DedicatedSpec;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.HostAgentPort.ProcessException;
import dev.sand.event.Ids;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessSpec;
import dev.sand.event.ProcessView;
import dev.sand.frontend.deployment.DedicatedReader;
import dev.sand.frontend.deployment.Quantity;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.DataPlanes;
import dev.sand.frontend.invoke.Directory;
import java.io.IOException;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
    static final String HEADER = DataPlanes.PROCESS;
    private static final Pattern ID = Pattern.compile("(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}");
    private static final Set<String> FIELDS = Set.of("id", "concurrency", "memory", "dedicated");
    private static final Set<String> STATUSES = Set.of("active", "idle", "swapped");
    private static final int MOST_AT_ONCE = 1_000;
    private static final int PAGE = 50;
    private static final int MOST_PAGE = 1_000;
    private static final int BODY_BYTES = 64 * 1024;
    private static final long ANSWER_MS = 10_000;
    private static final long STEP_MS = 90_000;
    /** What a process has done, which metrics tell; and what it is, which they leave out. */
    private static final List<String> FIGURES = List.of("invocations", "busyMs", "failures", "sent", "received", "swapsOut", "swapsIn",
            "checkpoints", "dataPlane", "slot");
    private static final List<String> ABOUT = List.of("application", "host", "createdMs", "concurrency", "memoryBytes", "stateKeys",
            "dedicated", "slot");
    private final HostAgentPort host;
    private final Directory directory;
    private final DataPlanes planes;
    private final LogStore logs;
    private final LongSupplier clockMs;

    public ProcessesApi(HostAgentPort host, Directory directory, DataPlanes planes, LogStore logs, LongSupplier clockMs) {
        this.host = host;
        this.directory = directory;
        this.planes = planes;
        this.logs = logs;
        this.clockMs = clockMs;
    }

    public void addTo(Router router) {
        router.on("createProcess", this::create)
                .on("listProcesses", this::list)
                .onHttp("invokeInProcess", this::invoke)
                .on("describeProcess", exchange -> exchange.json(200, shown(command(exchange, ProcessCommand.Kind.DESCRIBE))))
                .on("processMetrics", exchange -> exchange.json(200, metrics(command(exchange, ProcessCommand.Kind.DESCRIBE))))
                .on("swapOutProcess", exchange -> step(exchange, ProcessCommand.Kind.SWAP_OUT))
                .on("swapInProcess", exchange -> step(exchange, ProcessCommand.Kind.SWAP_IN))
                .on("checkpointProcess", exchange -> step(exchange, ProcessCommand.Kind.CHECKPOINT))
                .on("migrateProcess", this::migrate)
                .on("killProcess", this::kill);
    }

    private void kill(Exchange exchange) throws InterruptedException, IOException {
        ApplicationVersion version = live(exchange);
        String id = checked(exchange.path("process"));
        // With the kill's end, whether somebody still waits for that or not; and of one that is not there (any more), whose lines
        // its next namesake would have.
        ask(host.process(command(version, id, ProcessCommand.Kind.KILL)).whenCompleteAsync((killed, refused) -> {
            if (killed != null || isUnknown(refused)) {
                logs.deleteProcess(version.application(), id);
            }
        }, Thread::startVirtualThread));
        exchange.empty(204);
    }

    private static boolean isUnknown(Throwable refused) {
        Throwable cause = refused instanceof CompletionException wrapped ? wrapped.getCause() : refused;
        return cause instanceof ProcessException it && it.failure().error().equals(Errors.NOT_FOUND);
    }

    /** @throws RuntimeException as a problem for the caller: there is none of that id */
    ProcessView find(Exchange exchange) throws InterruptedException {
        return command(exchange, ProcessCommand.Kind.DESCRIBE);
    }

    private void create(Exchange exchange) throws IOException, InterruptedException {
        JsonNode body = JsonBody.object(exchange, BODY_BYTES, "The body is an object with id, concurrency, memory and dedicated.");
        JsonNode asked = body == null ? Json.object() : body;
        for (Iterator<String> names = asked.fieldNames(); names.hasNext();) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw Problems.badRequest("A process has no '" + name + "': it has id, concurrency, memory and dedicated.").asException();
            }
        }
        String id = asked.hasNonNull("id") ? checked(text(asked.get("id"))) : newId();
        exchange.name("process", id);
        ApplicationVersion version = live(exchange);
        ProcessCommand wish = new ProcessCommand(version.application(), version.version(), id, ProcessCommand.Kind.CREATE,
                concurrency(asked.path("concurrency")), memory(asked.path("memory")), dedicated(asked.path("dedicated")));
        DeclaredProcess.check(exchange, wish, asked.hasNonNull("dedicated"), version.processSpec());
        ProcessView made = ask(host.process(wish));
        exchange.headers().put("Location", "/api/v1/apps/" + made.application() + "/processes/" + id);
        // It was swapped in for this; one that was made has never been.
        exchange.json(made.swapsIn() > 0 ? 200 : 201, shown(made));
    }

    /** Answered when it is done; functions that run in the process may have to end first. */
    private void step(Exchange exchange, ProcessCommand.Kind kind) throws IOException, InterruptedException {
        JsonBody.ignored(exchange, BODY_BYTES);
        exchange.json(200, shown(ask(host.process(command(live(exchange), checked(exchange.path("process")), kind)), STEP_MS)));
    }

    /** To the host that the body names, or to the least busy of the others. */
    private void migrate(Exchange exchange) throws IOException, InterruptedException {
        JsonNode body = JsonBody.object(exchange, BODY_BYTES, "The body is an object with host.");
        JsonNode asked = body == null ? Json.object() : body;
        for (Iterator<String> names = asked.fieldNames(); names.hasNext();) {
            String name = names.next();
            if (!name.equals("host")) {
                throw Problems.badRequest("A migration has no '" + name + "': it has host.").asException();
            }
        }
        if (asked.hasNonNull("host") && !asked.get("host").isTextual()) {
            throw Problems.badRequest("'host' is a host's id.").asException();
        }
        ApplicationVersion version = live(exchange);
        exchange.json(200, shown(ask(host.migrate(version.application(), version.version(), checked(exchange.path("process")),
                asked.hasNonNull("host") ? asked.get("host").asText() : null), STEP_MS)));
    }

    private static JsonNode shown(ProcessView view) {
        return all(view).without(FIGURES);
    }

    private static JsonNode metrics(ProcessView view) {
        return all(view).without(ABOUT);
    }

    /** With how much of its state is in memory, and how much is not. */
    private static ObjectNode all(ProcessView view) {
        long overflow = view.status().equals("swapped") ? view.stateBytes() : view.overflowBytes() == null ? 0 : view.overflowBytes();
        return ((ObjectNode) Json.tree(view)).put("residentBytes", view.stateBytes() - overflow).put("overflowBytes", overflow);
    }

    private static int concurrency(JsonNode asked) {
        if (!asked.isMissingNode() && !asked.isNull() && !(asked.isInt() && asked.intValue() >= 1 && asked.intValue() <= MOST_AT_ONCE)) {
            throw Problems.badRequest("'concurrency' is a number from 1 to " + MOST_AT_ONCE + ".").asException();
        }
        return asked.asInt();
    }

    private static long memory(JsonNode asked) {
        if (asked.isMissingNode() || asked.isNull()) {
            return 0;
        }
        String wrong;
        try {
            long memory = Quantity.bytes(asked);
            wrong = ProcessSpec.wrongMemory(memory);
            if (wrong == null) {
                return memory;
            }
        } catch (IllegalArgumentException e) {
            wrong = e.getMessage();
        }
        throw Problems.badRequest("'memory': " + wrong + ".").asException();
    }

    private static DedicatedSpec dedicated(JsonNode asked) {
        try {
            return DedicatedReader.read(asked);
        } catch (DedicatedReader.Wrong e) {
            throw Problems.badRequest("'dedicated': " + e.getMessage() + ".").with("pointer", "/body/dedicated" + e.pointer()).asException();
        }
    }

    private void list(Exchange exchange) throws InterruptedException {
        ApplicationVersion version = live(exchange);
        String status = exchange.query("status");
        String after = exchange.query("after");
        if (status != null && !STATUSES.contains(status)) {
            throw Problems.badRequest("'" + status + "' is no status of a process: these are active, idle, swapped.").asException();
        }
        int limit = exchange.query("limit", PAGE, 1, MOST_PAGE);
        List<ProcessView> found = ask(host.processes(version.application())).stream()
                .filter(view -> (status == null || view.status().equals(status)) && (after == null || view.process().compareTo(after) > 0))
                .sorted(Comparator.comparing(ProcessView::process)).toList();
        ArrayNode shown = Json.array();
        found.stream().limit(limit).forEach(view -> shown.add(shown(view)));
        ObjectNode answer = Json.object();
        answer.set("processes", shown);
        exchange.json(200, answer.put("next", found.size() > limit ? found.get(limit - 1).process() : null));
    }

    /** As {@code /invoke} does, in the process that the header or the query names, which is made when there is none of that id. */
    private void invoke(HttpExchange exchange) {
        String function = exchange.query("function");
        if (function == null || function.isEmpty()) {
            throw Problems.badRequest("?function= names the grain to be run; it is missing.").asException();
        }
        String header = exchange.header(HEADER);
        String query = exchange.query("process");
        if (header != null && query != null && !header.equals(query)) {
            throw Problems.badRequest("The header Sand-Process says '" + header + "', and the query '" + query + "'.").asException();
        }
        String named = header != null ? header : query;
        planes.invokeInProcess(exchange, exchange.path("app"), function, named == null ? null : checked(named));
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

    private static String text(JsonNode id) {
        if (!id.isTextual()) {
            throw Problems.badRequest("'id' is a text, not " + id + ".").asException();
        }
        return id.textValue();
    }

    static String checked(String id) {
        if (!ID.matcher(id).matches()) {
            throw Problems.badRequest("A process's id is [A-Za-z0-9._~-]{1,128}, neither '.' nor '..', not '" + id + "'.").asException();
        }
        return id;
    }

    static <T> T ask(CompletableFuture<T> answer) throws InterruptedException {
        return ask(answer, ANSWER_MS);
    }

    private static <T> T ask(CompletableFuture<T> answer, long withinMs) throws InterruptedException {
        try {
            return answer.get(withinMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ProcessException refused) {
                throw problem(refused.failure()).asException();
            }
            throw new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            throw problem(Failure.platform(Errors.UNAVAILABLE, "the process's host has not answered within " + withinMs + " ms", true))
                    .asException();
        }
    }

    private static Problem problem(Failure failure) {
        return switch (failure.error()) {
            case Errors.NOT_FOUND -> Problem.caller(404, "unknown-process", "Unknown process", sentence(failure.cause()));
            case Errors.CONFLICT -> {
                Map<String, Object> more = new LinkedHashMap<>();
                more.put("error", failure.error());
                if (failure.details() != null) {
                    more.putAll(failure.details());
                }
                yield new Problem("conflict", "Conflict", 409, sentence(failure.cause()), failure.source(), false, more);
            }
            default -> Problems.of(failure, null);
        };
    }

    private static String sentence(String cause) {
        return Character.toUpperCase(cause.charAt(0)) + cause.substring(1) + ".";
    }
}
