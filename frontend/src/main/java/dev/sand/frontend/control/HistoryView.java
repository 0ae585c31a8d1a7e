package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoreException;
import dev.sand.event.ApplicationVersion.WorkflowSpec;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.ProblemException;
import dev.sand.frontend.http.Problems;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.Executions;
import dev.sand.workflow.History;
import dev.sand.workflow.KeptSignals;
import dev.sand.workflow.asl.Definitions;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code …/invocations/{id}/history}: what each state of a workflow's execution did, in the events of AWS's GetExecutionHistory. Made
 * by giving the signals that are kept beside the record to the version's definition again.
 */
final class HistoryView {
    /** Of one that runs for longer something is kept, unless it is over a limit. */
    private static final long JUST_BEGUN_MS = 10_000;
    /** A value that the workflow looked into comes behind the record. */
    private static final long VALUE_MS = 5_000;
    private static final long LOOK_AGAIN_MS = 10;
    private static final Logger LOG = LoggerFactory.getLogger(HistoryView.class);
    private final Registry registry;
    private final InvocationStore records;

    HistoryView(Registry registry, InvocationStore records) {
        this.registry = registry;
        this.records = records;
    }

    void answer(Exchange exchange, InvocationRecord record) throws IOException {
        int limit = exchange.query("limit", 100, 1, 1000);
        int after = exchange.query("after", 0, 0, Integer.MAX_VALUE);
        boolean isReverse = exchange.flag("reverse");
        String iteration = exchange.query("iteration") == null ? "" : exchange.query("iteration");
        History history = history(record);
        if (!iteration.isEmpty() && history.size(iteration) == 0) {
            throw Problem.caller(404, "unknown-iteration", "Unknown iteration", "Execution " + record.executionId()
                    + " has no iteration " + iteration + " of a distributed Map.").asException();
        }
        ArrayNode events = history.page(iteration, after, limit + 1, isReverse);
        ObjectNode answer = Json.object().put("executionId", record.executionId()).put("status", record.status().name());
        boolean hasMore = events.size() > limit;
        if (hasMore) {
            events.remove(limit);
        }
        answer.set("events", events);
        answer.put("next", hasMore ? (Long) events.get(limit - 1).get("id").longValue() : null);
        exchange.json(200, answer);
    }

    private History history(InvocationRecord record) throws IOException {
        WorkflowSpec workflow = registry.version(record.application(), record.version())
                .map(version -> version.workflows().get(record.target())).orElse(null);
        if (workflow == null) {
            throw Problem.caller(409, "no-workflow", "No workflow", "'" + record.target()
                    + "' is no workflow, or its version is kept no more: there is no history.").asException();
        }
        History history = new History();
        byte[] kept = records.history(record.application(), record.executionId()).orElse(null);
        if (kept == null && hasJustBegun(record)) {
            return history;
        }
        if (kept == null) {
            throw notKept(record);
        }
        if (!(Definitions.parseChecked(workflow.definition()) instanceof Definitions.Parsed.Valid valid)) {
            throw notKept(record);
        }
        long startMs = Ids.epochMs(record.executionId(), record.startedMs());
        Execution execution = Executions.of(valid.machine(), record.application(), record.target(), record.executionId(), startMs,
                size -> bytes(record, size), history);
        List<Signal> signals = KeptSignals.before(Integer.MAX_VALUE, KeptSignals.decode(kept),
                (name, size) -> new Payload(size.contentType(), null, new Payload.Reference(name, size.size())));
        execution.expect(signals);
        try {
            for (Signal signal : signals) {
                execution.on(signal);
            }
        } catch (ValueGone e) {
            throw notKept(record);
        } catch (StoreException e) {
            throw e; // of a value
        } catch (RuntimeException | StackOverflowError e) {
            LOG.atWarn().addKeyValue(LogFields.EXECUTION_ID, record.executionId()).setCause(e)
                    .log("the state machine of execution {} throws, as where it ran: its record says how it ended", record.executionId());
        }
        if (!execution.isEnded() && record.status() == Status.SUCCEEDED) {
            throw notKept(record); // what is kept is of a time when it ran
        }
        if (!execution.isEnded() && record.status() != Status.RUNNING) {
            String type = switch (record.status()) {
                case TIMED_OUT -> "ExecutionTimedOut";
                case CANCELLED -> "ExecutionAborted";
                default -> "ExecutionFailed";
            };
            history.ended(record.endedMs(), type, record.failure() == null ? null : record.failure().error(),
                    record.failure() == null ? null : record.failure().cause());
        }
        return history;
    }

    /** What follows from a value that is not there any more cannot be told. */
    private static final class ValueGone extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ValueGone(Throwable cause) {
            super(null, cause, false, false);
        }
    }

    /** Of a value that is kept beside the signals, because the workflow looks into it. */
    private byte[] bytes(InvocationRecord record, Payload size) {
        long untilMs = (record.status() == Status.RUNNING ? System.currentTimeMillis() : record.endedMs()) + VALUE_MS;
        try {
            while (true) {
                InvocationStore.Output kept = records.value(record.application(), record.executionId(), size.reference().object(),
                        size.contentType(), size.size()).orElse(null);
                if (kept != null) {
                    return kept.payload().bytes();
                }
                if (System.currentTimeMillis() > untilMs) {
                    throw new ValueGone(null);
                }
                Thread.sleep(LOOK_AGAIN_MS);
            }
        } catch (IOException e) {
            throw new ValueGone(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ValueGone(e);
        }
    }

    /** Nothing of it is kept yet, and nothing of it is missing. */
    private static boolean hasJustBegun(InvocationRecord record) {
        return record.status() == Status.RUNNING && System.currentTimeMillis() - record.startedMs() < JUST_BEGUN_MS;
    }

    private static ProblemException notKept(InvocationRecord record) {
        String limits = "over a limit (" + KeptSignals.MOST_SIGNALS + " signals, " + KeptSignals.MOST_BYTES + " bytes, "
                + KeptSignals.MOST_HELD_BYTES + " of values).";
        return record.status() == Status.RUNNING
                ? Problems.of(Failure.platform(Errors.UNAVAILABLE, "Nothing of the history of execution " + record.executionId()
                        + " is kept yet: ask again in a second; or it is " + limits, true), record.executionId()).asException()
                : Problem.caller(410, "history-gone", "The history is not kept", "The history of execution " + record.executionId()
                        + " is kept no more, or is " + limits).asException();
    }
}
