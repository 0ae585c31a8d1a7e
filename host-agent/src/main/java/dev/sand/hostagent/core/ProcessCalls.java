package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
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
    private final CoreContext context;
    private final Processes processes;
    private final ProcessList list;
    private final ProcessInvokes invokes;

    ProcessCalls(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
        this.list = new ProcessList(context, processes);
        this.invokes = new ProcessInvokes(context, processes, this);
    }

    ProcessList list() {
        return list;
    }

    ProcessInvokes invokes() {
        return invokes;
    }

    void answer(ProcessCall.Listener listener, Answer answer) {
        context.emit(new Action.AnswerProcessCall(listener, answer));
    }

    void refuse(ProcessCall.Listener listener, String error, String message) {
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

    /** @return true: the attempt does not run any more, and the call is refused */
    boolean isLate(Event event, Attempt attempt, Input.CallProcess call) {
        if (event.isRunning() && Processes.attempt(event).equals(attempt)) {
            return false;
        }
        refuse(call, Errors.CONFLICT, "attempt " + attempt.number() + " of " + event.id + " does not run any more");
        return true;
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
            case ProcessCall.Get get -> {
                home.ahead().onRead(event.grainName, get.key());
                home.overflow().get(attempt, get.key(), listener);
            }
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
            case ProcessCall.Invoke invoke -> invokes.invoke(event, call, invoke);
            case ProcessCall.Result result -> invokes.result(event, call, result);
            case ProcessCall.Processes asked -> list.on(application, asked, listener);
        }
    }

    /** Others know of it: of one that messages made, which might be made anew under another id, before its request is durable. */
    private static boolean isHeard(ProcessCall call) {
        return call instanceof ProcessCall.Send || call instanceof ProcessCall.Invoke;
    }

    /** When what was in its way is over. */
    void again(Event event, Attempt attempt, Input.CallProcess call) {
        if (!isLate(event, attempt, call)) {
            on(event, call);
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
        inTurn(home, call, send, left -> processes.elsewhere().sends().send(event, attempt, home, call, left));
    }

    /** Behind earlier messages to that process that are on their way, or were, to another host that had it. */
    private void inTurn(ProcessHome home, Input.CallProcess call, ProcessCall.Send send, Consumer<ProcessCall.Send> given) {
        String application = call.app().application();
        boolean isLate = processes.late().isBusy(application, home.id(), send.destination());
        boolean isUnsure = !isLate && !processes.elsewhere().has(application, send.destination())
                && processes.elsewhere().sends().isUnsure(application, home.id(), send.destination());
        if (!isLate && !isUnsure) {
            given.accept(send);
        } else if (send.waitMs() <= 0) {
            refuseBehind(call, send);
        } else {
            Behind behind = new Behind(call, send, isLate ? given : left -> inTurn(home, call, left, given));
            context.timers.arm(behind, context.nowNs + send.waitMs() * 1_000_000);
            if (isLate) {
                processes.late().behind(application, home.id(), send.destination(), behind::onTurn);
            } else {
                processes.elsewhere().sends().whenSure(application, home.id(), send.destination(), behind::onTurn);
            }
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
            processes.elsewhere().sends().send(event, attempt, home, call, send);
            return;
        }
        processes.table().find(call.app().application(), send.destination(), call.app().version(), (destination, failure) -> {
            if (isLate(event, attempt, call)) {
                return;
            }
            if (destination == null && failure == null && processes.elsewhere().has(call.app().application(), send.destination())) {
                processes.elsewhere().sends().send(event, attempt, home, call, send);
            } else if (destination == null) {
                refuse(call, failure, send.destination());
            } else {
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
        if (refusal == null) {
            refusal = processes.lacksRoom(event, writes);
        }
        if (refusal != null) {
            refuse(call, refusal.error(), refusal.cause());
            return;
        }
        home.process().write(Processes.attempt(event), writes);
        answer(call.listener(), new Answer.Done());
    }
}
