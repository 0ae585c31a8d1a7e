package dev.sand.workflow;

import dev.sand.event.InvocationResult.Status;

/** How an execution has ended. */
enum Ended {
    SUCCEEDED("ExecutionSucceeded"),
    FAILED("ExecutionFailed"),
    STOPPED("ExecutionAborted"),
    TIMED_OUT("ExecutionTimedOut"),
    /** By its machine's TimeoutSeconds: as on AWS, that has no cause in the history. */
    OVERDUE("ExecutionTimedOut");

    /** The type of its event in the history. */
    final String event;

    Ended(String event) {
        this.event = event;
    }

    /** @param status of one that is to be redriven */
    static Ended as(Status status) {
        return switch (status) {
            case TIMED_OUT -> TIMED_OUT;
            case CANCELLED -> STOPPED;
            default -> FAILED;
        };
    }
}
