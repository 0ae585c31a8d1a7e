package dev.sand.hostagent.core;

import dev.sand.hostagent.process.Attempt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends of functions with {@code atomic: true}: they count when the function has ended well. Until then each keeps its room in the
 * receiver's mailbox, so that none is refused afterwards.
 */
final class DeferredSends {
    private record Deferred(MailboxLine to, String source, String sender, ProcessCall.Send send) {}

    private final Processes processes;
    private final Map<Attempt, List<Deferred>> byAttempt = new HashMap<>();

    DeferredSends(Processes processes) {
        this.processes = processes;
    }

    /** @param to has room for it; @param sender the invocation */
    void add(Attempt attempt, MailboxLine to, String source, String sender, ProcessCall.Send send) {
        to.reserve(send.payload().size());
        byAttempt.computeIfAbsent(attempt, added -> new ArrayList<>(2)).add(new Deferred(to, source, sender, send));
    }

    /** The attempt ended well. */
    void send(Attempt attempt) {
        List<Deferred> sends = byAttempt.isEmpty() ? null : byAttempt.remove(attempt);
        if (sends != null) {
            for (Deferred each : sends) {
                each.to.release(each.send.payload().size());
                each.to.deliver(each.source, each.sender, each.send);
            }
        }
    }

    /** It did not, or it has and this does nothing. */
    void drop(Attempt attempt, String application) {
        List<Deferred> sends = byAttempt.isEmpty() ? null : byAttempt.remove(attempt);
        if (sends != null) {
            for (Deferred each : sends) {
                each.to.release(each.send.payload().size());
                processes.free(application, List.of(each.send.payload()));
                each.to.onRoom();
            }
        }
    }
}
