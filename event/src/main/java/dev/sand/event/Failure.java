package dev.sand.event;

import java.util.HashMap;
import java.util.Map;

/**
 * Why something did not work, as it reaches whoever asked: the HTTP layer turns it into RFC 9457 problem+json, a workflow
 * matches {@code error} in Retry and Catch.
 *
 * @param error stable name: {@code Sand.*} for the platform's, an exception's class name for a grain's
 * @param cause one sentence: what failed, which id, what to do
 * @param source who failed
 * @param retryable whether the same request may work later
 * @param stackTrace of a grain's exception, or null
 * @param details limits and actual values by name, for example {@code limit} and {@code actual}
 */
public record Failure(
        String error, String cause, Source source, boolean retryable, String stackTrace, Map<String, Object> details) {

    /** In the details: nobody knows how it ended, so its Idempotency-Key still stands for it. */
    public static final String MAY_HAVE_RUN = "mayHaveRun";

    /** Who failed: the platform, the user's code, or the caller (bad input). */
    public enum Source { PLATFORM, GRAIN, CALLER }

    public static Failure platform(String error, String cause, boolean retryable) {
        return new Failure(error, cause, Source.PLATFORM, retryable, null, Map.of());
    }

    /** The platform does not know whether it ran, or will. */
    public static Failure mayHaveRun(String error, String cause) {
        return new Failure(error, cause + "; it may have run", Source.PLATFORM, true, null, Map.of(MAY_HAVE_RUN, true));
    }

    /** The same, of what may have run before, or may run yet. */
    public Failure mayHaveRun() {
        Map<String, Object> more = details == null ? new HashMap<>() : new HashMap<>(details);
        return more.put(MAY_HAVE_RUN, true) != null ? this
                : new Failure(error, cause + "; it may have run", source, true, stackTrace, Map.copyOf(more));
    }

    public static Failure grain(String error, String cause, String stackTrace) {
        return new Failure(error, cause, Source.GRAIN, false, stackTrace, Map.of());
    }

    public static Failure caller(String error, String cause) {
        return new Failure(error, cause, Source.CALLER, false, null, Map.of());
    }

    public static Failure limit(String error, String cause, Source source, long limit, long actual) {
        return new Failure(error, cause, source, false, null, Map.of("limit", limit, "actual", actual));
    }
}
