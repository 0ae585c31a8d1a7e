package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.Early;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change.Outgoing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What functions here ask of processes whose owner is another host (PraaS 4.2). A message is answered once it is in its mailbox there, and its
 * sender's end waits until it is durable; given again it is known by its sender and number, and an invocation by its id.
 */
final class Elsewhere {
    /** One request between hosts waits for room for no longer. */
    private static final long ROOM_MS = 30_000;

    private final CoreContext context;
    private final Processes processes;
    /** Of one process to another, what is in its mailbox and not known to be durable. */
    private final Map<Way, List<Giving>> unsure = new HashMap<>();
    /** What is to be done when there is none. */
    private final Map<Way, List<Runnable>> waiting = new HashMap<>();
    /** By id, those of functions that run here. */
    private final Map<String, Invocation> invocations = new HashMap<>();

    Elsewhere(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
    }

    /** Whether the process, if there is one, is another host's. */
    boolean has(String application, String process) {
        return context.slots.state(processes.table().slotOf(application, process)) == SlotTable.State.ELSEWHERE;
    }

    private void answer(ProcessCall.Listener listener, Answer answer) {
        context.emit(new Action.AnswerProcessCall(listener, answer));
    }

    private void free(Input.CallProcess call, Payload payload) {
        processes.free(call.app().application(), List.of(payload));
    }

    // --- messages

    void send(Event by, Attempt attempt, ProcessHome home, Input.CallProcess call, ProcessCall.Send send) {
        Outgoing message = FunctionSender.message(by, home.id(), send);
        if (processes.calls().isLate(by, attempt, call)) {
            return;
        }
        if (FunctionSender.isAtomic(by)) {
            later(by, attempt, call, message);
        } else {
            sendNow(by, attempt, home, call, message, context.nowNs + send.waitMs() * 1_000_000);
        }
    }

    private void sendNow(Event by, Attempt attempt, ProcessHome home, Input.CallProcess call, Outgoing message, long untilNs) {
        long waitMs = Math.clamp((untilNs - context.nowNs) / 1_000_000, 0, ROOM_MS);
        Giving giving = new Giving(by, home, call, message);
        List<Giving> before = unsure.get(giving.way());
        context.emit(new Action.SendElsewhere(call.app().application(), call.app().version(), message, waitMs,
                new Early(before == null ? null : before.getLast().name(), giving::taken), failure -> {
            if (giving.taken) {
                giving.ended(failure);
            } else if (failure != null && failure.error().equals(Errors.OVERLOADED) && context.nowNs < untilNs) {
                giving.over = true;
                context.later(() -> sendAgain(by, attempt, home, call, message, untilNs));
            } else if (failure != null) {
                giving.over = true;
                processes.calls().refuse(call, failure, message.destination());
            } else { // by a host that does not tell before
                giving.over = true;
                home.counts().sent++;
                free(call, message.payload());
                answer(call.listener(), new Answer.Done());
            }
        }));
    }

    private record Way(String application, String source, String destination) {}

    /** Whether something of the one process is in the other's mailbox, on another host, and not known to be durable. */
    boolean isUnsure(String application, String source, String destination) {
        return !unsure.isEmpty() && unsure.containsKey(new Way(application, source, destination));
    }

    /** Does the step when that is known, or is on its way anew. */
    void whenSure(String application, String source, String destination, Runnable step) {
        waiting.computeIfAbsent(new Way(application, source, destination), added -> new ArrayList<>(1)).add(step);
    }

    /** A message on its way. */
    private final class Giving {
        final Event by;
        final ProcessHome home;
        final Input.CallProcess call;
        final Outgoing message;
        boolean taken;
        boolean over;

        Giving(Event by, ProcessHome home, Input.CallProcess call, Outgoing message) {
            this.by = by;
            this.home = home;
            this.call = call;
            this.message = message;
        }

        Way way() {
            return new Way(call.app().application(), message.source(), message.destination());
        }

        ProcessMessage.Name name() {
            return new ProcessMessage.Name(message.sender(), message.ordinal());
        }

        /** Its function goes on, whose end waits for it from now on. */
        void taken() {
            if (taken || over) {
                return; // by the next owner, too
            }
            taken = true;
            unsure.computeIfAbsent(way(), added -> new ArrayList<>(1)).add(this);
            processes.sends().begin(by.id);
            home.counts().sent++;
            answer(call.listener(), new Answer.Done());
        }

        /** @param failure null: it is durable; else nobody is known to have it, and it is given until somebody has */
        void ended(Failure failure) {
            List<Giving> ofWay = unsure.get(way());
            ofWay.remove(this);
            if (failure != null) {
                processes.late().send(call.app().application(), message, by.id, true);
            } else {
                free(call, message.payload());
                processes.sends().done(by.id);
            }
            if (ofWay.isEmpty()) {
                unsure.remove(way());
                waiting.getOrDefault(way(), List.of()).forEach(step -> context.later(FanOut.NEXT_TURN_NS, step));
                waiting.remove(way());
            }
        }
    }

    /** There was no room. Of an attempt that runs no more the message comes with the next one, if at all. */
    private void sendAgain(Event by, Attempt attempt, ProcessHome home, Input.CallProcess call, Outgoing message, long untilNs) {
        if (!processes.calls().isLate(by, attempt, call)) {
            sendNow(by, attempt, home, call, message, untilNs);
        }
    }

    /** It counts when its function ends well: that there is such a process is known before. */
    private void later(Event by, Attempt attempt, Input.CallProcess call, Outgoing message) {
        long most = by.grain.application().version().processSpec().mailboxBytes();
        if (message.payload().size() > most) {
            processes.calls().refuse(call, Errors.TOO_LARGE, "a mailbox has a limit of " + most + " bytes, and this message has "
                    + message.payload().size());
            return;
        }
        context.emit(new Action.FindElsewhere(call.app().application(), call.app().version(), message.destination(), (view, failure) -> {
            if (failure != null) {
                processes.calls().refuse(call, failure, message.destination());
            } else if (!processes.calls().isLate(by, attempt, call)) {
                processes.deferred().add(attempt, null, message);
                answer(call.listener(), new Answer.Done());
            }
        }));
    }

    // --- invocations

    /** A function that runs elsewhere, and who waits for its end here. */
    private static final class Invocation {
        final String caller;
        final List<Waiter> waiters = new ArrayList<>(1);
        /** Further attempts that invoke the same, while nobody knows whether it is taken. */
        final List<Runnable> undecided = new ArrayList<>(0);
        boolean accepted;
        InvocationResult result;

        Invocation(String caller) {
            this.caller = caller;
        }

        void decided() {
            List<Runnable> again = List.copyOf(undecided);
            undecided.clear();
            again.forEach(Runnable::run);
        }
    }

    private final class Waiter extends Timed {
        final Invocation invocation;
        final ProcessCall.Listener listener;

        Waiter(Invocation invocation, ProcessCall.Listener listener) {
            this.invocation = invocation;
            this.listener = listener;
        }

        @Override
        void onDue() {
            invocation.waiters.remove(this);
            answer(listener, new Answer.Outcome(null, null, null));
        }
    }

    /** @param lookedUp as {@link ProcessInvokes} says */
    void invoke(Event event, Input.CallProcess call, ProcessCall.Invoke invoke, int lookedUp) {
        Attempt attempt = Processes.attempt(event);
        context.emit(new Action.FindElsewhere(call.app().application(), call.app().version(), invoke.destination(), (view, failure) -> {
            int slot = view != null && view.slot() != null ? view.slot() : context.slots.of(invoke.destination());
            if (processes.calls().isLate(event, attempt, call)) {
                return;
            }
            if (failure != null) {
                processes.calls().refuse(call, failure, invoke.destination());
            } else if (lookedUp != ProcessInvokes.ANY_SLOT && lookedUp != slot) {
                processes.calls().invokes().lookUp(event, call, invoke, slot);
            } else if (processes.calls().invokes().request(event, call, invoke, slot) instanceof InvocationRequest request) {
                start(event, call, invoke, request, lookedUp);
            }
        }));
    }

    private void start(Event event, Input.CallProcess call, ProcessCall.Invoke invoke, InvocationRequest request, int lookedUp) {
        String caller = event.owner.executionId();
        String id = request.executionId();
        Invocation same = invocations.get(id);
        if (same != null && !same.accepted && same.result == null) {
            same.undecided.add(() -> invoke(event, call, invoke, lookedUp)); // it may yet be turned away
            return;
        }
        if (same != null) {
            free(call, request.input());
            answer(call.listener(), new Answer.Invoked(id));
            return;
        }
        Invocation invocation = new Invocation(caller);
        invocations.put(id, invocation);
        context.emit(new Action.InvokeElsewhere(request, caller, () -> {
            invocation.accepted = true;
            free(call, request.input());
            answer(call.listener(), new Answer.Invoked(id));
            invocation.decided();
        }, result -> {
            if (invocation.accepted) {
                ended(invocation, result);
            } else if (ProcessPlace.slotOf(result.failure()) >= 0) {
                invocations.remove(id, invocation);
                invoke(event, call, invoke, lookedUp); // it lives elsewhere by now
                invocation.decided();
            } else if (result.failure() != null && result.hops().isEmpty()) {
                invocations.remove(id, invocation);
                processes.calls().refuse(call, result.failure(), request.processId());
                invocation.decided();
            } else { // it had ended before: a further attempt's
                free(call, request.input());
                ended(invocation, result);
                answer(call.listener(), new Answer.Invoked(id));
                invocation.decided();
            }
        }));
    }

    private void ended(Invocation invocation, InvocationResult result) {
        invocation.result = result;
        invocation.waiters.forEach(waiter -> {
            context.timers.disarm(waiter);
            answer(waiter.listener, ProcessInvokes.outcome(result));
        });
        invocation.waiters.clear();
    }

    /** @return false: no function here has invoked that elsewhere */
    boolean result(ProcessCall.Result asked, ProcessCall.Listener listener) {
        Invocation invocation = invocations.get(asked.invocation());
        if (invocation == null) {
            return false;
        }
        if (invocation.result != null) {
            answer(listener, ProcessInvokes.outcome(invocation.result));
        } else if (asked.waitMs() <= 0) {
            answer(listener, new Answer.Outcome(null, null, null));
        } else {
            Waiter waiter = new Waiter(invocation, listener);
            invocation.waiters.add(waiter);
            context.timers.arm(waiter, context.nowNs + asked.waitMs() * 1_000_000);
        }
        return true;
    }

    /** Nobody asks for what it invoked any more. */
    void left(String caller) {
        invocations.values().removeIf(invocation -> {
            boolean isIts = invocation.caller.equals(caller);
            if (isIts) {
                invocation.waiters.forEach(context.timers::disarm);
            }
            return isIts;
        });
    }
}
