package dev.sand.hostagent.journal;

import dev.sand.hostagent.journal.JournalFigures.Backlog;
import dev.sand.hostagent.journal.JournalQueue.Given;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What of each application is given to the journal and not yet durable: counted from when the journal's thread takes it, a few
 * milliseconds after a shard gave it, so that no shard pays for it. An application without such records has no place here.
 */
final class BacklogByApplication {
    private final Map<String, Backlog> open = new ConcurrentHashMap<>();

    void taken(Given given) {
        open.merge(given.entry().application(), new Backlog(1, given.bytes()), Backlog::plus);
    }

    /** Once for each that was taken. */
    void done(Given given) {
        open.computeIfPresent(given.entry().application(), (name, before) -> before.records() == 1 ? null
                : new Backlog(before.records() - 1, before.bytes() - given.bytes()));
    }

    Map<String, Backlog> read() {
        return new TreeMap<>(open);
    }
}
