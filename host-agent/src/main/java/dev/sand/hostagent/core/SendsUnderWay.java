package dev.sand.hostagent.core;

import dev.sand.event.Slots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Messages that were delivered and are not in the journal yet, by the execution that sent them, whether a function of it did so while it
 * ran or with its end: that waits for its own, so that none is lost of one that is known to have ended.
 */
final class SendsUnderWay {
    private static final class Of {
        int messages;
        /** Have those written that are held. */
        final Set<Runnable> hurries = new LinkedHashSet<>(0);
        final List<Runnable> waiting = new ArrayList<>(0);
    }

    private final Map<String, Of> bySender = new HashMap<>();

    /** @param sender an execution, or an event of it */
    private static String request(String sender) {
        int slash = sender.indexOf('/');
        return Slots.request(slash < 0 ? sender : sender.substring(0, slash));
    }

    void begin(String sender) {
        bySender.computeIfAbsent(request(sender), added -> new Of()).messages++;
    }

    /** The same of one that may be held for a moment. @param hurry has it written at once; always the same for the same mailbox */
    void begin(String sender, Runnable hurry) {
        begin(sender);
        bySender.get(request(sender)).hurries.add(hurry);
    }

    void done(String sender) {
        String request = request(sender);
        Of of = bySender.get(request);
        if (--of.messages == 0) {
            bySender.remove(request);
            of.waiting.forEach(Runnable::run);
        }
    }

    /** Does the step when all of the sender's are durable. @return false: they are, and it is done by whoever asks */
    boolean delays(String sender, Runnable step) {
        Of of = bySender.isEmpty() ? null : bySender.get(request(sender));
        if (of == null) {
            return false;
        }
        of.waiting.add(step);
        List.copyOf(of.hurries).forEach(Runnable::run);
        return true;
    }
}
