package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import java.util.Map;

/** What becomes of a request: an execution of its own, part of one with the same id, that one's result, or a refusal. */
final class Intake {
    private final CoreContext context;
    private final ExecutionTable executions;

    Intake(CoreContext context, ExecutionTable executions) {
        this.context = context;
        this.executions = executions;
    }

    void invoke(InvocationRequest request, InvocationListener listener) {
        context.counters.received++;
        int slot = context.slots.of(request.executionId());
        SlotTable.State state = context.slots.state(slot);
        if (state == SlotTable.State.ELSEWHERE && context.has(Rule.ONLY_OWN_SLOTS)) {
            refuse(request, listener, Refusals.moved(request.executionId(), slot));
            return;
        }
        if (context.has(Rule.SAME_ID_JOINS)) {
            RunningExecution same = executions.get(request.executionId());
            boolean isEnding = same != null ? same.request().redrives() < request.redrives()
                    : request.redrive() != null && executions.isUnrecorded(request.executionId());
            if (isEnding) {
                refuse(request, listener, Refusals.notEnded(request.executionId()));
                return;
            }
            if (same != null) {
                join(same, request, listener);
                return;
            }
            if (executions.isWithdrawn(request.executionId())) {
                refuse(request, listener, Refusals.withdrawn(request.executionId()));
                return;
            }
            RememberedResults.Entry ended = request.redrive() != null ? null : executions.remembered(request.executionId(), slot);
            if (ended != null) {
                answer(request, listener, slot, ended);
                return;
            }
        }
        if (executions.isDeleted(request.application(), request.version())) {
            refuse(request, listener, Refusals.deleted(request));
            return;
        }
        boolean holds = state == SlotTable.State.RECOVERING && context.has(Rule.HELD_WHILE_RECOVERING);
        Failure refusal = refusal(request, holds);
        if (refusal != null) {
            refuse(request, listener, refusal);
            return;
        }
        context.counters.admitted++;
        RunningExecution execution = executions.add(request, slot, null);
        execution.audience().add(listener);
        execution.isFirst(listener.isFirst());
        if (holds) {
            executions.hold(execution);
        } else {
            execution.begin();
        }
    }

    /** An execution that another one starts on this host; there is room for it. @param parent is told how it goes */
    void start(InvocationRequest request, int slot, Audience.Parent parent) {
        add(request, slot, parent).begin();
    }

    /** As above, by a function in a process. @param first it was never started before; @param own it is to run in that process */
    void start(InvocationRequest request, int slot, FollowUp followUp, boolean first, boolean own) {
        RunningExecution execution = add(request, slot, followUp);
        followUp.is(execution);
        execution.isFirst(first);
        if (own) {
            context.processes.arrivals().comes(execution);
        }
        execution.begin();
    }

    /** One that messages of a process make, which are gone with the record of its request. */
    RunningExecution start(InvocationRequest request, int slot, Audience.Parent parent, ProcessRecords.Firing firing) {
        RunningExecution execution = add(request, slot, parent);
        execution.backups().acceptedBy(firing);
        context.processes.arrivals().comes(execution);
        execution.begin();
        return execution;
    }

    private RunningExecution add(InvocationRequest request, int slot, Audience.Parent parent) {
        context.counters.received++;
        context.counters.admitted++;
        RunningExecution execution = executions.add(request, slot, null);
        execution.audience().add(parent);
        return execution;
    }

    private void answer(InvocationRequest request, InvocationListener listener, int slot, RememberedResults.Entry ended) {
        if (ended.result() == null) {
            refuse(request, listener, Refusals.inItsRecord(request.executionId()));
            return;
        }
        context.counters.joined++;
        if (request.durable() && ended.isKept() && !executions.isUnsure(request.executionId())) {
            context.emit(new Action.Accepted(listener, slot, context.slots.epoch(slot)));
        }
        context.emit(new Action.Respond(listener, ended.result(), slot, context.slots.epoch(slot)));
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
        same.admission().join(listener, request.durable());
    }

    private Failure refusal(InvocationRequest request, boolean holds) {
        if (context.draining) {
            return Failure.platform(Errors.UNAVAILABLE, "this host agent is stopping and takes nothing new", true);
        }
        return executions.full(request, holds);
    }

    private void refuse(InvocationRequest request, InvocationListener listener, Failure failure) {
        context.counters.refused++;
        context.emit(Refusals.respond(request, listener, failure));
    }
}
