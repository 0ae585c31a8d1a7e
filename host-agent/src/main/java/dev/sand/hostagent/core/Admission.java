package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.workflow.Execution.Signal;
import java.util.List;

/**
 * A request's way into its execution: its target is known, a place in the target's queue is kept, and where somebody was
 * promised that it cannot be lost, its backup is in the global bus.
 *
 * <pre>
 * LOADING   → LOCATING   the application is there, and it is to run in a process: that is looked for
 * LOADING, LOCATING → ACCEPTING  all is there; durable, or strict: the backup is on the way
 * LOADING, LOCATING → DONE       the same, without waiting for the backup, or it is there; or it comes from the journal
 * LOADING   → READING    it is redriven: what it did before is read
 * READING   → ACCEPTING  that is there
 * READING   → DONE       that is there, and the redrive comes from the journal
 * ACCEPTING → DONE       the backup is in the global bus: accepted
 * any       → ENTERING   the same, of one that waits for room in its process
 * any       → DONE       refused, or ended otherwise
 * </pre>
 */
final class Admission {
    private enum State { LOADING, LOCATING, READING, ACCEPTING, ENTERING, DONE }

    private final CoreContext context;
    private final RunningExecution execution;
    private final Backups backups;
    private final Audience audience;
    private final Story story;
    private State state = State.LOADING;
    private Application application;
    /** Somebody is to be told that it cannot be lost, once nothing is in the way of it. */
    private boolean sure;
    /** Where the request has a place kept in the queue, until its event takes it. */
    private Grain reservation;

    Admission(CoreContext context, RunningExecution execution, Backups backups, Audience audience, Story story) {
        this.context = context;
        this.execution = execution;
        this.backups = backups;
        this.audience = audience;
        this.story = story;
    }

    private InvocationRequest request() {
        return execution.request();
    }

    void onApplicationReady(Application ready) {
        application = ready;
        if (!application.version().hasTarget(request().target())) {
            execution.ending().refused(Failure.caller(Errors.NOT_FOUND, "application " + request().application() + " version "
                    + request().version() + " has neither a grain nor a workflow " + request().target()));
            return;
        }
        if (request().process() != null && execution.isWorkflow()) {
            execution.ending().refused(Failure.caller(Errors.BAD_REQUEST, "workflow " + request().target()
                    + " does not run in a process: only grains do"));
            return;
        }
        if (request().redrive() != null) {
            state = State.READING;
            read();
            return;
        }
        if (execution.isRecovered()) {
            done();
            return;
        }
        Grain target = execution.isWorkflow() ? null : application.grain(request().target());
        // A process may have a sandbox of its own: what is to run in one waits for it, if it has to.
        Failure lacking = request().process() == null ? application.sandbox().refusal() : null;
        Failure refusal = lacking != null || target == null ? lacking : target.reserve(RunningExecution.bytes(request()));
        if (refusal != null && backups.isOfMessages()) {
            context.later(() -> retry(ready)); // they were taken for it
            return;
        }
        if (refusal != null) {
            execution.ending().refused(refusal);
            return;
        }
        reservation = target;
        if (request().process() == null) {
            accept();
        } else {
            state = State.LOCATING;
            context.processes.arrivals().locate(execution, application.version().processSpec(), elsewhere -> {
                if (elsewhere == null) {
                    accept();
                } else if (ProcessPlace.slotOf(elsewhere) >= 0) {
                    execution.ending().elsewhere(elsewhere);
                } else {
                    execution.ending().refused(elsewhere);
                }
            });
        }
    }

    private void retry(Application ready) {
        if (!execution.isEnded()) {
            onApplicationReady(ready);
        }
    }

    /** Nothing is in the way of it. */
    private void accept() {
        if (request().durable() || execution.isStrict() || sure) {
            if (!backups.isOfMessages()) { // else it is on its way, in one record with those
                backups.accepted(Await.YES);
            }
            if (!backups.isDurable() && context.has(Rule.JOURNAL_BEFORE_ACCEPT)) {
                state = State.ACCEPTING;
                return;
            }
            accepted();
        } else {
            audience.admitted();
        }
        done();
    }

    // --- a redrive

    private void read() {
        if (state == State.READING) {
            context.emit(new Action.Ask(request().executionId(), "",
                    new Question.Before(request().application(), request().redrives(), execution.isRecovered())));
        }
    }

    /** Of what was asked. The record of cause and effect is the request's: its signal follows from it. */
    void onAnswer(Input.Answered answered) {
        if (state != State.READING) {
            context.drop("execution " + request().executionId() + " has asked nothing", answered);
            return;
        }
        switch (answered.answer()) {
            case Question.Answer.Before(List<Signal> signals, List<Hop> hops) -> {
                execution.runsOnFrom(signals);
                story.before(hops);
                if (execution.isRecovered()) {
                    done();
                } else {
                    state = State.ACCEPTING;
                    backups.accepted(Await.YES);
                }
            }
            case Question.Answer.Failed(String _, String _, boolean again) when again -> context.later(this::read);
            case Question.Answer.Failed(String error, String cause, boolean _) -> execution.ending().refused(
                    Failure.platform(error, cause, Errors.MOVED.equals(error)));
            default -> throw new IllegalStateException("no answer to what was before: " + answered.answer());
        }
    }

    private void done() {
        state = State.DONE;
        if (request().process() == null) {
            execution.run();
        } else {
            state = State.ENTERING;
            context.processes.enter(execution, application);
        }
    }

    private void accepted() {
        backups.durable();
        audience.accepted();
        story.begun();
    }

    /** Another caller asks for the same. */
    void join(InvocationListener listener, boolean durable) {
        audience.add(listener);
        if (durable && backups.isDurable() && !execution.mayBeNothing()) {
            context.emit(new Action.Accepted(listener, execution.slot(), execution.epoch()));
        } else if (durable) {
            makeSure();
        }
    }

    /** Somebody is to be told that it cannot be lost. */
    void makeSure() {
        sure = true;
        if (!backups.isDurable() && !backups.isAwaited() && !backups.isOfMessages() && !isBeforeItsBackup()) {
            backups.accepted(Await.YES);
        }
    }

    /** What is to run in a process may yet be turned away, to where that lives: nothing is promised before. */
    private boolean isBeforeItsBackup() {
        return execution.isHeld() || (state == State.LOADING || state == State.LOCATING || state == State.READING)
                && (request().durable() || request().process() != null);
    }

    /** Nothing is in the way of it any more. */
    boolean isIn() {
        return state == State.ENTERING || state == State.DONE;
    }

    /** The answer to the request's own backup. Unawaited, it only tells callers that they need not ask again. */
    void onJournaled(Failure failure) {
        if (failure != null) {
            backups.acceptFailed();
            if (state == State.ACCEPTING) {
                // With the details: a record that nobody confirmed may be in the bus all the same, and another host may run it.
                execution.ending().refused(new Failure(Errors.UNAVAILABLE, "request " + execution.id()
                        + " could not be written to the global bus: " + failure.cause(), Failure.Source.PLATFORM, true, null,
                        failure.details()));
            } else {
                audience.notAccepted();
            }
        } else if (state == State.ACCEPTING) {
            accepted();
            done();
        } else if (!backups.isDurable() && backups.isAwaited()) {
            accepted();
        } else if (!backups.isDurable()) {
            backups.durable();
            audience.accepted();
        }
    }

    boolean takeReservation(Grain grain) {
        boolean reserved = reservation == grain;
        if (reserved) {
            reservation = null;
        }
        return reserved;
    }

    /** The execution has ended. */
    void close() {
        state = State.DONE;
        if (reservation != null) {
            reservation.queue().release(RunningExecution.bytes(request()));
            reservation = null;
        }
    }

    String stage() {
        return switch (state) {
            case LOADING -> "while its application was being loaded";
            case LOCATING -> "while process " + request().process() + " was being looked for";
            case READING -> "while what it had done before was being read";
            case ACCEPTING -> "while it was being written to the global bus";
            case ENTERING -> "while it waited for room in process " + request().process();
            case DONE -> "before it ran";
        };
    }
}
