package dev.sand.hostagent.shard;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What shards wanted to let out of this host and was kept here, since the slot is another host's by now, or may be (DESIGN,
 * decision 6): the late effects of a host that was given up while it stood still, for instance. Written by shards, read by any
 * thread.
 */
public final class Withheld {
    /** BACKUP: a record for the journal. RECORD: an invocation's. EVENT: one for another host. RESULT: of another host's event. */
    enum Effect { BACKUP, RECORD, ANSWER, EVENT, RESULT }

    private final AtomicLongArray counts = new AtomicLongArray(Effect.values().length);

    void count(Effect effect) {
        counts.incrementAndGet(effect.ordinal());
    }

    /** By effect, in small letters. */
    public Map<String, Long> read() {
        Map<String, Long> read = new TreeMap<>();
        for (Effect effect : Effect.values()) {
            read.put(effect.name().toLowerCase(Locale.ROOT), counts.get(effect.ordinal()));
        }
        return read;
    }
}
