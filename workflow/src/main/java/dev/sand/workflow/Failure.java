package dev.sand.workflow;

import dev.sand.event.Limits;
import dev.sand.workflow.data.WorkflowLimits;

/**
 * What a state, or the scope that it is in, fails with. Error and cause are bounded here, once, so that all who are told of it, histories,
 * catchers and callers, are told the same.
 *
 * @param error, cause or null
 */
record Failure(String error, String cause) {
    Failure {
        error = cut(error, WorkflowLimits.ERROR_CHARS);
        cause = cut(cause, Limits.CAUSE_BYTES);
    }

    /** Of what was cut, itself. */
    private static String cut(String text, int most) {
        return text == null || text.length() <= most || text.codePointCount(0, text.length()) <= most ? text
                : text.substring(0, text.offsetByCodePoints(0, most)) + "…";
    }
}
