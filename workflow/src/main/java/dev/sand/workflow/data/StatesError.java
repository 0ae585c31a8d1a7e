package dev.sand.workflow.data;

/**
 * An error inside a state, by the name that Retry and Catch match. Thrown where data is read or made, caught in the one place
 * where the engine decides between retrying, catching and failing; it carries no stack trace, since it is an ordinary outcome.
 */
public final class StatesError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public static final String ALL = "States.ALL";
    public static final String TASK_FAILED = "States.TaskFailed";
    public static final String TIMEOUT = "States.Timeout";
    public static final String HEARTBEAT_TIMEOUT = "States.HeartbeatTimeout";
    public static final String RUNTIME = "States.Runtime";
    public static final String DATA_LIMIT_EXCEEDED = "States.DataLimitExceeded";
    public static final String PARAMETER_PATH_FAILURE = "States.ParameterPathFailure";
    public static final String RESULT_PATH_MATCH_FAILURE = "States.ResultPathMatchFailure";
    public static final String REFERENCE_PATH_CONFLICT = "States.ReferencePathConflict";
    public static final String BRANCH_FAILED = "States.BranchFailed";
    public static final String EXCEED_TOLERATED_FAILURE_THRESHOLD = "States.ExceedToleratedFailureThreshold";
    public static final String ITEM_READER_FAILED = "States.ItemReaderFailed";
    public static final String RESULT_WRITER_FAILED = "States.ResultWriterFailed";
    public static final String INTRINSIC_FAILURE = "States.IntrinsicFailure";

    public static final String QUERY_EVALUATION_ERROR = "States.QueryEvaluationError";

    private final String error;
    private final boolean isWhole;

    public StatesError(String error, String cause) {
        this(error, cause, false);
    }

    private StatesError(String error, String cause, boolean isWhole) {
        super(cause, null, false, false);
        this.error = error;
        this.isWhole = isWhole;
    }

    /** Whose cause is all that is told: it does not say in which state it happened. */
    public static StatesError whole(String error, String cause) {
        return new StatesError(error, cause, true);
    }

    public static StatesError runtime(String cause) {
        return new StatesError(RUNTIME, cause);
    }

    public static StatesError intrinsic(String cause) {
        return new StatesError(INTRINSIC_FAILURE, cause);
    }

    public String error() {
        return error;
    }

    public boolean isWhole() {
        return isWhole;
    }
}
