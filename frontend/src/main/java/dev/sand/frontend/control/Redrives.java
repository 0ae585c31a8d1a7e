package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.Registry;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.Redrive;
import dev.sand.frontend.deployment.Quantity;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.http.Problems;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.Executions;
import dev.sand.workflow.KeptSignals;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.StatesError;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * {@code …/invocations/{id}/redrive}: a workflow's execution that ended without success runs on, under the same id. The request goes
 * the way of every other; its owner reads what the execution did, and has the redrive in its journal before this is answered.
 */
final class Redrives {
    /** Of one execution, as on AWS. */
    private static final int MOST = 1000;
    private static final long ANSWER_MS = 30_000;
    private static final long RECORD_MS = 5_000;
    private static final long LOOK_AGAIN_MS = 10;
    private static final long JUST_ENDED_MS = 60_000;
    private static final long TIMEOUT_MS = 15 * 60_000;
    private static final int BODY_BYTES = 1024;
    private static final Set<String> NUMBERS = Set.of("redriveCount", "version");
    private static final String FROM = "from";
    private static final String EXPECTED = "The body is a JSON object with a \"redriveCount\" or a \"version\", numbers from 1 on, or with a"
            + " \"from\", the name of a state, or there is none.";
    private final Registry registry;
    private final InvocationStore records;
    private final HostAgentPort host;
    private final LongSupplier clockMs;

    Redrives(Registry registry, InvocationStore records, HostAgentPort host, LongSupplier clockMs) {
        this.registry = registry;
        this.records = records;
        this.host = host;
        this.clockMs = clockMs;
    }

    void answer(Exchange exchange, InvocationRecord record) throws IOException, InterruptedException {
        JsonNode body = body(exchange);
        int wanted = body.path("redriveCount").intValue();
        long timeoutMs = timeoutMs(exchange.query("timeout"));
        int count = record.redrives();
        if (wanted == 0 || wanted != count) {
            count++;
            if (wanted > 0 && wanted != count) {
                throw refused(record, "it was redriven " + record.redrives() + " times, so redrive " + wanted + " cannot be next");
            }
            begin(record, body.path("version").asInt(record.version()), body.path(FROM).textValue(), count, timeoutMs);
        } else if (body.path("version").asInt(record.version()) != record.version()) {
            throw refused(record, "redrive " + wanted + " of it runs with version " + record.version());
        }
        InvocationRecord now = records.get(record.application(), record.executionId()).orElse(record);
        exchange.json(202, Json.object().put("executionId", record.executionId()).put("status", now.status().name())
                .put("redriveCount", count).put("location",
                "/api/v1/applications/" + record.application() + "/invocations/" + record.executionId()));
    }

    /** @param from the state to begin from; null: the one that failed */
    private void begin(InvocationRecord record, int version, String from, int count, long timeoutMs) throws IOException, InterruptedException {
        if (record.status() == Status.RUNNING || record.status() == Status.SUCCEEDED) {
            throw refused(record, "its status is " + record.status());
        }
        String definition = definition(record, record.version()).orElseThrow(() ->
                refused(record, "'" + record.target() + "' is no workflow, or its version is kept no more"));
        // What it has done is kept as steps of this definition.
        if (version != record.version() && definition(record, version).filter(definition::equals).isEmpty()) {
            throw refused(record, "version " + version + " does not have the same definition of '" + record.target() + "'");
        }
        if (count > MOST) {
            throw refused(record, "it was redriven " + MOST + " times, which is the limit");
        }
        byte[] kept = records.history(record.application(), record.executionId()).orElseThrow(() -> refused(record,
                "what it did is kept no more, or is over the limit of a history"));
        List<Signal> before = before(record, count, KeptSignals.decode(kept));
        if (before == null || before.isEmpty()) {
            throw refused(record, "a value of it is over the " + KeptSignals.VALUE_BYTES + " bytes that are kept with its history, and not"
                    + " kept beside it (any more)");
        }
        if (from != null) {
            requireEntered(record, definition, from, before);
        }
        Failure failure = record.failure();
        Payload input = ((Signal.Started) before.getFirst()).input();
        if (input.bytes() == null) {
            Payload size = input;
            input = value(record, "0", size).orElseThrow(() -> refused(record, "its input is kept no more")).payload();
        }
        InvocationRequest request = new InvocationRequest(record.executionId(), record.application(), version, record.target(),
                input, timeoutMs, true, null, new Redrive(count, record.status(), failure == null ? null : failure.error(),
                failure == null ? null : failure.cause(), record.endedMs(), clockMs.getAsLong(), from));
        Failure refusal = patiently(request);
        if (refusal != null && refusal.error().equals(Errors.CONFLICT)) {
            throw refused(record, refusal.cause());
        } else if (refusal != null) {
            throw Problems.of(refusal, record.executionId()).asException();
        }
        awaitRecord(request);
    }

    /** Large values of one that has just ended may still be on their way. @return null: there is one that is not kept (any more) */
    private List<Signal> before(InvocationRecord record, int count, List<Signal> kept) throws InterruptedException {
        long untilNs = System.nanoTime() + RECORD_MS * 1_000_000;
        while (true) {
            List<Signal> before = KeptSignals.before(count, kept, (name, size) -> value(record, name, size).isPresent()
                    ? new Payload(size.contentType(), null, new Payload.Reference(name, size.size())) : null);
            if (before != null || clockMs.getAsLong() - record.endedMs() > JUST_ENDED_MS || System.nanoTime() > untilNs) {
                return before;
            }
            Thread.sleep(LOOK_AGAIN_MS);
        }
    }

    /** What it did is given to the definition again: that tells which states it was in, also those that call nobody. */
    private void requireEntered(InvocationRecord record, String definition, String from, List<Signal> before) {
        if (!(Definitions.parseChecked(definition) instanceof Definitions.Parsed.Valid valid)) {
            throw refused(record, "its definition is not valid any more");
        }
        StateMachine machine = valid.machine();
        long startMs = Ids.epochMs(record.executionId(), record.startedMs());
        Set<String> entered = Executions.entered(machine, record.executionId(), startMs, before, payload -> bytes(record, payload));
        if (!entered.contains(from)) {
            String why = machine.state(from) != null ? "it has not entered the state '" + from + "'"
                    : "the workflow has no state '" + from + "', or not outside the branches of a Parallel and the iterations of a Map, which are"
                            + " run again as a whole";
            throw refusal(record, why).with("entered", List.copyOf(entered)).asException();
        }
    }

    private byte[] bytes(InvocationRecord record, Payload size) {
        try {
            return value(record, size.reference().object(), size).orElseThrow(() -> new IOException("it is kept no more")).payload().bytes();
        } catch (IOException e) {
            throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "a value of " + size.size() + " bytes cannot be read: " + e.getMessage());
        }
    }

    private Optional<InvocationStore.Output> value(InvocationRecord record, String name, Payload size) {
        return records.value(record.application(), record.executionId(), name, size.contentType(), size.size());
    }

    /** Its owner may still be about to store the end that is redriven. @return as {@link #accepted} */
    private Failure patiently(InvocationRequest request) throws InterruptedException {
        long untilNs = System.nanoTime() + RECORD_MS * 1_000_000;
        while (true) {
            Failure refusal = accepted(request);
            if (refusal == null || isRedriven(request, records.get(request.application(), request.executionId()))) {
                return null;
            }
            if (!refusal.error().equals(Errors.UNAVAILABLE) || !refusal.retryable() || System.nanoTime() > untilNs) {
                return refusal;
            }
            Thread.sleep(LOOK_AGAIN_MS);
        }
    }

    private static boolean isRedriven(InvocationRequest request, Optional<InvocationRecord> record) {
        return record.filter(found -> found.redrives() >= request.redrives()).isPresent();
    }

    /** @return why it is not, or null */
    private Failure accepted(InvocationRequest request) throws InterruptedException {
        CompletableFuture<Failure> answer = new CompletableFuture<>();
        host.invoke(request, new HostAgentPort.InvocationListener() {
            @Override
            public void onAccepted() {
                answer.complete(null);
            }

            @Override
            public void onEnd(InvocationResult result) {
                answer.complete(result.failure());
            }

            @Override
            public boolean wantsEnd() {
                return false;
            }
        });
        try {
            return answer.get(ANSWER_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return Failure.platform(Errors.UNAVAILABLE, "It is not known within " + ANSWER_MS + " ms whether execution "
                    + request.executionId() + " is redriven: look at its record, or ask again with this redriveCount.", true);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Whoever asks next is not to be told of the end that was, also when the platform is killed in between. */
    private void awaitRecord(InvocationRequest request) throws InterruptedException {
        long untilNs = System.nanoTime() + RECORD_MS * 1_000_000;
        while (System.nanoTime() < untilNs && !isRedriven(request, records.stored(request.application(), request.executionId()))) {
            Thread.sleep(LOOK_AGAIN_MS);
        }
    }

    private Optional<String> definition(InvocationRecord record, int version) {
        return registry.version(record.application(), version).map(found -> found.workflows().get(record.target()))
                .map(WorkflowSpec::definition);
    }

    /** Of numbers from 1 on and a name, and maybe of none. */
    private static JsonNode body(Exchange exchange) throws IOException {
        JsonNode body = JsonBody.object(exchange, BODY_BYTES, EXPECTED);
        if (body == null) {
            return Json.object();
        }
        body.properties().forEach(field -> {
            boolean isRight = field.getKey().equals(FROM) ? field.getValue().isTextual() && !field.getValue().textValue().isEmpty()
                    : NUMBERS.contains(field.getKey()) && field.getValue().isInt() && field.getValue().intValue() >= 1;
            if (!isRight) {
                throw Problems.badRequest(EXPECTED).asException();
            }
        });
        return body;
    }

    private static long timeoutMs(String text) {
        try {
            long value = text == null ? TIMEOUT_MS : Quantity.millis(text);
            if (value >= 1 && value <= TimeUnit.DAYS.toMillis(366)) {
                return value;
            }
            throw Problems.badRequest("timeout is from 1ms to 366d, not '" + text + "'.").asException();
        } catch (IllegalArgumentException e) {
            throw Problems.badRequest("timeout: " + e.getMessage() + ".").asException();
        }
    }

    private static ProblemException refused(InvocationRecord record, String why) {
        return refusal(record, why).asException();
    }

    private static Problem refusal(InvocationRecord record, String why) {
        return Problem.caller(409, "not-redrivable", "The invocation cannot be redriven", "Execution " + record.executionId()
                + " cannot be redriven: " + why + ".").with("executionId", record.executionId())
                .with("invocationStatus", record.status().name()).with("redriveCount", record.redrives());
    }
}
