package dev.sand.workflow;

import dev.sand.event.Payload;
import java.util.List;

/**
 * One execution as a pure state machine: a signal in, commands out; no clock, thread or randomness inside. The same signals
 * in the same order give the same commands, so that an execution is rebuilt by replaying its journal (DESIGN, decision 5).
 *
 * <p>A {@code step} names one event for as long as the execution lives: the path of the state that made it, with the
 * iteration where there may be several ("Resize", "Fan[1]/Tag", "Tag#2", "Root>publish[0]"). Event ids derive from it.
 */
public interface Execution {
    /** What happened. Signals for steps that are no longer open are ignored. */
    sealed interface Signal {
        /** The first one. */
        record Started(Payload input) implements Signal {}

        /** @param published event messages for other grains, in order (SAND 4.1, dynamic workflows) */
        record TaskSucceeded(String step, Payload output, List<Published> published) implements Signal {}

        record TaskFailed(String step, String error, String cause) implements Signal {}

        record TimerFired(String step) implements Signal {}

        /** Ends everything that is open. */
        record Stopped(String error, String cause) implements Signal {}
    }

    record Published(String grain, Payload payload) {}

    /** What is to be done now. */
    sealed interface Command {
        /**
         * Run a grain. The driver reports TaskSucceeded or TaskFailed exactly once, also when {@code timeoutMs} passes
         * (0: the grain's own limit alone).
         */
        record RunTask(String step, String resource, Payload input, long timeoutMs) implements Command {}

        record StartTimer(String step, long delayMs) implements Command {}

        /** The step's result is no longer wanted: a branch failed, a timer is moot. */
        record Abandon(String step) implements Command {}

        record Succeed(Payload output) implements Command {}

        record Fail(String error, String cause) implements Command {}
    }

    /** Applies a signal. Nothing comes after Succeed or Fail. */
    List<Command> on(Signal signal);

    /** True when the next {@code on} may look into a document or evaluate an expression for long: run it off the shard. */
    boolean isHeavy(Signal signal);

    boolean isEnded();
}
