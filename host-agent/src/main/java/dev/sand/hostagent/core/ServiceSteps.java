package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.NestedResults;
import dev.sand.workflow.asl.Service.Mode;
import dev.sand.workflow.data.StatesError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Steps of one execution that start other workflows or send to queues.
 *
 * <p>A child is an execution of its own, whose id follows from its parent's id and the step, so that the step starts one child
 * however often it is run, and falls into its parent's slot: both have the same owner, who finds them in the same journal
 * partition. A message's id follows from the task, and queues know the ids that they had.
 */
final class ServiceSteps {
    private static final String NO_SUCH_WORKFLOW = "StepFunctions.StateMachineDoesNotExistException";
    private static final String NAME_IS_TAKEN = "StepFunctions.ExecutionAlreadyExistsException";
    private final CoreContext context;
    private final RunningExecution execution;
    private final Application application;
    private final Signals signals;
    private Map<String, ServiceStep> open = Map.of();

    ServiceSteps(CoreContext context, RunningExecution execution, Application application, Signals signals) {
        this.context = context;
        this.execution = execution;
        this.application = application;
        this.signals = signals;
    }

    int openCount() {
        return open.size();
    }

    // --- what is commanded

    /** @param cause the signal that it follows from */
    void open(String step, Command command, long timeoutMs, Signal cause) {
        if (open.isEmpty()) {
            open = new LinkedHashMap<>(4);
        }
        ServiceStep opened = new ServiceStep(this, step, command, cause.atMs());
        open.put(step, opened);
        if (timeoutMs > 0) {
            context.timers.arm(opened, context.nowNs + Math.max(0, timeoutMs - signals.elapsedMs(cause)) * 1_000_000);
        }
        if (!signals.isReplaying()) {
            context.later(0, () -> run(opened, false));
        }
    }

    /** @return whether it was one of these */
    boolean abandon(String step) {
        ServiceStep abandoned = open.isEmpty() ? null : open.remove(step);
        if (abandoned != null) {
            end(abandoned, true);
        }
        return abandoned != null;
    }

    /** A replayed signal: the step is over. @return whether it was one of these */
    boolean close(String step) {
        ServiceStep closed = open.isEmpty() ? null : open.remove(step);
        if (closed != null) {
            end(closed, false);
        }
        return closed != null;
    }

    /** The replay is over: what is still open is asked for again. */
    void resume() {
        for (ServiceStep step : List.copyOf(open.values())) {
            context.later(0, () -> run(step, true));
        }
    }

    /** @param stopsChildren false: they go on elsewhere, as the execution does */
    void abandonAll(boolean stopsChildren) {
        for (ServiceStep step : new ArrayList<>(open.values())) {
            end(step, stopsChildren);
        }
        open = Map.of();
    }

    private void end(ServiceStep step, boolean stopsChild) {
        context.timers.disarm(step);
        if (stopsChild && step.command instanceof Command.StartWorkflow start && start.mode().awaitsEnd()) {
            RunningExecution child = context.executions.get(step.childId());
            if (child != null) {
                child.ending().cancelled("execution " + execution.id() + ", which waited for it, does so no more");
            }
        }
    }

    private boolean isOpen(ServiceStep step) {
        return open.get(step.step) == step;
    }

    // --- doing it

    /** @param again an earlier owner may have begun with it */
    private void run(ServiceStep step, boolean again) {
        if (!isOpen(step)) {
            return;
        }
        String name = execution.request().application();
        switch (step.command) {
            case Command.SendMessage send -> ask(step, new Question.Send(name, execution.id() + "/" + send.message(), send.queue(), send.group(), send.body()));
            case Command.StartWorkflow start when !application.version().workflows().containsKey(start.workflow()) -> fail(step,
                    NO_SUCH_WORKFLOW, "application " + name + " version " + application.version().version() + " has no workflow " + start.workflow());
            case Command.StartWorkflow start when start.name() != null ->
                    ask(step, new Question.ClaimName(name, start.workflow(), start.name(), step.childId(), start.input()));
            case Command.StartWorkflow _ -> begin(step, again);
            default -> throw new IllegalStateException("no service is asked for by " + step.command);
        }
    }

    private void ask(ServiceStep step, Question question) {
        context.emit(new Action.Ask(execution.id(), step.step, question));
    }

    void onAnswer(Input.Answered answered) {
        ServiceStep step = open.get(answered.step());
        if (step == null) {
            context.drop("step " + answered.step() + " of execution " + execution.id() + " asks nothing (any more)", answered);
            return;
        }
        switch (answered.answer()) {
            case Question.Answer.Sent(Payload result) -> succeed(step, result);
            case Question.Answer.Claimed(String holder, boolean _) when holder.equals(step.childId()) -> begin(step, true);
            case Question.Answer.Claimed(String holder, boolean sameInput) -> onTaken(step, (Command.StartWorkflow) step.command, holder, sameInput);
            case Question.Answer.Found found -> onFound(step, found);
            case Question.Answer.Before _ -> throw new IllegalStateException("no step asks what was before");
            case Question.Answer.Failed(String _, String _, boolean again) when again -> context.later(() -> run(step, true));
            case Question.Answer.Failed(String error, String cause, boolean _) -> fail(step, error, cause);
        }
    }

    /** Somebody started an execution under that name before. */
    private void onTaken(ServiceStep step, Command.StartWorkflow start, String holder, boolean sameInput) {
        if (start.mode() == Mode.START && sameInput) {
            succeed(step, NestedResults.started(child(holder, start)));
        } else {
            fail(step, NAME_IS_TAKEN, "Execution Already Exists: '" + holder + "' has the name " + start.name());
        }
    }

    // --- children

    String childId(ServiceStep step) {
        return ChildIds.of(execution.id(), step.step, step.askedMs > 0 ? step.askedMs : execution.startedMs(), execution.slot(),
                context.slots.count());
    }

    private NestedResults.Child child(String id, Command.StartWorkflow start) {
        return new NestedResults.Child(id, execution.request().application(), start.workflow(), start.name(), start.input(), ChildIds.startedMs(id));
    }

    /** Children that the journal has are there once the slot is read. */
    private void begin(ServiceStep step, boolean again) {
        if (!isOpen(step)) {
            return;
        }
        RunningExecution same = context.executions.get(step.childId());
        if (same != null) {
            same.audience().add(step);
            if (same.backups().isDurable()) {
                onChildAccepted(step);
            }
        } else if (context.slots.state(execution.slot()) == SlotTable.State.RECOVERING) {
            context.later(() -> begin(step, again));
        } else if (again) {
            ask(step, new Question.LookUp(execution.request().application(), step.childId(), false));
        } else {
            start(step, (Command.StartWorkflow) step.command);
        }
    }

    private void start(ServiceStep step, Command.StartWorkflow start) {
        InvocationRequest parent = execution.request();
        boolean awaitsEnd = start.mode().awaitsEnd();
        long remainingMs = awaitsEnd ? Math.max(1, (execution.deadlineNs() - context.nowNs) / 1_000_000) : parent.timeoutMs();
        InvocationRequest request = new InvocationRequest(step.childId(), parent.application(), parent.version(), start.workflow(),
                start.input(), remainingMs, true, parent.traceparent());
        Failure full = context.executions.fullOfNested(request);
        if (full != null) {
            fail(step, full.error(), full.cause());
            return;
        }
        context.intake.start(request, execution.slot(), step);
    }

    private void onFound(ServiceStep step, Question.Answer.Found found) {
        if (context.executions.get(step.childId()) != null) {
            begin(step, true);
            return;
        }
        Command.StartWorkflow start = (Command.StartWorkflow) step.command;
        if (found.status() == null || found.status() == Status.RUNNING) {
            start(step, start);
        } else if (start.mode() == Mode.START) {
            onChildAccepted(step);
        } else {
            onEnd(step, start, found.status(), found.output(), found.failure(), found.endedMs());
        }
    }

    void onChildAccepted(ServiceStep step) {
        if (isOpen(step) && step.command instanceof Command.StartWorkflow start && start.mode() == Mode.START) {
            succeed(step, NestedResults.started(child(step.childId(), start)));
        }
    }

    /** A value that lives with the child's execution is taken from its record, which outlives it. */
    void onChildEnded(ServiceStep step, InvocationResult result) {
        if (!isOpen(step)) {
            return;
        }
        Command.StartWorkflow start = (Command.StartWorkflow) step.command;
        if (result.output() != null && result.output().bytes() == null) {
            ask(step, new Question.LookUp(execution.request().application(), step.childId(), true));
        } else {
            onEnd(step, start, result.status(), result.output(), result.failure(), context.epochMs());
        }
    }

    private void onEnd(ServiceStep step, Command.StartWorkflow start, Status status, Payload output, Failure failure, long endedMs) {
        NestedResults.Child child = child(step.childId(), start);
        if (status == Status.SUCCEEDED && output != null && output.bytes() != null && output.isJson()) {
            succeed(step, NestedResults.succeeded(start.mode(), child, output, endedMs));
            return;
        }
        String error = failure != null ? failure.error() : status == Status.SUCCEEDED ? StatesError.DATA_LIMIT_EXCEEDED : "Sand." + status;
        String cause = failure != null ? failure.cause() : status == Status.SUCCEEDED
                ? "the output of execution " + child.id() + " is no JSON, or is kept no more" : "execution " + child.id() + " ended as " + status;
        if (start.mode() == Mode.WORKFLOW || start.mode() == Mode.START) {
            fail(step, error, cause);
        } else {
            fail(step, StatesError.TASK_FAILED, NestedResults.failed(start.mode(), child, shown(status), error, cause, endedMs));
        }
    }

    /** As AWS names it. */
    private static String shown(Status status) {
        return switch (status) {
            case CANCELLED -> "ABORTED";
            case SUCCEEDED -> "FAILED"; // with an output that cannot be given on
            default -> status.name();
        };
    }

    // --- what comes of it

    void onTimeout(ServiceStep step) {
        if (open.remove(step.step, step)) {
            end(step, true);
            signals.signal(new Signal.TaskFailed(step.step, Errors.TIMEOUT, null, context.epochMs()));
        }
    }

    private void succeed(ServiceStep step, Payload result) {
        if (open.remove(step.step, step)) {
            end(step, false);
            signals.signal(new Signal.TaskSucceeded(step.step, result, List.of(), context.epochMs()));
        }
    }

    private void fail(ServiceStep step, String error, String cause) {
        if (open.remove(step.step, step)) {
            end(step, false);
            signals.signal(new Signal.TaskFailed(step.step, error, cause, context.epochMs()));
        }
    }
}
