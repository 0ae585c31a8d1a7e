package dev.sand.workflow;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.asl.ErrorRules;
import dev.sand.workflow.asl.ErrorRules.Catcher;
import dev.sand.workflow.asl.ErrorRules.Retrier;
import dev.sand.workflow.asl.State;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.List;

/**
 * The ways out of a state: with a result to the next state or out of the scope, with an error to its retriers, then its
 * catchers, then out of the scope, which is an error of the state above.
 */
final class StateExit {
    /** How the execution's own state machine ends. */
    interface Listener {
        void onSucceeded(Document output);

        void onFailed(String error, String cause);
    }

    private final Agenda agenda;
    private final DataFlow flow;
    private final Listener listener;
    private final MapExit maps;

    StateExit(Agenda agenda, DataFlow flow, PayloadSource source, Listener listener) {
        this.agenda = agenda;
        this.flow = flow;
        this.listener = listener;
        this.maps = new MapExit(agenda, this, source);
    }

    /** Of distributed Maps. */
    MapExit maps() {
        return maps;
    }

    /** The state's work gave a result. */
    void complete(Visit visit, Document result) {
        visit.scope.info.budget().renew();
        Document given;
        try {
            given = given(visit, result);
        } catch (StatesError e) {
            TaskEvents.succeeded(visit, (State.Task) visit.state, result);
            fail(visit, e);
            return;
        }
        StatesError over = DataLimit.ofResult(visit, given, flow.source());
        if (over != null) {
            visit.join = null;
            fail(visit, over.error(), over.getMessage(), false);
            return;
        }
        Join joined = visit.join;
        visit.join = null;
        long before = beforeSuccess(visit.scope, joined);
        switch (visit.state) {
            case State.Task task -> TaskEvents.succeeded(visit, task, given);
            case State.Parallel _ -> visit.scope.event("ParallelStateSucceeded");
            case State.Map map -> {
                if (map.distribution() != null) {
                    visit.scope.event("MapRunSucceeded");
                }
                visit.scope.event("MapStateSucceeded");
            }
            default -> { }
        }
        Document next;
        try {
            next = flow.output(visit, given);
            flow.assign(visit, visit.state.common().assign(), given, null);
        } catch (StatesError e) {
            visit.left = joined;
            if (joined != null) {
                joined.hasSucceeded = true;
            }
            fail(visit, e);
            return;
        }
        if (visit.state instanceof State.Parallel || visit.state instanceof State.Map) {
            visit.scope.follows(before);
        }
        leave(visit, next, visit.state.common().next());
    }

    /** What the exit of a Parallel or Map follows: not its success, but the event before it. */
    private static long beforeSuccess(Scope scope, Join joined) {
        if (joined != null && joined.lastEnd > 0) {
            scope.follows(joined.lastEnd);
        }
        return scope.lastEvent();
    }

    /** What a task's work gave, as its service gives it. */
    private Document given(Visit visit, Document result) {
        boolean isAnswer = visit.state instanceof State.Task task && task.awaitsToken();
        return visit.invocation == null || isAnswer ? result : visit.invocation.result(result, flow.source());
    }

    /** @param next null: this state ends its machine */
    void leave(Visit visit, Document document, String next) {
        visit.scope.event(History.typeOf(visit.state) + "StateExited", () ->
                History.value(History.assigned(visit).put("name", visit.state.name()), "output", document));
        if (next != null) {
            agenda.enter(visit.scope, next, document);
            return;
        }
        Scope scope = visit.scope;
        scope.close();
        Join join = scope.join;
        if (join == null) {
            listener.onSucceeded(document);
            return;
        }
        if (join.run == null) {
            countIteration(scope, "MapIterationSucceeded");
        }
        if (join.run != null) {
            scope.event("ExecutionSucceeded", () -> History.value(Json.NODES.objectNode(), "output", document));
        }
        try {
            maps.succeeded(join, scope, document);
        } catch (StatesError e) {
            agenda.abandon(join);
            fail(join.visit, e);
            return;
        }
        goOnWithin(join);
    }

    /** One more of its branches or iterations has ended; what they gave may be too large together. */
    void goOnWithin(Join join) {
        if (join.bytes() > WorkflowLimits.DOCUMENT_BYTES) {
            agenda.abandon(join);
            fail(join.visit, StatesError.DATA_LIMIT_EXCEEDED, "The results that state '" + join.visit.state.name()
                    + "' has to join are over the limit of " + WorkflowLimits.DOCUMENT_BYTES + " bytes", false);
        } else {
            goOn(join);
        }
    }

    void goOn(Join join) {
        if (join.isExceeded) {
            return; // its results are written now
        }
        if (join.isComplete()) {
            maps.end(join);
        } else {
            agenda.startMore(join);
        }
    }

    /** The end of an inline Map's iteration is an event. */
    private static void countIteration(Scope iteration, String type) {
        Join join = iteration.join;
        join.visit.scope.follows(iteration);
        if (join.items != null) {
            join.lastEnd = BranchEvents.iteration(join.visit.scope, iteration, type);
        }
    }

    /** What the state itself did failed. */
    void fail(Visit visit, StatesError e) {
        Failure failure = failure(visit, e);
        tellEvaluation(visit, failure);
        settle(visit, failure, false);
    }

    /** The state's work failed. */
    void fail(Visit visit, String error, String cause, boolean isBranchFailure) {
        Failure failure = new Failure(error, cause);
        if (visit.state instanceof State.Task task) {
            TaskEvents.failed(visit, task, failure);
        }
        settle(visit, failure, isBranchFailure);
    }

    private void settle(Visit visit, Failure failure, boolean isBranchFailure) {
        String error = failure.error();
        ErrorRules rules = switch (visit.state) {
            case State.Task task -> task.errors();
            case State.Parallel parallel -> parallel.errors();
            case State.Map map -> map.errors();
            default -> null;
        };
        if (StatesError.DATA_LIMIT_EXCEEDED.equals(error)) {
            visit.left = null; // AWS: then a redrive does all of it again
        }
        if (rules != null && retry(visit, rules.retriers(), error, isBranchFailure)) {
            return;
        }
        long before = visit.scope.lastEvent();
        if (visit.hasRun) {
            visit.scope.event("MapRunFailed", () -> History.failure(error, failure.cause()));
        }
        tellFailed(visit, error);
        if (rules == null || !catches(visit, rules.catchers(), failure, isBranchFailure, before)) {
            failScope(visit.scope, new Failure(ErrorRules.reported(error), failure.cause()));
        }
    }

    /** Of an expression. */
    private static void tellEvaluation(Visit visit, Failure failure) {
        if (StatesError.QUERY_EVALUATION_ERROR.equals(failure.error())) {
            visit.scope.event("EvaluationFailed", () ->
                    History.evaluation(failure.error(), failure.cause()).put("state", visit.state.name()));
        }
    }

    /** A Parallel or Map fails; one that ends the whole execution with it has no event. */
    private static void tellFailed(Visit visit, String error) {
        if ((visit.state instanceof State.Parallel || visit.state instanceof State.Map) && !StatesError.RUNTIME.equals(error)) {
            visit.scope.event(History.typeOf(visit.state) + "StateFailed");
        }
    }

    private boolean retry(Visit visit, List<Retrier> retriers, String error, boolean isBranchFailure) {
        for (int i = 0; i < retriers.size(); i++) {
            Retrier retrier = retriers.get(i);
            if (!ErrorRules.matches(retrier.errors(), error, isBranchFailure)) {
                continue;
            }
            if (visit.retriesBy(i) >= retrier.maxAttempts()) {
                return false;
            }
            long delayMs = retrier.delayMs(visit.countRetry(i, retriers));
            if (retrier.hasFullJitter()) {
                delayMs = Chance.upTo(delayMs, visit.draw());
            }
            visit.join = null;
            visit.left = null;
            visit.hasRun = false;
            String step = visit.attemptStep() + ">retry";
            agenda.open(visit, new Agenda.Open.Retry(visit), new Command.StartTimer(step, delayMs), step);
            return true;
        }
        return false;
    }

    private boolean catches(Visit visit, List<Catcher> catchers, Failure failure, boolean isBranchFailure, long before) {
        String error = failure.error();
        for (Catcher catcher : catchers) {
            if (!ErrorRules.matches(catcher.errors(), error, isBranchFailure)) {
                continue;
            }
            String name = error == null ? null : ErrorRules.reported(error);
            // What nobody said is null, but for a time-out, which is told with an empty cause.
            ObjectNode output = Json.NODES.objectNode().put("Error", name)
                    .put("Cause", failure.cause() == null && StatesError.TIMEOUT.equals(name) ? "" : failure.cause());
            visit.join = null;
            visit.left = null;
            visit.scope.info.budget().renew();
            try {
                Document caught = Document.made(output);
                Document next = flow.caught(visit, catcher, caught);
                flow.assign(visit, catcher.assign(), null, caught);
                leave(visit, next, catcher.next());
            } catch (StatesError e) {
                Failure again = failure(visit, e);
                visit.scope.follows(before);
                tellEvaluation(visit, again);
                tellFailed(visit, again.error());
                failScope(visit.scope, again);
            }
            return true;
        }
        return false;
    }

    void failScope(Scope scope, Failure failure) {
        if (scope.join == null) {
            listener.onFailed(failure.error(), failure.cause()); // it stays open: the execution may be redriven
            return;
        }
        Join join = scope.join;
        scope.suspend();
        if (join.run == null) {
            if (StatesError.RUNTIME.equals(failure.error())) {
                join.visit.scope.follows(scope); // what ends the whole execution is told once
            } else {
                countIteration(scope, "MapIterationFailed");
                if (scope.current.state instanceof State.Task) {
                    join.visit.scope.aside("TaskStateAborted", null);
                }
                BranchEvents.aborted(join.visit.scope, join);
            }
            agenda.abandon(join);
            fail(join.visit, failure.error(), failure.cause(), true);
        } else {
            scope.event("ExecutionFailed", () -> History.failure(failure.error(), failure.cause()));
            maps.failed(join, scope, failure.error(), failure.cause());
        }
    }

    private static Failure failure(Visit visit, StatesError e) {
        // As on AWS, where in the first case it is the run of the Map that fails.
        if (e.isWhole() || StatesError.ITEM_READER_FAILED.equals(e.error()) || StatesError.REFERENCE_PATH_CONFLICT.equals(e.error())) {
            return new Failure(e.error(), e.getMessage());
        }
        return new Failure(e.error(), "An error occurred while executing the state '" + visit.state.name() + "' (entered at the event id #"
                + visit.enteredEvent + "). " + e.getMessage());
    }
}
