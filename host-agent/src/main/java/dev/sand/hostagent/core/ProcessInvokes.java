package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import java.util.List;

/** What running functions invoke in other cloud processes of their application, or in their own, and what they hear of it. */
final class ProcessInvokes {
    /** Of an invocation whose id is not looked up before. */
    static final int ANY_SLOT = -1;
    private static final long READ_AGAIN_NS = 10_000_000;
    /** What a function gave by reference is in memory for longer than that after its end. */
    private static final long IN_MEMORY_NS = 2_000_000_000L;
    private final CoreContext context;
    private final Processes processes;
    private final ProcessCalls calls;

    ProcessInvokes(CoreContext context, Processes processes, ProcessCalls calls) {
        this.context = context;
        this.processes = processes;
        this.calls = calls;
    }

    /**
     * The invocation's id follows from the caller's and its number: a further attempt's is the same one, which may have ended. So is that of
     * a request which its caller gives again, since the host that ran it died before the bus had it.
     */
    void invoke(Event event, Input.CallProcess call, ProcessCall.Invoke invoke) {
        if (neverRan(event)) {
            begin(event, call, invoke, ANY_SLOT);
        } else {
            lookUp(event, call, invoke, processes.table().slotOf(call.app().application(), invoke.destination()));
        }
    }

    /** Nothing that it invokes can have been invoked before. */
    private boolean neverRan(Event event) {
        RunningExecution caller = context.executions.get(event.owner.executionId());
        return isFirst(event) && (caller == null || caller.isFirst());
    }

    private boolean isFirst(Event event) {
        RunningExecution caller = context.executions.get(event.owner.executionId());
        return event.attempt == 1 && (caller == null || !caller.isRecovered());
    }

    /** @param slot where its process lives, as far as is known; once that is known better, it is looked up again: its id is another then */
    void lookUp(Event event, Input.CallProcess call, ProcessCall.Invoke invoke, int slot) {
        InvocationRequest request = request(event, call, invoke, slot);
        if (request == null) {
            return;
        }
        String id = request.executionId();
        Attempt attempt = Processes.attempt(event);
        context.emit(new Action.FindResult(request.application(), id, event.owner.executionId(), (result, failure) -> {
            if (calls.isLate(event, attempt, call)) {
                return;
            }
            if (failure != null && !failure.error().equals(Errors.NOT_FOUND)) {
                if (isFirst(event)) {
                    begin(event, call, invoke, ANY_SLOT); // it hardly ran before: that is not to depend on the store
                } else {
                    calls.refuse(call, failure, invoke.destination());
                }
            } else if (result != null || failure != null) { // it has ended, and perhaps its output is not kept
                processes.free(request.application(), List.of(invoke.payload()));
                calls.answer(call.listener(), new Answer.Invoked(id));
            } else {
                begin(event, call, invoke, slot);
            }
        }));
    }

    /** @param lookedUp the slot that its id was of when it was looked up; {@link #ANY_SLOT}: it is not to be */
    private void begin(Event event, Input.CallProcess call, ProcessCall.Invoke invoke, int lookedUp) {
        if (processes.elsewhere().has(call.app().application(), invoke.destination())) {
            processes.elsewhere().invoke(event, call, invoke, lookedUp);
            return;
        }
        Attempt attempt = Processes.attempt(event);
        processes.table().find(call.app().application(), invoke.destination(), call.app().version(), (destination, failure) -> {
            if (calls.isLate(event, attempt, call)) {
                return;
            }
            if (destination == null && failure == null && processes.elsewhere().has(call.app().application(), invoke.destination())) {
                processes.elsewhere().invoke(event, call, invoke, lookedUp);
            } else if (destination == null) {
                calls.refuse(call, failure, invoke.destination());
            } else {
                start(event, call, invoke, lookedUp);
            }
        });
    }

    private void start(Event event, Input.CallProcess call, ProcessCall.Invoke invoke, int lookedUp) {
        int slot = processes.table().slotOf(call.app().application(), invoke.destination());
        if (lookedUp != ANY_SLOT && lookedUp != slot) {
            lookUp(event, call, invoke, slot);
            return;
        }
        InvocationRequest request = request(event, call, invoke, slot);
        if (request == null) {
            return;
        }
        Attempt attempt = Processes.attempt(event);
        if (context.slots.state(slot) == SlotTable.State.RECOVERING && context.has(Rule.HELD_WHILE_RECOVERING)) {
            context.later(READ_AGAIN_NS, () -> calls.again(event, attempt, call)); // its journal may have it
            return;
        }
        RunningExecution same = context.executions.get(request.executionId());
        if (same != null && same.mayBeNothing()) {
            context.later(READ_AGAIN_NS, () -> calls.again(event, attempt, call)); // it is to be begun anew then
            return;
        }
        if (same != null && !same.admission().isIn() && !same.backups().isDurable()) {
            FollowUp waits = new FollowUp(context, event, request, call, () -> calls.again(event, attempt, call));
            waits.is(same);
            same.audience().add(waits); // it may yet be found to live elsewhere
            return;
        }
        if (same != null || context.executions.remembered(request.executionId(), slot) != null) {
            processes.free(request.application(), List.of(invoke.payload()));
            if (same != null) {
                FollowUp.joins(context, event, request, same);
            }
            calls.answer(call.listener(), new Answer.Invoked(request.executionId()));
            return;
        }
        Failure full = context.executions.full(request, false);
        if (full != null) {
            calls.refuse(call, full.error(), full.cause());
            return;
        }
        RunningExecution caller = context.executions.get(event.owner.executionId());
        InvocationRequest given = caller.isStrict() ? request : request.relaxed();
        FollowUp followUp = new FollowUp(context, event, request, call, () -> calls.again(event, attempt, call));
        context.intake.start(given, slot, followUp, neverRan(event), invoke.destination().equals(Processes.id(event)));
    }

    /** @param slot where the process lives. @return null: it was refused */
    InvocationRequest request(Event event, Input.CallProcess call, ProcessCall.Invoke invoke, int slot) {
        String application = call.app().application();
        RunningExecution caller = context.executions.get(event.owner.executionId());
        if (caller == null || event.grain.application().grain(invoke.grain()) == null) {
            calls.refuse(call, Errors.UNKNOWN_GRAIN, "application " + application + " has no grain " + invoke.grain());
            return null;
        }
        String id = ChildIds.of(Slots.request(event.id), "invoke/" + invoke.number(), caller.startedMs(), slot, context.slots.count());
        long timeoutMs = Limits.PROCESS_WAIT_MS + event.grain.application().grain(invoke.grain()).spec().timeoutMs();
        return new InvocationRequest(id, application, call.app().version(), invoke.grain(), invoke.payload(), timeoutMs, true,
                event.owner.traceparent()).inProcess(invoke.destination());
    }

    /** Somebody who waits for the end of an invocation. */
    private final class Waiter extends Timed implements Audience.Parent {
        private final Audience audience;
        private final Event by;
        private final Input.CallProcess call;
        private boolean answered;

        Waiter(Audience audience, Event by, Input.CallProcess call) {
            this.audience = audience;
            this.by = by;
            this.call = call;
        }

        @Override
        public void onAccepted() {
            // Its end is waited for.
        }

        @Override
        public void onEnded(InvocationResult result) {
            if (!answered) {
                answered = true;
                context.timers.disarm(this);
                tell(by, call, result, context.nowNs);
            }
        }

        @Override
        void onDue() {
            answered = true;
            audience.remove(this);
            calls.answer(call.listener(), new Answer.Outcome(null, null, null));
        }
    }

    private void tell(Event event, Input.CallProcess call, InvocationResult result, long endedNs) {
        Payload output = result.output();
        if (output == null || output.reference() == null) {
            calls.answer(call.listener(), outcome(result));
        } else {
            context.emit(new Action.AnswerOutput(call.app().application(), result.executionId(), event.owner.executionId(), output,
                    context.nowNs - endedNs < IN_MEMORY_NS, call.listener()));
        }
    }

    static Answer outcome(InvocationResult result) {
        return Answer.Outcome.of(result);
    }

    void result(Event event, Input.CallProcess call, ProcessCall.Result result) {
        ProcessCall.Listener listener = call.listener();
        if (processes.elsewhere().result(result, listener)) {
            return;
        }
        RunningExecution execution = context.executions.get(result.invocation());
        if (execution != null && result.waitMs() > 0) {
            Waiter waiter = new Waiter(execution.audience(), event, call);
            execution.audience().add(waiter);
            context.timers.arm(waiter, context.nowNs + result.waitMs() * 1_000_000);
            return;
        }
        int slot = context.slots.of(result.invocation());
        RememberedResults.Entry ended = execution != null ? null : context.executions.remembered(result.invocation(), slot);
        if (execution != null) {
            calls.answer(listener, new Answer.Outcome(null, null, null));
        } else if (ended != null && ended.result() != null) {
            tell(event, call, ended.result(), ended.endedNs());
        } else {
            recorded(event, call, result.invocation());
        }
    }

    /** It ended before this host, or its slot's owner, began anew; or long ago. */
    private void recorded(Event event, Input.CallProcess call, String invocation) {
        context.emit(new Action.FindResult(call.app().application(), invocation, event.owner.executionId(), (result, failure) -> {
            if (failure != null) {
                calls.refuse(call.listener(), failure.error(), failure.cause());
            } else if (result != null) {
                calls.answer(call.listener(), outcome(result));
            } else {
                calls.refuse(call.listener(), Errors.NOT_FOUND, "nothing is known (any more) of invocation " + invocation);
            }
        }));
    }
}
