package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import dev.sand.hostagent.process.Residence.Held;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Values by key, as the functions that ended well left them; keys are in the order of UTF-8's bytes. A value may be {@link InImage}
 * alone: which are in memory is {@link Residence}'s.
 */
final class ProcessState {
    /** The order of UTF-8's bytes, which is that of code points, and not that of Java's characters. */
    static final Comparator<String> BY_BYTES = ProcessState::compare;

    private final NavigableMap<String, Held> values = new TreeMap<>(BY_BYTES);
    private final Residence residence = new Residence();
    private long bytes;

    /** Halves of pairs are below some characters, and what they stand for is above all of these. */
    private static int compare(String a, String b) {
        int shared = Math.min(a.length(), b.length());
        for (int i = 0; i < shared; i++) {
            char left = a.charAt(i);
            char right = b.charAt(i);
            if (left != right) {
                boolean isPair = Character.isSurrogate(left);
                return isPair == Character.isSurrogate(right) ? Character.compare(left, right) : isPair ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    /** Reading it is using it. */
    Payload get(String key) {
        Held held = values.get(key);
        if (held == null) {
            return null;
        }
        residence.use(held);
        return held.value;
    }

    /** Null: there is none. */
    Held held(String key) {
        return values.get(key);
    }

    Residence residence() {
        return residence;
    }

    /** @param over what somebody has written over it, by key; @param after null: from the first */
    List<String> keys(NavigableMap<String, StateWrite> over, String after, int limit) {
        Iterator<String> kept = behind(values, after).keySet().iterator();
        Iterator<StateWrite> written = behind(over, after).values().iterator();
        List<String> keys = new ArrayList<>();
        String old = next(kept);
        StateWrite own = next(written);
        while ((old != null || own != null) && keys.size() < limit) {
            int order = old == null ? 1 : own == null ? -1 : compare(old, own.key());
            if (order < 0) {
                keys.add(old);
            } else if (own.value() != null) {
                keys.add(own.key());
            }
            old = order <= 0 ? next(kept) : old;
            own = order >= 0 ? next(written) : own;
        }
        return keys;
    }

    private static <T> NavigableMap<String, T> behind(NavigableMap<String, T> map, String after) {
        return after == null ? map : map.tailMap(after, false);
    }

    private static <T> T next(Iterator<T> left) {
        return left.hasNext() ? left.next() : null;
    }

    /** @return what was there before; null: nothing, or in the image */
    Payload apply(StateWrite write) {
        return put(write.key(), write.value(), false);
    }

    /** As an image has it. */
    void restore(String key, Payload value) {
        put(key, value, true);
    }

    private Payload put(String key, Payload value, boolean imaged) {
        Held before = value == null ? values.remove(key) : values.put(key, residence.hold(key, value, imaged));
        bytes += size(key, value);
        if (before == null) {
            return null;
        }
        bytes -= size(key, before.value);
        residence.drop(before);
        return InImage.is(before.value) ? null : before.value;
    }

    /** An image is written that has these values: those that are here still. */
    void imaged(Map<String, Payload> image) {
        image.forEach((key, value) -> {
            Held held = values.get(key);
            if (held != null && held.value == value) {
                residence.imaged(held);
            }
        });
    }

    /** @param asked as it was in the image; @return false: it is that no more, and the value is not the state's */
    boolean loaded(String key, Payload asked, Payload value) {
        Held held = values.get(key);
        if (held == null || held.value != asked) {
            return false;
        }
        residence.loaded(held, value);
        return true;
    }

    Set<String> cold(long most) {
        return bytes <= most && values.size() <= Residence.MOST_LARGE ? Set.of() : residence.cold(values, most);
    }

    /** How large it would be. @param last by key, what is written to it last; null values: deleted */
    long bytesWith(Map<String, Payload> last) {
        long with = bytes;
        for (Map.Entry<String, Payload> write : last.entrySet()) {
            Held held = values.get(write.getKey());
            with += size(write.getKey(), write.getValue()) - size(write.getKey(), held == null ? null : held.value);
        }
        return with;
    }

    /** What a value counts for, with its key, in all bounds of state; null: nothing. */
    static long size(String key, Payload value) {
        return value == null ? 0 : value.size() + utf8Bytes(key);
    }

    /** Of each half of a pair two; looked at, not encoded, since it is asked for with every write. */
    private static int utf8Bytes(String key) {
        int bytes = key.length();
        for (int i = 0; i < key.length(); i++) {
            char at = key.charAt(i);
            if (at >= 0x80) {
                bytes += at < 0x800 || Character.isSurrogate(at) ? 1 : 2;
            }
        }
        return bytes;
    }

    int keyCount() {
        return values.size();
    }

    /** In the order of their keys. */
    Map<String, Payload> values() {
        Map<String, Payload> all = new LinkedHashMap<>();
        values.forEach((key, held) -> all.put(key, held.value));
        return all;
    }

    long bytes() {
        return bytes;
    }
}
