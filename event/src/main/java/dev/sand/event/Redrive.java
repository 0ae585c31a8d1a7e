package dev.sand.event;

/**
 * That an execution which ended without success runs on from the state that failed.
 *
 * @param count which redrive of the execution it is, from 1
 * @param endedAs FAILED, TIMED_OUT or CANCELLED
 * @param error what it had ended with, and {@code cause}; either may be null
 * @param endedMs wall clock when it had
 * @param atMs wall clock of the redrive
 */
public record Redrive(int count, InvocationResult.Status endedAs, String error, String cause, long endedMs, long atMs) {}
