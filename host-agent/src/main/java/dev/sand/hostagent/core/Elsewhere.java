package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.Attempt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What functions here ask of processes whose owner is another host (PraaS 4.2), but for messages ({@link SendsElsewhere}): an invocation that is
 * asked for again is known by its id.
 */
final class Elsewhere {
    private final CoreContext context;
    private final Processes processes;
    private final SendsElsewhere sends;
    /** By id, those of functions that run here. */
    private final Map<String, Invocation> invocations = new HashMap<>();

    Elsewhere(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
        this.sends = new SendsElsewhere(context, processes);
    }

    SendsElsewhere sends() {
        return sends;
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
