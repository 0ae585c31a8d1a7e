package dev.sand.hostagent.journal;

import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Carried;
import dev.sand.hostagent.process.ProcessChange;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Large values of a {@link ProcessWorld}: each is in the memory of one host, for as long as that lives; journals name copies of them, which
 * are there until what named them is let go.
 */
final class WorldValues {
    private static final char MARK = '|';

    /** By journal id. */
    private final Map<String, Set<String>> copies = new HashMap<>();

    /** Whether a message is large, whoever sends it, and again. */
    static boolean isLarge(String body) {
        return Math.floorMod(body.hashCode(), 3) == 0;
    }

    static Payload in(String memory, String body) {
        return new Payload("application/json", null, new Payload.Reference(memory + MARK + body, body.length()));
    }

    private static boolean isLarge(Payload payload) {
        return payload.reference() != null && payload.reference().object().indexOf(MARK) > 0;
    }

    /** What it says, for who is no host. */
    static String text(Payload payload) {
        String object = isLarge(payload) ? payload.reference().object() : null;
        return object == null ? ProcessWorld.text(payload) : object.substring(object.indexOf(MARK) + 1);
    }

    /** With its bytes, as a host reads it. @throws IllegalStateException it is not in that memory */
    static Payload read(String memory, Payload payload) {
        if (!isLarge(payload)) {
            return payload;
        }
        if (!payload.reference().object().startsWith(memory + MARK)) {
            throw new IllegalStateException(memory + " has no value " + payload.reference().object());
        }
        return ProcessWorld.json(text(payload));
    }

    /** As the journal has it: large values of the change by names, of which there are copies now; what it lets go is gone. */
    Action.Journal journaled(Action.Journal record) {
        if (record.backup() instanceof Action.Backup.Ended) {
            copies.remove(record.executionId());
        }
        if (record.carried() == null) {
            return record;
        }
        ProcessChange change = record.carried().change();
        return new Action.Journal(record.executionId(), record.application(), record.slot(), record.epoch(), record.sequence(), record.backup(),
                record.await(), record.process(), new Carried(change.map(value -> named(change.journalId(), value)), record.carried().then()));
    }

    /** What is a name already stays one, as the journal has no copy to make. */
    private Payload named(String journalId, Payload value) {
        if (!isLarge(value) || value.reference().object().charAt(0) == '@') {
            return value;
        }
        copies.computeIfAbsent(journalId, added -> new HashSet<>()).add(text(value));
        return in(journalId, text(value));
    }

    /** A value that a journal names, in that memory; null: it is gone. */
    Payload brought(String memory, Payload value) {
        if (!isLarge(value)) {
            return value;
        }
        String object = value.reference().object();
        boolean isThere = copies.getOrDefault(object.substring(0, object.indexOf(MARK)), Set.of()).contains(text(value));
        return isThere ? in(memory, text(value)) : null;
    }
}
