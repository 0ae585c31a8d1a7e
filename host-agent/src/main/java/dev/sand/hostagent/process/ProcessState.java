package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Values by key, as the functions that ended well left them; keys are in the order of UTF-8's bytes. */
final class ProcessState {
    /** The order of UTF-8's bytes, which is that of code points, and not that of Java's characters. */
    private static final Comparator<String> BY_BYTES = (a, b) -> Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());

    private final NavigableMap<String, Payload> values = new TreeMap<>(BY_BYTES);
    private long bytes;

    Payload get(String key) {
        return values.get(key);
    }

    /** @param over what somebody has written over it; @param after null: from the first */
    List<String> keys(List<StateWrite> over, String after, int limit) {
        NavigableMap<String, Payload> seen = values;
        if (!over.isEmpty()) {
            seen = new TreeMap<>(values); // in the same order
            for (StateWrite write : over) {
                if (write.value() == null) {
                    seen.remove(write.key());
                } else {
                    seen.put(write.key(), write.value());
                }
            }
        }
        return (after == null ? seen : seen.tailMap(after, false)).keySet().stream().limit(limit).toList();
    }

    /** @return what was there before; null: nothing */
    Payload apply(StateWrite write) {
        Payload before = write.value() == null ? values.remove(write.key()) : values.put(write.key(), write.value());
        bytes += size(write.key(), write.value()) - size(write.key(), before);
        return before;
    }

    /** How large it would be. @param last by key, what is written to it last; null values: deleted */
    long bytesWith(Map<String, Payload> last) {
        long with = bytes;
        for (Map.Entry<String, Payload> write : last.entrySet()) {
            with += size(write.getKey(), write.getValue()) - size(write.getKey(), values.get(write.getKey()));
        }
        return with;
    }

    private static long size(String key, Payload value) {
        return value == null ? 0 : value.size() + key.length();
    }

    Map<String, Payload> values() {
        return values;
    }

    long bytes() {
        return bytes;
    }
}
