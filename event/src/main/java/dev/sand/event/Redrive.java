package dev.sand.event;

/**
 * That an execution which ended without success runs on from the state that failed, or from another one that it has entered.
 *
 * @param count which redrive of the execution it is, from 1
 * @param endedAs FAILED, TIMED_OUT or CANCELLED
 * @param error what it had ended with, and {@code cause}; either may be null
 * @param endedMs wall clock when it had
 * @param atMs wall clock of the redrive
 * @param from the state of the workflow, of no branch or iteration, that it enters again as when it last entered it; null: the one that
 *             failed, of a Parallel or Map what had not succeeded
 */
public record Redrive(int count, InvocationResult.Status endedAs, String error, String cause, long endedMs, long atMs, String from) {
    public Redrive(int count, InvocationResult.Status endedAs, String error, String cause, long endedMs, long atMs) {
        this(count, endedAs, error, cause, endedMs, atMs, null);
    }
}
