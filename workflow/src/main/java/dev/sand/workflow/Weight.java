package dev.sand.workflow;

import dev.sand.event.Redrive;
import dev.sand.workflow.Agenda.Open;
import dev.sand.workflow.Agenda.Ready;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** How much an execution may look into, or put together, because of a signal: what is heavy runs off the shard. */
final class Weight {
    private final StateMachine machine;
    private final Agenda agenda;
    private final LongSupplier variableBytes;
    private final ToLongFunction<Redrive> redrivenBytes;

    /**
     * @param variableBytes of all variables of the execution: any state may look into any of them
     * @param redrivenBytes of the input of the state that a redrive goes on with
     */
    Weight(StateMachine machine, Agenda agenda, LongSupplier variableBytes, ToLongFunction<Redrive> redrivenBytes) {
        this.machine = machine;
        this.agenda = agenda;
        this.variableBytes = variableBytes;
        this.redrivenBytes = redrivenBytes;
    }

    boolean isHeavy(Signal signal) {
        long bytes = switch (signal) {
            case Signal.Started started -> started.input().size();
            case Signal.TaskSucceeded succeeded -> succeeded.output().size() + of(agenda.open(succeeded.step()));
            case Signal.TaskFailed failed -> of(agenda.open(failed.step()));
            case Signal.TimerFired fired -> of(agenda.open(fired.step()));
            case Signal.Heartbeat beat -> 0;
            case Signal.Stopped stopped -> 0;
            case Signal.Redriven redriven -> redrivenBytes.applyAsLong(redriven.redrive());
        };
        return isHeavy(bytes) || agenda.ready.stream().limit(WorkflowLimits.TRANSITIONS_AT_ONCE).anyMatch(this::isHeavy);
    }

    /** Whether the next part of the queue may be long. */
    boolean isHeavy(Ready next) {
        return isHeavy(switch (next) {
            case Ready.Enter(Scope scope, String state, Document input) -> input.sizeHint();
            case Ready.StartItem(Join join) -> MapEntry.bytesOfStart(join);
            case Ready.GoOn(Scope scope) -> scope.following != null ? scope.following.input().sizeHint()
                    : scope.current.input.sizeHint() + (scope.current.left == null ? 0 : scope.current.left.weight());
            case Ready.Exceeded(Join join) -> Integer.MAX_VALUE; // a thousand records
        });
    }

    private boolean isHeavy(long bytes) {
        return machine.isLarge() || machine.hasQueries()
                || (machine.looksInside() ? (bytes + variableBytes.getAsLong()) * machine.copies() > WorkflowLimits.LIGHT_BYTES
                        : bytes > WorkflowLimits.LIGHT_JOIN_BYTES);
    }

    /** Bytes that may be looked into, or joined, when what is open ends. */
    private static long of(Open what) {
        Visit visit = switch (what) {
            case Open.Task(Visit of) -> of;
            case Open.TokenGrain(TokenWait token) -> token.visit;
            case Open.Token(TokenWait token) -> token.visit;
            case Open.TokenTimer(TokenWait token, String error) -> token.visit;
            case Open.Waiting(Visit of) -> of;
            case Open.Retry(Visit of) -> of;
            case Open.Objects(Join join, boolean isRead) -> join.visit;
            case Open.Continue() -> null;
            case Open.Deadline() -> null;
            case null -> null;
        };
        long bytes = 0;
        if (visit != null) {
            bytes = visit.input.sizeHint();
            for (Join join = visit.scope.join; join != null && join.missing() == 1; join = join.visit.scope.join) {
                bytes += join.weight() + join.visit.input.sizeHint();
            }
        }
        return bytes;
    }
}
