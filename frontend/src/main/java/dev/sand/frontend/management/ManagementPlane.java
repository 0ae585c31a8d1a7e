package dev.sand.frontend.management;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.RecordedResults;
import dev.sand.dataplane.Ticket;
import dev.sand.dataplane.Tickets;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.ControlPort.Asker;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.frontend.access.Sealing;
import dev.sand.frontend.http.Caller;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Operations;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Scope;
import dev.sand.frontend.invoke.Directory;
import dev.sand.frontend.invoke.Names;
import dev.sand.frontend.invoke.WebResponse;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations that grains of the management application do: the request becomes an event with a ticket, its output the answer. A grain
 * that is broken is told as such, never mistaken for an answer; where it could not begin, and whoever asks may everything, the
 * operation is done directly.
 */
public final class ManagementPlane implements Gate.Managed {
    /** Asks, in a header, that no grain is in the way. */
    static final String DIRECT = "Sand-Direct";
    static final String SERVED_BY = "Sand-Served-By";
    /** The contract between frontends and the grains: which version of them does operations. */
    static final String ALIAS = "c1";
    private static final Logger LOG = LoggerFactory.getLogger(ManagementPlane.class);
    private static final long READY_MS = 30_000;
    /** How much longer than its grain's longest run a ticket is good, for the wait before it. */
    private static final long TICKET_WAIT_MS = 30_000;
    private static final long GRACE_MS = 2_000;
    private static final int BODY_BYTES = 64 * 1024;
    private static final Set<String> HEADERS = Set.of("accept", "content-type", "if-match", "if-none-match", "idempotency-key",
            "last-event-id", "prefer", "sand-timeout", "traceparent", "user-agent");
    /** With these nothing of the grain has begun. */
    private static final Set<String> NOT_BEGUN = Set.of(Errors.IMPORT_FAILED, Errors.SANDBOX_FAILED, Errors.UNAVAILABLE, Errors.NOT_FOUND,
            Errors.MOVED);
    private final HostAgentPort host;
    private final Directory directory;
    private final Supplier<byte[]> key;
    private final LongSupplier clockMs;
    private final ManagedHosts hosts;
    private final BooleanSupplier open;
    private final Sealing sealing;
    private final Runnable forgetAccess;
    private final Map<String, GrainHealth> health = new ConcurrentHashMap<>();
    private volatile Tickets tickets;

    /** @param failure of its newest call, or null: it answered; @param sinceMs of the first in a row */
    public record GrainHealth(String failure, String executionId, long sinceMs) {}

    /** @param key that tickets are signed with; @param open whether whoever is on this machine may do everything;
     *  @param slots of the platform; @param forgetAccess what is remembered of keys and sessions; @param sealing of passwords */
    public ManagementPlane(HostAgentPort host, Directory directory, Supplier<byte[]> key, LongSupplier clockMs, int slots, BooleanSupplier open,
                           Runnable forgetAccess, Sealing sealing) {
        this.sealing = sealing;
        this.host = host;
        this.directory = directory;
        this.key = key;
        this.clockMs = clockMs;
        this.hosts = new ManagedHosts(host, slots, clockMs);
        this.open = open;
        this.forgetAccess = forgetAccess;
    }

    ManagedHosts hosts() {
        return hosts;
    }

    Map<String, GrainHealth> health() {
        return Map.copyOf(health);
    }

    @Override
    public boolean handle(HttpExchange exchange, Operations.Operation operation, Caller caller) {
        if ("true".equals(exchange.header(DIRECT)) && !caller.may(Scope.OPERATOR)) {
            throw caller.refusal(Scope.OPERATOR).asException(); // grains have a say in what others may
        }
        if ("true".equals(exchange.header(DIRECT)) || isFollowed(exchange, operation)) {
            exchange.name("plane", "direct");
            return false;
        }
        try {
            return handled(exchange, operation, caller);
        } catch (IOException e) {
            throw Problems.badRequest("The body did not arrive: " + e.getMessage()).asException();
        }
    }

    /** A stream has no grain that would stay for it; what else is asked for so has one. */
    private static boolean isFollowed(HttpExchange exchange, Operations.Operation operation) {
        return operation.id().endsWith("Logs") && exchange.query("follow") != null && exchange.flag("follow");
    }

    private boolean handled(HttpExchange exchange, Operations.Operation operation, Caller caller) throws IOException {
        ApplicationVersion version;
        try {
            version = directory.ofSystem(ALIAS);
        } catch (ProblemException e) {
            return notBegun(exchange, operation, caller, null, "the management application is not deployed (yet)");
        }
        GrainSpec grain = version.grains().get(operation.grain());
        if (grain == null) {
            return notBegun(exchange, operation, caller, null, "the management application has no such grain");
        }
        String id = hosts.id();
        // Read once: when no grain answers, the direct operation reads it from the exchange again.
        byte[] body = exchange.body(BODY_BYTES, "The body");
        Drawn drawn = Drawn.of(exchange, operation);
        InvocationResult result;
        JsonNode output;
        try {
            Iterator<String> elsewhere = null;
            while (true) {
                result = run(version, operation.grain(), id,
                        event(exchange, operation, caller, id, body, drawn, grain.timeoutMs() + TICKET_WAIT_MS), grain.timeoutMs());
                output = result.failure() == null && result.output() != null ? read(result.output()) : null;
                if (!isDenied(output)) {
                    break;
                }
                // Hosts of one platform may have been told different things of the management: nothing is done yet, and another may let it.
                elsewhere = elsewhere == null ? hosts.elsewhere(id).iterator() : elsewhere;
                if (!elsewhere.hasNext()) {
                    break;
                }
                id = elsewhere.next();
            }
        } finally {
            if (operation.forgetsAccess()) { // also when nobody knows whether it was done
                directory.awaitSeen();
                forgetAccess.run();
            }
        }
        exchange.headers().put("Sand-Execution-Id", id);
        Failure failure = result.failure();
        if (failure == null && result.output() != null) {
            return answer(exchange, operation, caller, id, output, drawn);
        }
        String error = failure == null ? "Sand." + result.status() : failure.error();
        String why = failure == null ? "it ended as " + result.status() : error + ": " + failure.cause();
        if (error.equals(Errors.OVERLOADED)) {
            throw Problems.of(failure, id).asException();
        }
        failed(operation.grain(), id, why);
        if (result.hops().isEmpty() && NOT_BEGUN.contains(error) && RecordedResults.isKnown(failure)) {
            return notBegun(exchange, operation, caller, id, why);
        }
        throw broken(operation, id, why, !operation.isSafe());
    }

    private boolean notBegun(HttpExchange exchange, Operations.Operation operation, Caller caller, String id, String why) {
        if (!open.getAsBoolean() && !caller.may(Scope.OPERATOR)) {
            throw broken(operation, id, why, false);
        }
        exchange.name("plane", "direct");
        exchange.headers().put(SERVED_BY, "direct");
        return false;
    }

    private static RuntimeException broken(Operations.Operation operation, String id, String why, boolean mayHaveRun) {
        return Problem.platform(503, "management-failed", "The management application failed", "Grain '" + operation.grain()
                + "' of the management application did not answer " + operation.id() + ": " + why + ". With the header '" + DIRECT
                + ": true' ('sand --direct') the platform does it itself.", true).with("grain", operation.grain()).with("executionId", id)
                .with("mayHaveRun", mayHaveRun ? Boolean.TRUE : null).asException();
    }

    private byte[] event(HttpExchange exchange, Operations.Operation operation, Caller caller, String id, byte[] body, Drawn drawn, long ticketMs)
            throws IOException {
        Asker asker = new Asker(caller.name(), caller.tenant(), caller.scopesInWords(), exchange.address());
        long nowMs = clockMs.getAsLong();
        ObjectNode event = Json.object().put("operation", operation.id());
        event.set("parameters", Json.tree(exchange.parameters()));
        boolean sealed = !operation.account().sealed().isEmpty();
        event.set("query", sealed ? Json.object() : Json.tree(exchange.queries())); // a form may have put a password there
        ObjectNode headers = event.putObject("headers");
        HEADERS.forEach(name -> {
            if (exchange.header(name) != null) {
                headers.put(name, exchange.header(name));
            }
        });
        JsonNode given = body.length == 0 ? Json.MAPPER.nullNode() : parsed(body);
        if (sealed) {
            SealedBody.seal(sealing, exchange, operation.account(), id, given);
        }
        event.set("body", given);
        ObjectNode who = event.putObject("who").put("kind", caller.kind()).put("id", caller.id()).put("user", caller.user())
                .put("tenant", asker.tenant());
        who.set("scopes", Json.tree(asker.scopes()));
        drawn.addTo(event);
        event.put("client", asker.client()).put("ticket", tickets().sign(new Ticket(id, operation.id(), asker, nowMs, nowMs + ticketMs)));
        return Json.bytes(event);
    }

    private static JsonNode parsed(byte[] body) {
        try {
            JsonNode read = dev.sand.workflow.data.Json.read(body);
            if (read.isNull()) { // which a grain could not tell from no body
                throw Problems.badRequest("The body is null: leave it out, or send what the document says.").asException();
            }
            return read;
        } catch (IOException e) {
            throw Json.malformed(e, java.nio.ByteBuffer.wrap(body)).asException();
        }
    }

    private Tickets tickets() {
        Tickets known = tickets;
        if (known == null) {
            known = new Tickets(key.get());
            tickets = known;
        }
        return known;
    }

    /** An event that no request is behind: whether the grain of that version can be had, and can control. @return why not, or null */
    String ready(ApplicationVersion version, String grain, String id) {
        ObjectNode event = Json.object().put("operation", "ready");
        event.putObject("parameters");
        event.putObject("query");
        event.putObject("headers");
        event.putNull("body").putObject("who").put("kind", "system").put("id", "frontend").putNull("user").put("tenant", "default")
                .putArray("scopes");
        long nowMs = clockMs.getAsLong();
        Ticket ticket = new Ticket(id, "ready", new Asker("system", "default", Set.of(), null), nowMs, nowMs + READY_MS + TICKET_WAIT_MS);
        event.putNull("client").put("ticket", tickets().sign(ticket));
        InvocationResult result = run(version, grain, id, Json.bytes(event), READY_MS);
        JsonNode answer = result.output() == null ? null : read(result.output());
        if (answer != null && answer.path("status").asInt() == 200) {
            health.remove(grain);
            return null;
        }
        String said = answer == null ? "" : answer.path("body").path("detail").asText();
        String why = result.failure() != null ? result.failure().error() + ": " + result.failure().cause()
                : said.isEmpty() ? "it does not answer that it is" : said;
        failed(grain, id, why);
        return why;
    }

    private void failed(String grain, String executionId, String why) {
        GrainHealth before = health.get(grain);
        if (before == null) {
            LOG.atWarn().addKeyValue(LogFields.EXECUTION_ID, executionId)
                    .log("grain {} of the management application failed, execution {}: {}", grain, executionId, why);
        }
        health.put(grain, new GrainHealth(why, executionId, before == null ? clockMs.getAsLong() : before.sinceMs));
    }

    private InvocationResult run(ApplicationVersion version, String grain, String id, byte[] event, long timeoutMs) {
        CompletableFuture<InvocationResult> end = new CompletableFuture<>();
        host.invoke(new InvocationRequest(id, Names.MANAGEMENT, version.version(), grain, Payload.json(event), timeoutMs, false, null),
                new InvocationListener() {
                    @Override
                    public void onAccepted() {
                        // Its end is what is waited for.
                    }

                    @Override
                    public void onEnd(InvocationResult result) {
                        end.complete(result);
                    }
                });
        try {
            return end.get(timeoutMs + GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return new InvocationResult(id, InvocationResult.Status.TIMED_OUT, null,
                    Failure.platform(Errors.TIMEOUT, "no host answered in time", true), java.util.List.of());
        } catch (InterruptedException | ExecutionException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while grain " + grain + " ran", e);
        }
    }

    private boolean answer(HttpExchange exchange, Operations.Operation operation, Caller caller, String id, JsonNode read, Drawn drawn) {
        if (read == null || !read.path("status").isInt() || read.get("status").intValue() < 200 || read.get("status").intValue() > 599) {
            failed(operation.grain(), id, "its output is no answer");
            throw broken(operation, id, "its output is no answer", !operation.isSafe());
        }
        JsonNode said = read.path("body");
        if (isOfThePlatform(read)) {
            // The caller may; it is the grain that the platform does not let.
            String why = Errors.DENIED + ": " + said.path("detail").asText();
            failed(operation.grain(), id, why);
            if (!said.path("mayHaveRun").asBoolean()) {
                return notBegun(exchange, operation, caller, id, why);
            }
            throw broken(operation, id, why, !operation.isSafe());
        }
        health.remove(operation.grain());
        ObjectNode result = (ObjectNode) read;
        if (result.path("body").path("type").isTextual() && result.get("status").intValue() >= 400) {
            // A problem of a control call names the operation's path; this is what the caller asked for.
            ((ObjectNode) result.get("body")).put("instance", exchange.where());
            if (!result.path("headers").isObject()) {
                result.putObject("headers");
            }
            ((ObjectNode) result.get("headers")).put("content-type", Problem.CONTENT_TYPE);
        }
        drawn.give(exchange, operation, caller, result.get("status").intValue(), result.get("body") instanceof ObjectNode object ? object : null);
        WebResponse.answer(exchange, result);
        return true;
    }

    private static boolean isOfThePlatform(JsonNode read) {
        return read.path("status").asInt() == 403 && read.path("body").path("error").asText().equals(Errors.DENIED);
    }

    private static boolean isDenied(JsonNode read) {
        return read != null && isOfThePlatform(read) && !read.path("body").path("mayHaveRun").asBoolean();
    }

    private static JsonNode read(Payload output) {
        try {
            JsonNode read = output.isJson() && output.bytes() != null ? dev.sand.workflow.data.Json.read(output.bytes()) : null;
            return read != null && read.isObject() ? read : null;
        } catch (IOException e) {
            return null;
        }
    }
}
