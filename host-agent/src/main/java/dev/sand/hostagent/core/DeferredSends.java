package dev.sand.hostagent.core;

import dev.sand.hostagent.process.Attempt;
import dev.sand.hostagent.process.Change.Outgoing;
import dev.sand.hostagent.process.RecordBytes;
import dev.sand.localbus.GrainQueue.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends of functions with {@code atomic: true}: they count when the function has ended well, with the record of that. Until then each
 * keeps its room in the receiver's mailbox, so that none is refused afterwards.
 */
final class DeferredSends {
    /** @param to has room for it; null: it is another host's */
    record Deferred(MailboxLine to, Outgoing outgoing) {}

    private static final class Of {
        final List<Deferred> sends = new ArrayList<>(2);
        long recordBytes;
    }

    private final Processes processes;
    private final Map<Attempt, Of> byAttempt = new HashMap<>();

    DeferredSends(Processes processes) {
        this.processes = processes;
    }

    /** @param to has room for it; null: it is another host's, where it waits for room when it counts */
    void add(Attempt attempt, MailboxLine to, Outgoing message) {
        if (to != null) {
            to.reserve(message.payload().size());
        }
        Of of = byAttempt.computeIfAbsent(attempt, added -> new Of());
        of.sends.add(new Deferred(to, message));
        of.recordBytes += RecordBytes.ofSend(message.destination(), message.key(), message.payload());
    }

    /** Why the record of the attempt's end would be too large with one more; null: it would not. */
    Refusal refusal(Attempt attempt, ProcessCall.Send more) {
        Of of = byAttempt.get(attempt);
        return RecordBytes.refusal((of == null ? 0 : of.recordBytes) + RecordBytes.ofSend(more.destination(), more.key(), more.payload()));
    }

    /** Those of an attempt that ends, in their order. */
    List<Deferred> take(Attempt attempt) {
        Of of = byAttempt.isEmpty() ? null : byAttempt.remove(attempt);
        return of == null ? List.of() : of.sends;
    }

    /** The attempt ended well, and that is durable. @param executionId whose end waits for them to be so too */
    void deliver(String application, String executionId, List<Deferred> sends) {
        for (Deferred each : sends) {
            Outgoing message = each.outgoing;
            boolean here = each.to != null && !each.to.isGone();
            if (here) {
                each.to.release(message.payload().size());
            }
            if (here && !each.to.holdsBack(message) && !processes.late().isBusy(application, message.source(), message.destination())) {
                each.to.deliver(message, executionId, MailboxLine.By.KEEPER);
                processes.late().settles(application, message, executionId);
            } else {
                // A process that lives elsewhere, or whose owner has changed since, may be one that is made anew there.
                boolean made = each.to != null && each.to.isMade();
                processes.sends().begin(executionId);
                processes.late().send(application, message, executionId, made);
            }
        }
    }

    /** As the journal of an earlier owner has them, which may have delivered some: their receivers know. */
    void deliverAgain(String application, String executionId, List<Outgoing> messages) {
        for (Outgoing each : messages) {
            processes.sends().begin(executionId);
            processes.late().sendRead(application, each, executionId);
        }
    }

    /** It did not. */
    void drop(List<Deferred> sends, String application) {
        for (Deferred each : sends) {
            processes.free(application, List.of(each.outgoing.payload()));
            if (each.to != null) {
                each.to.release(each.outgoing.payload().size());
                each.to.onRoom();
            }
        }
    }
}
