package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which values of a process's state are in memory (PraaS 8). One that the last image has can leave and come back:
 *
 * <pre>
 * DIRTY    no image has it                       → RESIDENT  an image is written that has it
 * RESIDENT in memory, and in the last image      → EVICTED   it was not used for longest
 * EVICTED  in the last image alone               → RESIDENT  somebody has read it
 * </pre>
 * What is written anew is DIRTY whatever was there. Used by {@link ProcessState}; pure.
 */
final class Residence {
    /** One value's. */
    static final class Held {
        final String key;
        Payload value;
        private boolean imaged;
        /** It stays: somebody was told where it is, and may not have looked yet. */
        private int pins;
        private long used;

        private Held(String key, Payload value) {
            this.key = key;
            this.value = value;
        }

        private long size() {
            return ProcessState.size(key, value);
        }

        private boolean isEvicted() {
            return InImage.is(value);
        }

        private boolean isLarge() {
            return value.reference() != null && !isEvicted();
        }
    }

    /** Of values in shared memory: each costs the host a descriptor, of which an application has so many. */
    static final int MOST_LARGE = 2_000;

    /** That may leave, by when they were used. */
    private final TreeMap<Long, Held> evictable = new TreeMap<>();
    private final Set<Held> dirty = new HashSet<>();
    private long uses;
    private long bytes;
    private int large;

    /** Of all that are in memory. */
    long bytes() {
        return bytes;
    }

    /** Whether more is in memory than may be. */
    boolean isOver(long most) {
        return bytes > most || large > MOST_LARGE;
    }

    private void count(Held held, int sign) {
        bytes += held.isEvicted() ? 0 : sign * held.size();
        large += held.isLarge() ? sign : 0;
    }

    /** Whether an image would let some leave that cannot now. */
    boolean hasDirty() {
        return !dirty.isEmpty();
    }

    /** @param imaged the last image has it: it may be nowhere else */
    Held hold(String key, Payload value, boolean imaged) {
        Held held = new Held(key, value);
        held.imaged = imaged;
        held.used = ++uses;
        if (!imaged) {
            dirty.add(held);
        }
        count(held, 1);
        settle(held);
        return held;
    }

    /** The state has it no more. */
    void drop(Held held) {
        evictable.remove(held.used);
        dirty.remove(held);
        count(held, -1);
        held.pins = Integer.MAX_VALUE; // it is not to come back
    }

    void use(Held held) {
        evictable.remove(held.used);
        held.used = ++uses;
        settle(held);
    }

    void pin(Held held) {
        held.pins++;
        evictable.remove(held.used);
    }

    void unpin(Held held) {
        held.pins--;
        settle(held);
    }

    private void settle(Held held) {
        if (held.imaged && held.pins == 0 && !held.isEvicted()) {
            evictable.put(held.used, held);
        }
    }

    /** An image is written that has it. */
    void imaged(Held held) {
        if (dirty.remove(held)) {
            held.imaged = true;
            settle(held);
        }
    }

    /** It is in memory again. */
    void loaded(Held held, Payload value) {
        held.value = value;
        count(held, 1);
        use(held);
    }

    /** Lets values leave, those first that were not used for longest. @return what they were */
    List<Payload> evict(long most) {
        List<Payload> left = new ArrayList<>(0);
        Iterator<Held> oldest = evictable.values().iterator();
        while (isOver(most) && oldest.hasNext()) {
            Held held = oldest.next();
            if (bytes > most || held.isLarge()) {
                oldest.remove();
                count(held, -1);
                left.add(held.value);
                held.value = InImage.of(held.value);
            }
        }
        return left;
    }

    /** Those that are to stay in the image when the process comes back from it: as if all that are in memory could leave. */
    Set<String> cold(Map<String, Held> all, long most) {
        Set<String> cold = new HashSet<>();
        TreeMap<Long, Held> here = new TreeMap<>();
        all.values().forEach(held -> {
            if (held.isEvicted()) {
                cold.add(held.key);
            } else {
                here.put(held.used, held);
            }
        });
        long left = bytes;
        int leftLarge = large;
        for (Held held : here.values()) {
            if (left > most || leftLarge > MOST_LARGE && held.isLarge()) {
                left -= held.size();
                leftLarge -= held.isLarge() ? 1 : 0;
                cold.add(held.key);
            }
        }
        return cold;
    }
}
