package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.core.ProcessCall.Answer;
import java.util.List;

/**
 * What a function invokes in a process of this host (PraaS 4.2): it runs at once, and its caller hears so at once. That it is not lost,
 * whatever dies, is what the <em>end</em> of the caller promises, and so waits for: until its request is durable, or it has ended. For
 * what has ended has its effects in the journal, or has none; then a caller that runs again invokes it again.
 *
 * <p>A caller that waits for nothing but its result hears that it runs with that result, if it comes at once: one answer then, and one
 * wake-up, where both would be waited for on the cores that it needs itself.
 */
final class FollowUp extends Timed implements Audience.Parent {
    /** By then what a redrive needs of an execution that has ended is kept: its input too. */
    private static final long RECORDED_NS = 3_000_000_000L;
    private final CoreContext context;
    private final Event by;
    private final InvocationRequest request;
    /** Null: it was told before. */
    private final ProcessCall.Listener caller;
    private final boolean awaited;
    private final Runnable again;
    private RunningExecution execution;
    private boolean runs;
    private boolean answered;
    /** The end of who invoked it waits for it. */
    private boolean delays;

    /** @param request as another host would be asked; @param call told that it runs, or why not; null: it was told before. @param again invokes it where its process is by now */
    FollowUp(CoreContext context, Event by, InvocationRequest request, Input.CallProcess call, Runnable again) {
        this.context = context;
        this.by = by;
        this.request = request;
        this.caller = call == null ? null : call.listener();
        this.awaited = call != null && call.call() instanceof ProcessCall.Invoke invoke && invoke.awaited();
        this.again = again;
        by.followUps.add(this);
    }

    /** An earlier attempt has invoked it, and it runs: the end of this one waits for it too. */
    static void joins(CoreContext context, Event by, InvocationRequest request, RunningExecution same) {
        if (!same.backups().isDurable()) {
            FollowUp joined = new FollowUp(context, by, request, null, null);
            joined.runs = true;
            joined.answered = true;
            joined.is(same);
            same.audience().add(joined);
        }
    }

    void is(RunningExecution started) {
        execution = started;
    }

    @Override
    public void onAdmitted() {
        runs = true;
        if (!awaited) {
            answer(null);
        } else if (!answered && !isArmed()) {
            context.timers.arm(this, context.nowNs + context.configuration.togetherNs());
        }
    }

    @Override
    void onDue() {
        answer(null);
    }

    private void answer(Answer.Outcome outcome) {
        if (!answered) {
            answered = true;
            context.timers.disarm(this);
            context.emit(new Action.AnswerProcessCall(caller, new Answer.Invoked(request.executionId(), outcome)));
        }
    }

    @Override
    public void onAccepted() {
        if (runs && caller != null && !execution.isEnded()) {
            execution.story().begun();
        }
        onAdmitted();
        settle();
    }

    @Override
    public void onEnded(InvocationResult result) {
        if (!answered && ProcessPlace.slotOf(result.failure()) >= 0) { // such an end comes before it has begun
            context.timers.disarm(this);
            settle();
            again.run();
            return;
        }
        if (caller != null && request.input().reference() != null) {
            context.later(RECORDED_NS, this::free);
        }
        if (runs) { // what a reference names is brought to who asks for it
            answer(result.output() == null || result.output().reference() == null ? Answer.Outcome.of(result) : null);
        } else {
            context.emit(new Action.AnswerProcessCall(caller, new Answer.Refused(
                    result.failure() == null ? Errors.UNAVAILABLE : result.failure().error(),
                    result.failure() == null ? "execution " + request.executionId() + " ended" : result.failure().cause())));
        }
        settle();
    }

    /** Its slot is another host's. */
    @Override
    public void onMoved() {
        if (!runs) {
            settle();
            again.run(); // of its next owner, which may have it
            return;
        }
        answer(null);
        if (caller != null && by.followUps.contains(this) && isCallerHere()) {
            giveElsewhere(); // whether that has it is not known; given again it is the same
        } else {
            isElsewhere();
        }
    }

    private void giveElsewhere() {
        context.emit(new Action.InvokeElsewhere(request, by.owner.executionId(), this::isElsewhere, result -> {
            boolean isOpen = by.followUps.contains(this);
            boolean isRefused = result.failure() != null && result.failure().retryable() && result.hops().isEmpty();
            if (isOpen && isRefused && context.executions.get(by.owner.executionId()) != null) {
                context.later(this::giveElsewhere); // not accepted: whoever invoked it was told that it runs
            } else if (isOpen) {
                isElsewhere();
            }
        }));
    }

    private boolean isCallerHere() {
        return context.slots.state(context.slots.of(by.owner.executionId())) != SlotTable.State.ELSEWHERE;
    }

    private void isElsewhere() {
        if (caller != null) {
            free();
        }
        settle();
    }

    private void free() {
        context.processes.free(request.application(), List.of(request.input()));
    }

    /** Whoever invoked it has ended: that is told once nothing of this can be lost that he was promised. */
    void delaysEnd() {
        if (runs && !delays) {
            delays = true;
            context.processes.sends().begin(by.id);
            execution.admission().makeSure();
        }
    }

    @Override
    public void onNotAccepted() {
        if (delays) {
            context.later(() -> {
                if (delays && !execution.isEnded()) {
                    execution.admission().makeSure();
                }
            });
        }
    }

    private void settle() {
        by.followUps.remove(this);
        if (delays) {
            delays = false;
            context.processes.sends().done(by.id);
        }
    }
}
