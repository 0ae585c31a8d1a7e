package dev.sand.hostagent.core;

import dev.sand.event.Slots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Messages that were delivered and are not in the journal yet, by who sent them: a function's end waits for its own, so that none is
 * lost of one that is known to have ended.
 */
final class SendsUnderWay {
    private static final class Of {
        int messages;
        final List<Runnable> waiting = new ArrayList<>(0);
    }

    private final Map<String, Of> bySender = new HashMap<>();

    void begin(String sender) {
        bySender.computeIfAbsent(Slots.request(sender), added -> new Of()).messages++;
    }

    void done(String sender) {
        String request = Slots.request(sender);
        Of of = bySender.get(request);
        if (--of.messages == 0) {
            bySender.remove(request);
            of.waiting.forEach(Runnable::run);
        }
    }

    /** Does the step when all of the sender's are durable. @return false: they are, and it is done by whoever asks */
    boolean delays(String sender, Runnable step) {
        Of of = bySender.isEmpty() ? null : bySender.get(Slots.request(sender));
        return of != null && of.waiting.add(step);
    }
}
