package dev.sand.event;

/**
 * What somebody outside reports of a workflow's task that waits for its token ({@code .waitForTaskToken}).
 *
 * @param token as the task's input had it
 * @param output of a success, JSON of at most {@link Limits#CALLBACK_BYTES}; else null
 * @param error of a failure, its name; may be null, as {@code cause} may
 */
public record TaskCallback(String token, Kind kind, Payload output, String error, String cause) {
    public enum Kind { SUCCESS, FAILURE, HEARTBEAT }

    public enum Outcome {
        /** It is in the global bus, and counts. */
        TAKEN,
        /** Nobody waits for it (any more): the task was reported on before, timed out or was given up, or its execution has ended. */
        NOT_AWAITED,
        /** No token of this platform. */
        UNKNOWN_TOKEN
    }

    public static TaskCallback success(String token, Payload output) {
        return new TaskCallback(token, Kind.SUCCESS, output, null, null);
    }

    public static TaskCallback failure(String token, String error, String cause) {
        return new TaskCallback(token, Kind.FAILURE, null, error, cause);
    }

    public static TaskCallback heartbeat(String token) {
        return new TaskCallback(token, Kind.HEARTBEAT, null, null, null);
    }
}
