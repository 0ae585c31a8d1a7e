package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Published;
import java.util.List;

/** Whose an event is, as its grain sees it: an execution here, or another host's that sent the event here to be run. */
interface EventOwner {
    String executionId();

    String traceparent();

    /** Until when everything of it must have ended. */
    long deadlineNs();

    /** The cloud process that its events run in, or null. */
    default String process() {
        return null;
    }

    /** Where the event's attempts are noted. */
    AttemptLog attemptLog();

    void onEventSucceeded(Event event, Payload output, List<Published> published);

    void onEventFailed(Event event, Failure failure);

    /**
     * Its attempt was lost with its worker or sandbox.
     *
     * @return whether the next attempt is to be run here; if not, the owner has ended the event
     */
    boolean onEventLost(Event event, String cause);

    /**
     * Its attempt never reached its handler: the instance was gone. Nothing of it ran, so it need not count as a run.
     *
     * @return as {@link #onEventLost}
     */
    default boolean onEventUnseen(Event event, String cause) {
        return onEventLost(event, cause);
    }
}
