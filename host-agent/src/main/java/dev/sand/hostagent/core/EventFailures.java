package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import java.util.ArrayDeque;

/** The failures of an execution's events in full: a state machine hands on no more than error and cause, and of a task's time-out no cause. */
final class EventFailures {
    private static final int KEPT = 16;
    /** As a workflow calls it. */
    private static final String STATES_TIMEOUT = "States.Timeout";

    private ArrayDeque<Failure> last;

    void add(Failure failure) {
        if (last == null) {
            last = new ArrayDeque<>(2);
        } else if (last.size() == KEPT) {
            last.removeLast();
        }
        last.addFirst(failure);
    }

    /** @param error and cause as the state machine gave them; a Fail state need not say what failed */
    Failure find(String error, String cause) {
        if (last != null) {
            for (Failure known : last) {
                if (known.error().equals(error) && known.cause().equals(cause)) {
                    return known;
                }
                if (cause == null && STATES_TIMEOUT.equals(error) && Errors.TIMEOUT.equals(known.error())) {
                    return Failure.grain(error, known.cause(), null);
                }
            }
        }
        String name = error == null ? "States.Fail" : error;
        String words = cause == null ? "the workflow gave no cause" : cause;
        return name.startsWith("Sand.") ? Failure.platform(name, words, false) : Failure.grain(name, words, null);
    }

    /** A task's time-out that no state caught fails its workflow under the language's own name. */
    static Failure asWorkflows(Failure failure) {
        return !Errors.TIMEOUT.equals(failure.error()) ? failure
                : new Failure(STATES_TIMEOUT, failure.cause(), failure.source(), failure.retryable(), failure.stackTrace(),
                        failure.details());
    }
}
