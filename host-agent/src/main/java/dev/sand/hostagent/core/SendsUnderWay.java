package dev.sand.hostagent.core;

import dev.sand.event.Slots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Messages that were delivered and are not in the journal yet, by the execution that sent them, whether a function of it did so while it
 * ran or with its end: that waits for its own, so that none is lost of one that is known to have ended.
 */
final class SendsUnderWay {
    private static final class Of {
        int messages;
        /** Have those written that are held, and of how many messages each is. */
        final Map<Runnable, Integer> hurries = new LinkedHashMap<>(0);
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
        bySender.get(request(sender)).hurries.merge(hurry, 1, Integer::sum);
    }

    /** Somebody else has that message now. */
    void hurriedNoMore(String sender, Runnable hurry) {
        Of of = bySender.get(request(sender));
        if (of != null && hurry != null) {
            of.hurries.computeIfPresent(hurry, (known, count) -> count == 1 ? null : count - 1);
        }
    }

    /** @param hurry as it began with it, or null */
    void done(String sender, Runnable hurry) {
        hurriedNoMore(sender, hurry);
        done(sender);
    }

    /** Whether somebody waits for the sender's: what it sends yet is not to be held. */
    boolean isAwaited(String sender) {
        Of of = bySender.isEmpty() ? null : bySender.get(request(sender));
        return of != null && !of.waiting.isEmpty();
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
        List.copyOf(of.hurries.keySet()).forEach(Runnable::run);
        return true;
    }
}
