package dev.sand.workflow.asl;

import dev.sand.workflow.data.ReferencePath;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.List;

/** A state's Retry and Catch. */
public record ErrorRules(List<Retrier> retriers, List<Catcher> catchers) {
    static final ErrorRules NONE = new ErrorRules(List.of(), List.of());

    /** @param maxDelayMs 0: no limit but the language's */
    public record Retrier(List<String> errors, long intervalMs, int maxAttempts, double backoffRate, long maxDelayMs,
                          boolean hasFullJitter) {
        /** @param retries how often this retrier has retried in this visit of the state */
        public long delayMs(int retries) {
            double delay = intervalMs * Math.pow(backoffRate, retries);
            double most = maxDelayMs > 0 ? maxDelayMs : WorkflowLimits.SECONDS * 1000.0;
            return (long) Math.min(delay, most);
        }
    }

    /**
     * @param resultPath where in the state's input the error goes; null (written so): nowhere
     * @param output what goes on, in JSONata; null: the error
     * @param assign values for variables, or null
     */
    public record Catcher(List<String> errors, ReferencePath resultPath, Template output, Template assign, String next) {}

    /** What an error is called where it is read: a missed heartbeat is a time-out, though a list may name it. */
    public static String reported(String error) {
        return StatesError.HEARTBEAT_TIMEOUT.equals(error) ? StatesError.TIMEOUT : error;
    }

    /**
     * Whether a list in ErrorEquals matches an error, with the wildcards as AWS treats them. States.Runtime fails the execution, also
     * where a list names it.
     */
    public static boolean matches(List<String> errors, String error, boolean isBranchFailure) {
        if (StatesError.RUNTIME.equals(error)) {
            return isBranchFailure && errors.contains(StatesError.BRANCH_FAILED);
        }
        for (String name : errors) {
            if (name.equals(error)) {
                return true;
            }
            switch (name) {
                case StatesError.ALL -> {
                    return true;
                }
                case StatesError.TASK_FAILED -> {
                    if (!StatesError.TIMEOUT.equals(error) && !StatesError.HEARTBEAT_TIMEOUT.equals(error)) {
                        return true;
                    }
                }
                case StatesError.TIMEOUT -> {
                    if (StatesError.HEARTBEAT_TIMEOUT.equals(error)) {
                        return true;
                    }
                }
                case StatesError.RESULT_PATH_MATCH_FAILURE -> {
                    if (StatesError.REFERENCE_PATH_CONFLICT.equals(error)) {
                        return true;
                    }
                }
                case StatesError.BRANCH_FAILED -> {
                    if (isBranchFailure) {
                        return true;
                    }
                }
                default -> { }
            }
        }
        return false;
    }
}
