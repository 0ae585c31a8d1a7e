package dev.sand.workflow.asl;

/**
 * What is wrong with a definition, and where.
 *
 * @param pointer JSON Pointer (RFC 6901) to the place; empty for the whole document
 * @param code stable name, for programs
 * @param message one sentence, for people
 */
public record Diagnostic(String pointer, Code code, String message) {
    /** The kinds of mistakes. */
    public enum Code {
        INVALID_JSON, DUPLICATE_KEY, TOO_LARGE, TOO_DEEP,
        MISSING_FIELD, UNKNOWN_FIELD, WRONG_TYPE, WRONG_VALUE, INVALID_PATH, INVALID_EXPRESSION,
        MISSING_TARGET, UNREACHABLE_STATE, NO_TERMINAL_STATE, DUPLICATE_STATE,
        UNKNOWN_GRAIN, UNKNOWN_WORKFLOW, UNKNOWN_QUEUE, NOT_SUPPORTED, WRONG_QUERY_LANGUAGE, VARIABLE_CONFLICT
    }

    @Override
    public String toString() {
        return pointer + ": " + code + ": " + message;
    }
}
