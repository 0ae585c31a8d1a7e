package dev.sand.hostagent.core;

import dev.sand.event.Payload;
import dev.sand.event.QueuedEvents.Look;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Who waits in a grain's queue, of each version that is here the first: what the owner thread tells of them in so many steps as were
 * asked for, without a look at their inputs.
 */
public final class QueueLook {
    private QueueLook() {}

    /** @param queuedMs wall clock; @param input as it lies there, which nobody changes */
    public record Waiting(int version, String executionId, String eventId, long queuedMs, int attempt, Payload input) {}

    /** @return at most one more of each version than was asked for, so that who asks knows whether there are more */
    static List<Waiting> of(CoreContext context, Look look) {
        List<Waiting> found = new ArrayList<>();
        for (Application application : context.applications.values()) {
            Grain grain = application.key().application().equals(look.application()) ? application.grain(look.grain()) : null;
            if (grain == null) {
                continue;
            }
            Iterator<Event> waiting = grain.queue().waiting().iterator();
            for (int left = look.limit() + 1; left > 0 && waiting.hasNext(); left--) {
                Event event = waiting.next();
                found.add(new Waiting(application.key().version(), event.owner.executionId(), event.id,
                        context.epochMs(event.queuedNs), event.attempt, event.payload));
            }
        }
        return found;
    }
}
