package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Failure;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.InvokingMessages;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.localbus.GrainQueue.Refusal;
import java.util.List;
import java.util.function.Consumer;

/** What running functions ask of the cloud process that they run in, and of others of their application. */
final class ProcessCalls {
    /** Of an invocation whose id is not looked up before. */
    static final int ANY_SLOT = -1;
    private static final long READ_AGAIN_NS = 10_000_000;
    private final CoreContext context;
    private final Processes processes;
    private final ProcessList list;

    ProcessCalls(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
        this.list = new ProcessList(context, processes);
    }

    ProcessList list() {
        return list;
    }

    private void answer(ProcessCall.Listener listener, Answer answer) {
        context.emit(new Action.AnswerProcessCall(listener, answer));
    }

    private void refuse(ProcessCall.Listener listener, String error, String message) {
        answer(listener, new Answer.Refused(error, message));
    }

    /** The call counts no more, or is out of place. */
    void refuse(Input.CallProcess call, String error, String message) {
        List<Payload> unused = switch (call.call()) {
            case ProcessCall.Write write -> StateWrite.values(write.writes());
            case ProcessCall.Send send -> List.of(send.payload());
            case ProcessCall.Invoke invoke -> List.of(invoke.payload());
            default -> List.of();
        };
        processes.free(call.app().application(), unused);
        refuse(call.listener(), error, message);
    }

    /** @param event whose running attempt calls */
    void on(Event event, Input.CallProcess call) {
        String application = call.app().application();
        ProcessHome home = event.owner.process() == null ? null : processes.table().here(application, Processes.id(event));
        if (home == null) {
            refuse(call, Errors.BAD_REQUEST, "event " + event.id + " runs in no cloud process");
            return;
        }
        Attempt attempt = Processes.attempt(event);
        CloudProcess process = home.process();
        ProcessCall.Listener listener = call.listener();
        home.overflow().hasRead(attempt); // it makes its calls one after the other
        if (isHeard(call.call()) && home.records().holdsUntilMade(event.owner.executionId(), () -> again(event, attempt, call))) {
            return;
        }
        switch (call.call()) {
            case ProcessCall.Get get when get.looks() ->
                    answer(listener, new Answer.Value(process.get(attempt, get.key()) == null ? null : Payload.nullJson()));
            case ProcessCall.Get get -> home.overflow().get(attempt, get.key(), listener);
            case ProcessCall.Keys keys -> answer(listener, new Answer.KeyList(process.keys(attempt, keys.after(), keys.limit())));
            case ProcessCall.Write write -> write(event, home, call, write.writes());
            case ProcessCall.Receive receive -> home.mailbox().receive(attempt, receive, listener);
            case ProcessCall.Send send -> {
                String unknown = InvokingMessages.unknown(send.key(), event.grain.application().version().grains().keySet());
                if (unknown != null) {
                    refuse(call, unknown.isEmpty() ? Errors.BAD_REQUEST : Errors.UNKNOWN_GRAIN, unknown.isEmpty()
                            ? "a message that invokes is named invoke:<function>:<key>, not " + send.key()
                            : "application " + application + " has no grain " + unknown);
                } else {
                    send(event, home, call, send);
                }
            }
            case ProcessCall.Invoke invoke -> invoke(event, call, invoke);
            case ProcessCall.Result result -> result(event, call, result);
            case ProcessCall.Processes asked -> list.on(application, asked, listener);
        }
    }

    /** Others know of it: of one that messages made, which might be made anew under another id, before its request is durable. */
    private static boolean isHeard(ProcessCall call) {
        return call instanceof ProcessCall.Send || call instanceof ProcessCall.Invoke;
    }

    private void again(Event event, Attempt attempt, Input.CallProcess call) {
        if (event.isRunning() && Processes.attempt(event).equals(attempt)) {
            on(event, call);
        } else {
            refuse(call, Errors.CONFLICT, "attempt " + attempt.number() + " of " + event.id + " does not run any more");
        }
    }

    private void send(Event event, ProcessHome home, Input.CallProcess call, ProcessCall.Send send) {
        Attempt attempt = Processes.attempt(event);
        Refusal refusal = FunctionSender.isAtomic(event) ? processes.deferred().refusal(attempt, send) : null;
        if (refusal != null) {
            refuse(call, Errors.TOO_LARGE, "an atomic function has a limit of " + refusal.allowed() + " bytes of messages that go into the record"
                    + " of its end, and " + event.id + " would make it " + refusal.actual());
            return;
        }
        inTurn(home, call, send, left -> give(event, attempt, home, call, left));
    }

    /** The receiver is going there, where it had no room here. */
    void sendElsewhere(Event event, Attempt attempt, ProcessHome home, Input.CallProcess call, ProcessCall.Send send) {
        inTurn(home, call, send, left -> processes.elsewhere().send(event, attempt, home, call, left));
    }

    /** Behind earlier messages to that process that are on their way. */
    private void inTurn(ProcessHome home, Input.CallProcess call, ProcessCall.Send send, Consumer<ProcessCall.Send> given) {
        if (!processes.late().isBusy(call.app().application(), home.id(), send.destination())) {
            given.accept(send);
        } else if (send.waitMs() <= 0) {
            refuseBehind(call, send);
        } else {
            Behind behind = new Behind(call, send, given);
            context.timers.arm(behind, context.nowNs + send.waitMs() * 1_000_000);
            processes.late().behind(call.app().application(), home.id(), send.destination(), behind::onTurn);
        }
    }

    private void refuseBehind(Input.CallProcess call, ProcessCall.Send send) {
        refuse(call, Errors.OVERLOADED, "earlier messages to process " + send.destination() + " are on their way still");
    }

    /** A send that waits behind earlier messages, and then for room: for no longer than it says, in all. */
    private final class Behind extends Timed {
        private final Input.CallProcess call;
        private final ProcessCall.Send send;
        private final Consumer<ProcessCall.Send> given;
        private boolean over;

        Behind(Input.CallProcess call, ProcessCall.Send send, Consumer<ProcessCall.Send> given) {
            this.call = call;
            this.send = send;
            this.given = given;
        }

        void onTurn() {
            if (!over) {
                context.timers.disarm(this);
                given.accept(send.within((dueNs - context.nowNs) / 1_000_000));
            }
        }

        @Override
        void onDue() {
            over = true;
            refuseBehind(call, send);
        }
    }

    private void give(Event event, Attempt attempt, ProcessHome home, Input.CallProcess call, ProcessCall.Send send) {
        if (processes.elsewhere().has(call.app().application(), send.destination())) {
            processes.elsewhere().send(event, attempt, home, call, send);
            return;
        }
        processes.table().find(call.app().application(), send.destination(), call.app().version(), (destination, failure) -> {
            if (!event.isRunning() || !Processes.attempt(event).equals(attempt)) {
                refuse(call, Errors.CONFLICT, "attempt " + attempt.number() + " of " + event.id + " does not run any more");
            } else if (destination == null && failure == null && processes.elsewhere().has(call.app().application(), send.destination())) {
                processes.elsewhere().send(event, attempt, home, call, send);
            } else if (destination == null) {
                refuse(call, failure, send.destination());
            } else {
                home.counts().sent++;
                destination.meets(call.app().version());
                destination.mailbox().send(new FunctionSender(context, event, home, call, send), send.waitMs());
            }
        });
    }

    /** @param failure why the process cannot be addressed; null: there is none */
    void refuse(Input.CallProcess call, Failure failure, String id) {
        if (failure == null) {
            refuse(call, Errors.NOT_FOUND, "application " + call.app().application() + " has no process " + id);
        } else {
            refuse(call, failure.error(), failure.cause());
        }
    }

    private void write(Event event, ProcessHome home, Input.CallProcess call, List<StateWrite> writes) {
        Failure refusal = processes.refusal(event, writes);
        if (refusal != null) {
            refuse(call, refusal.error(), refusal.cause());
            return;
        }
        home.process().write(Processes.attempt(event), writes);
        answer(call.listener(), new Answer.Done());
    }

    // --- invocations of functions in other processes, or the own one

    /**
     * The invocation's id follows from the caller's and its number: a further attempt's is the same one, which may have ended. So is that of
     * a request which its caller gives again, since the host that ran it died before the bus had it.
     */
    private void invoke(Event event, Input.CallProcess call, ProcessCall.Invoke invoke) {
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
            if (!event.isRunning() || !Processes.attempt(event).equals(attempt)) {
                refuse(call, Errors.CONFLICT, "attempt " + attempt.number() + " of " + event.id + " does not run any more");
            } else if (failure != null && !failure.error().equals(Errors.NOT_FOUND)) {
                if (isFirst(event)) {
                    begin(event, call, invoke, ANY_SLOT); // it hardly ran before: that is not to depend on the store
                } else {
                    refuse(call, failure, invoke.destination());
                }
            } else if (result != null || failure != null) { // it has ended, and perhaps its output is not kept
                processes.free(request.application(), List.of(invoke.payload()));
                answer(call.listener(), new Answer.Invoked(id));
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
            if (!event.isRunning() || !Processes.attempt(event).equals(attempt)) {
                refuse(call, Errors.CONFLICT, "attempt " + attempt.number() + " of " + event.id + " does not run any more");
            } else if (destination == null && failure == null && processes.elsewhere().has(call.app().application(), invoke.destination())) {
                processes.elsewhere().invoke(event, call, invoke, lookedUp);
            } else if (destination == null) {
                refuse(call, failure, invoke.destination());
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
            context.later(READ_AGAIN_NS, () -> again(event, attempt, call)); // its journal may have it
            return;
        }
        RunningExecution same = context.executions.get(request.executionId());
        if (same != null && !same.admission().isIn() && !same.backups().isDurable()) {
            FollowUp waits = new FollowUp(context, event, request, call.listener(), () -> again(event, attempt, call));
            waits.is(same);
            same.audience().add(waits); // it may yet be found to live elsewhere
            return;
        }
        if (same != null || context.executions.remembered(request.executionId(), slot) != null) {
            processes.free(request.application(), List.of(invoke.payload()));
            if (same != null) {
                FollowUp.joins(context, event, request, same);
            }
            answer(call.listener(), new Answer.Invoked(request.executionId()));
            return;
        }
        Failure full = context.executions.full(request, false);
        if (full != null) {
            refuse(call, full.error(), full.cause());
            return;
        }
        RunningExecution caller = context.executions.get(event.owner.executionId());
        InvocationRequest given = caller.isStrict() ? request : request.relaxed();
        FollowUp followUp = new FollowUp(context, event, request, call.listener(), () -> again(event, attempt, call));
        context.intake.start(given, slot, followUp, neverRan(event), invoke.destination().equals(Processes.id(event)));
    }

    /** @param slot where the process lives. @return null: it was refused */
    InvocationRequest request(Event event, Input.CallProcess call, ProcessCall.Invoke invoke, int slot) {
        String application = call.app().application();
        RunningExecution caller = context.executions.get(event.owner.executionId());
        if (caller == null || event.grain.application().grain(invoke.grain()) == null) {
            refuse(call, Errors.UNKNOWN_GRAIN, "application " + application + " has no grain " + invoke.grain());
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
        private final ProcessCall.Listener listener;
        private boolean answered;

        Waiter(Audience audience, ProcessCall.Listener listener) {
            this.audience = audience;
            this.listener = listener;
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
                answer(listener, outcome(result));
            }
        }

        @Override
        void onDue() {
            answered = true;
            audience.remove(this);
            answer(listener, new Answer.Outcome(null, null, null));
        }
    }

    static Answer outcome(InvocationResult result) {
        return result.failure() == null ? new Answer.Outcome(result.output(), null, null)
                : new Answer.Outcome(null, result.failure().error(), result.failure().cause());
    }

    private void result(Event event, Input.CallProcess call, ProcessCall.Result result) {
        ProcessCall.Listener listener = call.listener();
        if (processes.elsewhere().result(result, listener)) {
            return;
        }
        RunningExecution execution = context.executions.get(result.invocation());
        if (execution != null && result.waitMs() > 0) {
            Waiter waiter = new Waiter(execution.audience(), listener);
            execution.audience().add(waiter);
            context.timers.arm(waiter, context.nowNs + result.waitMs() * 1_000_000);
            return;
        }
        int slot = context.slots.of(result.invocation());
        RememberedResults.Entry ended = execution != null ? null : context.executions.remembered(result.invocation(), slot);
        if (execution != null) {
            answer(listener, new Answer.Outcome(null, null, null));
        } else if (ended != null && ended.result() != null) {
            answer(listener, outcome(ended.result()));
        } else {
            recorded(event, call, result.invocation());
        }
    }

    /** It ended before this host, or its slot's owner, began anew; or long ago. */
    private void recorded(Event event, Input.CallProcess call, String invocation) {
        context.emit(new Action.FindResult(call.app().application(), invocation, event.owner.executionId(), (result, failure) -> {
            if (failure != null) {
                refuse(call.listener(), failure.error(), failure.cause());
            } else if (result != null) {
                answer(call.listener(), outcome(result));
            } else {
                refuse(call.listener(), Errors.NOT_FOUND, "nothing is known (any more) of invocation " + invocation);
            }
        }));
    }
}
