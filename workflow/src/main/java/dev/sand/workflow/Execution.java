package dev.sand.workflow;

import dev.sand.event.Payload;
import dev.sand.event.Redrive;
import dev.sand.workflow.asl.Service.Mode;
import dev.sand.workflow.objects.ItemReading;
import dev.sand.workflow.objects.ObjectCall;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * One execution as a pure state machine: a signal in, commands out; no clock, thread or randomness inside. The same signals
 * in the same order give the same commands, so that an execution is rebuilt by replaying its journal (DESIGN, decision 5).
 *
 * <p>A {@code step} names one event for as long as the execution lives: the path of the state that made it, with the
 * iteration where there may be several ("Resize", "Fan[1]/Tag", "Tag#2", "Root>publish[0]"). Event ids derive from it.
 */
public interface Execution {
    /**
     * What happened. Signals for steps that are no longer open are ignored.
     *
     * <p>{@code atMs} is the wall clock (epoch milliseconds) when the driver met the signal, journaled with it, so that a replay
     * sees the same time; 0 when it is not known: time then stands where it stood. Waiting until a timestamp, and the times in
     * the context object, are reckoned from it.
     */
    sealed interface Signal {
        long atMs();

        /** The first one. */
        record Started(Payload input, long atMs) implements Signal {
            public Started(Payload input) {
                this(input, 0);
            }
        }

        /** @param published event messages for other grains, in order (SAND 4.1, dynamic workflows) */
        record TaskSucceeded(String step, Payload output, List<Published> published, long atMs) implements Signal {
            public TaskSucceeded(String step, Payload output, List<Published> published) {
                this(step, output, published, 0);
            }
        }

        record TaskFailed(String step, String error, String cause, long atMs) implements Signal {
            public TaskFailed(String step, String error, String cause) {
                this(step, error, cause, 0);
            }
        }

        record TimerFired(String step, long atMs) implements Signal {
            public TimerFired(String step) {
                this(step, 0);
            }
        }

        /** Whoever is to call back for the step is still at it: its heartbeat time begins anew. */
        record Heartbeat(String step, long atMs) implements Signal {}

        /** Ends everything that is open. */
        record Stopped(String error, String cause, long atMs) implements Signal {
            public Stopped(String error, String cause) {
                this(error, cause, 0);
            }
        }

        /**
         * It had ended without success, and runs on from the state that it was in, whose attempts begin anew; what came before
         * stands; or from another state that it has entered, see {@link Execution#expect}. A driver that ended it otherwise than by a
         * signal says with this one how it had.
         */
        record Redriven(Redrive redrive) implements Signal {
            @Override
            public long atMs() {
                return redrive.atMs();
            }
        }
    }

    record Published(String grain, Payload payload) {}

    /** What is to be done now. */
    sealed interface Command {
        /**
         * Run a grain. The driver reports TaskSucceeded or TaskFailed exactly once, also when {@code timeoutMs} passes
         * (0: the grain's own limit alone).
         */
        record RunTask(String step, String resource, Payload input, long timeoutMs) implements Command {}

        /**
         * Run another workflow of the application, as an execution of its own whose id follows from this one's and the step.
         * The driver reports TaskSucceeded with what {@link NestedResults} makes of it, or TaskFailed, once, as for RunTask.
         *
         * @param name under which this call is made once, or null
         */
        record StartWorkflow(String step, Mode mode, String workflow, String name, Payload input, long timeoutMs) implements Command {}

        /**
         * Send a message to a queue of the application, once, however often it is tried. The driver reports
         * TaskSucceeded with MessageId and MD5OfMessageBody, or TaskFailed, once.
         *
         * @param message what its id follows from: the same in each attempt, so that one which nobody confirmed and which is sent
         *     again by the task's Retry is there once. Of a task that waits for its token each attempt has its own
         * @param group or null
         */
        record SendMessage(String step, String message, String queue, String group, Payload body, long timeoutMs) implements Command {}

        /** Report TimerFired after that long; 0: as soon as other work had its turn. */
        record StartTimer(String step, long delayMs) implements Command {}

        /**
         * Somebody outside has a token for the step (see {@link TaskTokens}): report what comes of it as TaskSucceeded or
         * TaskFailed, once, and Heartbeat before that. Nothing is to be done until then.
         */
        record AwaitCallback(String step) implements Command {}

        /**
         * Do something with the application's objects (see {@link ItemReading#perform}), off the shard, and report TaskSucceeded with
         * what it gave, or TaskFailed with the cause. It is good to do it again, as long as nothing was reported.
         */
        record CallObjects(String step, ObjectCall call) implements Command {}

        /** The step's result is no longer wanted: a branch failed, a timer is moot. */
        record Abandon(String step) implements Command {}

        record Succeed(Payload output) implements Command {}

        /** Both may be null: a workflow's Fail state that names neither. */
        record Fail(String error, String cause) implements Command {}
    }

    /**
     * Before the first signal, of an execution that is replayed: what will be given. Of states that redrives among them begin from, and
     * of no others, what they have is kept.
     */
    default void expect(Collection<Signal> coming) {}

    /** Applies a signal. Nothing comes after Succeed, and nothing but Redriven after Fail. */
    List<Command> on(Signal signal);

    /**
     * Applies a signal that {@link #isHeavy} told of.
     *
     * @param isCancelled asked while expressions are evaluated: once it is true, this throws, and the execution is good for nothing
     */
    default List<Command> on(Signal signal, BooleanSupplier isCancelled) {
        return on(signal);
    }

    /** True when the next {@code on} may look into a document or evaluate an expression for long: run it off the shard. */
    boolean isHeavy(Signal signal);

    boolean isEnded();

    /** Whether it ended because the workflow's own TimeoutSeconds passed. */
    default boolean isTimedOut() {
        return false;
    }
}
