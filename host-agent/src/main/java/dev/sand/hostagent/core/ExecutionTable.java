package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.hostagent.core.Input.AppKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The executions of a shard: those that are open, and for a while the results of those that have ended. */
final class ExecutionTable {
    private final CoreContext context;
    private final Map<String, RunningExecution> open = new HashMap<>();
    /** Ended and durable, the record not yet known to be stored. */
    private final Map<String, RunningExecution> unrecorded = new HashMap<>();
    private final Map<String, InvocationResult> remembered = new LinkedHashMap<>();
    private long rememberedBytes;
    private long heldBytes;
    private boolean drainedTold;

    ExecutionTable(CoreContext context) {
        this.context = context;
    }

    RunningExecution get(String executionId) {
        return open.get(executionId);
    }

    int openCount() {
        return open.size();
    }

    int unrecordedCount() {
        return unrecorded.size();
    }

    void invoke(InvocationRequest request, InvocationListener listener) {
        context.counters.received++;
        if (context.has(Rule.SAME_ID_JOINS)) {
            RunningExecution same = open.get(request.executionId());
            if (same != null) {
                join(same, request, listener);
                return;
            }
            InvocationResult ended = remembered.get(request.executionId());
            if (ended != null) {
                context.counters.joined++;
                if (request.durable()) {
                    context.emit(new Action.Accepted(listener));
                }
                context.emit(new Action.Respond(listener, ended));
                return;
            }
        }
        Failure refusal = refusal(request);
        if (refusal != null) {
            refuse(request, listener, refusal);
            return;
        }
        context.counters.admitted++;
        RunningExecution execution = new RunningExecution(context, application(request), request, null);
        execution.audience().add(listener);
        begin(execution);
    }

    private void join(RunningExecution same, InvocationRequest request, InvocationListener listener) {
        int limit = context.configuration.maxListeners();
        if (same.audience().listeners() >= limit) {
            refuse(request, listener, new Failure(Errors.OVERLOADED, "execution " + request.executionId() + " has " + limit
                    + " callers waiting for it already", Failure.Source.PLATFORM, true, null,
                    Map.of("limit", limit, "actual", limit + 1)));
            return;
        }
        context.counters.joined++;
        same.join(listener, request.durable());
    }

    private Failure refusal(InvocationRequest request) {
        CoreConfiguration limits = context.configuration;
        if (context.draining) {
            return Failure.platform(Errors.UNAVAILABLE, "this host agent is stopping and takes nothing new", true);
        }
        long executions = open.size() + unrecorded.size();
        if (executions >= limits.maxExecutions()) {
            return overloaded("executions at once", limits.maxExecutions(), executions + 1);
        }
        long bytes = heldBytes + RunningExecution.bytes(request);
        return bytes > limits.maxHeldBytes() ? overloaded("bytes of inputs at once", limits.maxHeldBytes(), bytes) : null;
    }

    private static Failure overloaded(String what, long limit, long actual) {
        return new Failure(Errors.OVERLOADED, "this host agent's shard has a limit of " + limit + " " + what
                + ", and this one would make it " + actual + "; try again later", Failure.Source.PLATFORM, true, null,
                Map.of("limit", limit, "actual", actual));
    }

    private void refuse(InvocationRequest request, InvocationListener listener, Failure failure) {
        context.counters.refused++;
        context.emit(new Action.Respond(listener,
                new InvocationResult(request.executionId(), InvocationResult.Status.FAILED, null, failure, List.of())));
    }

    /** From the journal: accepted once, so never refused. */
    void recover(Input.Recover recover) {
        InvocationRequest request = recover.request();
        if (open.containsKey(request.executionId())) {
            context.drop("execution " + request.executionId() + " runs already", recover);
            return;
        }
        context.counters.recovered++;
        begin(new RunningExecution(context, application(request), request, recover.replay()));
    }

    private void begin(RunningExecution execution) {
        open.put(execution.id(), execution);
        heldBytes += RunningExecution.bytes(execution.request());
        execution.begin();
    }

    private Application application(InvocationRequest request) {
        AppKey key = new AppKey(request.application(), request.version());
        Application application = context.applications.get(key);
        if (application == null) {
            forgetColdest();
            application = new Application(key, context);
            context.applications.put(key, application);
            application.load();
        }
        return application;
    }

    private void forgetColdest() {
        if (context.applications.size() < context.configuration.coldApplications()) {
            return;
        }
        Application coldest = null;
        for (Application application : context.applications.values()) {
            boolean cold = application.isReady() && application.isIdle() && application.sandbox().isNone();
            if (cold && (coldest == null || application.lastUsedNs() < coldest.lastUsedNs())) {
                coldest = application;
            }
        }
        if (coldest != null) {
            coldest.remove();
        }
    }

    /** @param result null: it was refused, and is not known under its id afterwards */
    void ended(RunningExecution execution, InvocationResult result, boolean awaitsRecord) {
        if (open.remove(execution.id(), execution)) {
            heldBytes -= RunningExecution.bytes(execution.request());
        }
        if (awaitsRecord) {
            unrecorded.put(execution.id(), execution);
        }
        if (result != null) {
            remember(result);
        }
        checkDrained();
    }

    private void remember(InvocationResult result) {
        InvocationResult replaced = remembered.put(result.executionId(), result);
        rememberedBytes += bytes(result) - (replaced == null ? 0 : bytes(replaced));
        CoreConfiguration limits = context.configuration;
        while (remembered.size() > limits.rememberedResults() || rememberedBytes > limits.rememberedBytes()) {
            var oldest = remembered.entrySet().iterator();
            rememberedBytes -= bytes(oldest.next().getValue());
            oldest.remove();
        }
    }

    private static long bytes(InvocationResult result) {
        return result.output() == null || result.output().bytes() == null ? 0 : result.output().bytes().length;
    }

    void onRecorded(Input.Recorded recorded) {
        RunningExecution execution = unrecorded.get(recorded.executionId());
        if (execution == null) {
            context.drop("no record of " + recorded.executionId() + " is awaited", recorded);
        } else if (recorded.failure() == null) {
            unrecorded.remove(recorded.executionId());
            execution.onRecorded();
            checkDrained();
        } else {
            context.counters.recordFailures++;
            execution.recordAgain();
        }
    }

    /** The open event of that id, whatever its attempt. */
    Event openEvent(String eventId) {
        int end = eventId.indexOf('/');
        RunningExecution execution = end < 0 ? null : open.get(eventId.substring(0, end));
        return execution == null ? null : execution.openEvent(eventId.substring(end + 1));
    }

    void drain() {
        context.draining = true;
        drainedTold = false;
        for (Application application : new ArrayList<>(context.applications.values())) {
            application.settle();
        }
        checkDrained();
    }

    void checkDrained() {
        if (!context.draining || !open.isEmpty() || !unrecorded.isEmpty()) {
            return;
        }
        for (Application application : context.applications.values()) {
            if (!application.sandbox().isNone()) {
                return;
            }
        }
        if (!drainedTold) {
            drainedTold = true;
            context.emit(new Action.Drained());
        }
    }
}
