package dev.sand.workflow;

import dev.sand.event.Errors;
import dev.sand.workflow.Agenda.Open;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;

/** What the signal of an open step does: a task, callback, timer or call about objects ends, and the state that it was for goes on. */
final class StepSignals {
    /** What becomes of the execution. */
    interface Listener {
        /** One of the published events has ended: it may have been the last. */
        void onPublishedEnded();

        /** It fails as a whole. */
        void onFailed(String error, String cause);

        /** Its own TimeoutSeconds has passed. */
        void onDeadline();
    }

    private final Agenda agenda;
    private final StateEntry entry;
    private final StateExit exit;
    private final PublishedEvents published;
    private final Listener listener;

    StepSignals(Agenda agenda, StateEntry entry, StateExit exit, PublishedEvents published, Listener listener) {
        this.agenda = agenda;
        this.entry = entry;
        this.exit = exit;
        this.published = published;
        this.listener = listener;
    }

    /** Nothing with a result is open under the step. */
    boolean isNoTask(String step) {
        return !isTask(agenda.open(step)) && !published.isOpen(step);
    }

    /** A task's signal ends it, or a callback. */
    static boolean isTask(Open what) {
        return what instanceof Open.Task || what instanceof Open.TokenGrain || what instanceof Open.Token
                || what instanceof Open.Objects;
    }

    /** A task, a callback, a call about objects or a published event has its result. */
    void onSucceeded(Signal.TaskSucceeded succeeded) {
        String step = succeeded.step();
        switch (agenda.open(step)) {
            case Open.Task(Visit visit) -> {
                agenda.close(visit);
                if (publishes(succeeded)) {
                    exit.complete(visit, Document.of(succeeded.output()));
                }
            }
            case Open.TokenGrain(TokenWait token) -> {
                if (!token.isOver()) {
                    token.visit.scope.event("TaskSubmitted", () -> TaskEvents.resource(token.visit));
                }
                agenda.close(step);
                publishes(succeeded);
            }
            case Open.Token(TokenWait token) -> {
                agenda.close(token, step, true);
                exit.complete(token.visit, Document.of(succeeded.output()));
            }
            case Open.Objects(Join join, boolean isRead) -> {
                agenda.close(step);
                if (isRead) {
                    entry.maps().onItems(join, Document.of(succeeded.output()));
                } else {
                    exit.maps().onWritten(join);
                }
            }
            case null, default -> {
                PublishedEvents.Refusal refusal = published.succeeded(step, succeeded.output(), succeeded.published(),
                        agenda.commands());
                listener.onPublishedEnded();
                refuse(refusal);
            }
        }
    }

    /** @return whether the execution goes on */
    private boolean publishes(Signal.TaskSucceeded succeeded) {
        return succeeded.published().isEmpty()
                || !refuse(published.publish(succeeded.step(), succeeded.published(), agenda.commands()));
    }

    /** @param refusal null: none */
    private boolean refuse(PublishedEvents.Refusal refusal) {
        if (refusal != null) {
            listener.onFailed(refusal.error(), refusal.cause());
        }
        return refusal != null;
    }

    /** Of a task's time-out the language tells no cause. */
    void onFailed(Signal.TaskFailed failed) {
        boolean timedOut = Errors.TIMEOUT.equals(failed.error());
        String error = timedOut ? StatesError.TIMEOUT : failed.error();
        String cause = timedOut ? null : failed.cause();
        switch (agenda.open(failed.step())) {
            case Open.Task(Visit visit) -> {
                agenda.close(visit);
                if (visit.invocation == Invocation.Kind.EVENT) {
                    exit.complete(visit, Document.of(Json.NODES.nullNode(), 4));
                } else {
                    exit.fail(visit, error, cause, false);
                }
            }
            case Open.TokenGrain(TokenWait token) when token.isOver() -> agenda.close(failed.step());
            case Open.TokenGrain(TokenWait token) when token.visit.invocation == Invocation.Kind.EVENT -> {
                token.visit.scope.event("TaskSubmitted", () -> TaskEvents.resource(token.visit));
                agenda.close(failed.step());
            }
            case Open.TokenGrain(TokenWait token) -> {
                agenda.close(token, failed.step(), false);
                exit.fail(token.visit, error, cause, false);
            }
            case Open.Token(TokenWait token) -> {
                agenda.close(token, failed.step(), true);
                exit.fail(token.visit, failed.error(), failed.cause(), false);
            }
            case Open.Objects(Join join, boolean isRead) -> {
                agenda.close(failed.step());
                if (isRead) {
                    entry.maps().onReadFailed(join, failed.cause());
                } else {
                    exit.maps().onWriteFailed(join, failed.cause());
                }
            }
            case null, default -> listener.onFailed(failed.error(), failed.cause());
        }
    }

    void onTimer(String step, long nowMs) {
        switch (agenda.open(step)) {
            case Open.Waiting(Visit visit) -> {
                agenda.close(visit);
                entry.passOn(visit);
            }
            case Open.TokenTimer(TokenWait token, String error) -> {
                agenda.close(token, step, false);
                exit.fail(token.visit, error, null, false);
            }
            case Open.Retry(Visit visit) -> {
                agenda.close(visit);
                visit.beginAttempt();
                entry.attempt(visit, nowMs);
            }
            case Open.Continue() -> agenda.close(step);
            case Open.Deadline() -> listener.onDeadline();
            case Open.Task _, Open.TokenGrain _, Open.Token _, Open.Objects _ ->
                    throw new IllegalStateException("a task is no timer: " + step);
        }
    }
}
