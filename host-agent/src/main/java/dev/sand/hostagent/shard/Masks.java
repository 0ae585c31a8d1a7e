package dev.sand.hostagent.shard;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What must not leave a sandbox in its output and its errors: values of secrets, of late as well as now, each as it is, line by
 * line, and in base 64. They are looked for on the shard: how many there are has a bound, and so has what they are looked for in.
 */
final class Masks {
    static final Masks NONE = new Masks(Map.of());
    private static final String MASK = "***";
    private static final int SHORTEST_PART = 8;
    /** Of values that are in force no more. The oldest are forgotten: nothing runs for so long that many changes later it has them. */
    private static final int MOST_EARLIER = 1000;
    /** Characters of those: as much as an application may have of stored ones. */
    private static final int EARLIER_CHARS = 256 * 1024;
    /** Of all values, those in force first. */
    private static final int MOST_LINES = 4096;

    /** @param whole as it is and in base 64; @param lines of a value that has several */
    private record Forms(List<String> whole, List<String> lines) {
        static Forms of(String value) {
            if (value.length() < SHORTEST_PART) {
                return new Forms(List.of(value), List.of());
            }
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            return new Forms(Stream.concat(Stream.of(value), Stream.of(Base64.getEncoder(), Base64.getUrlEncoder())
                    .map(each -> each.withoutPadding().encodeToString(bytes))).toList(),
                    value.lines().map(String::strip).filter(line -> line.length() >= SHORTEST_PART && !line.equals(value))
                            .limit(MOST_LINES).toList());
        }
    }

    /** The newest first. */
    private final Map<String, Forms> values;
    private final List<String> texts;

    private Masks(Map<String, Forms> values) {
        this.values = values;
        // The longer ones first: one may be a part of another.
        this.texts = Stream.concat(values.values().stream().flatMap(each -> each.whole.stream()),
                        values.values().stream().flatMap(each -> each.lines.stream()).limit(MOST_LINES))
                .distinct().sorted(Comparator.comparingInt(String::length).reversed()).toList();
    }

    Masks with(Collection<String> now) {
        Map<String, Forms> all = new LinkedHashMap<>();
        for (String value : now) {
            if (!value.isEmpty()) {
                all.put(value, values.containsKey(value) ? values.get(value) : Forms.of(value));
            }
        }
        int most = all.size() + MOST_EARLIER;
        int chars = EARLIER_CHARS;
        for (Map.Entry<String, Forms> earlier : values.entrySet()) {
            if (all.containsKey(earlier.getKey())) {
                continue;
            }
            chars -= earlier.getKey().length();
            if (chars < 0 || all.size() == most) {
                break;
            }
            all.put(earlier.getKey(), earlier.getValue());
        }
        return new Masks(all);
    }

    List<String> texts() {
        return texts;
    }

    /** @param text or null; @param most characters of it that are wanted: what begins there and goes on behind them is masked too */
    String masked(String text, int most) {
        if (text == null || texts.isEmpty()) {
            return text == null || text.length() <= most ? text : text.substring(0, most);
        }
        int length = Math.min(text.length(), most);
        BitSet covered = new BitSet(length);
        for (String each : texts) {
            int end = (int) Math.min(text.length(), (long) length + each.length() - 1);
            for (int at = text.indexOf(each, 0, end); at >= 0; at = text.indexOf(each, at + each.length(), end)) {
                covered.set(at, at + each.length());
            }
        }
        StringBuilder masked = new StringBuilder(length);
        for (int at = 0; at < length;) {
            int secret = covered.nextSetBit(at);
            int clear = secret < 0 || secret > length ? length : secret;
            masked.append(text, at, clear);
            at = clear;
            if (clear < length) {
                masked.append(MASK);
                at = covered.nextClearBit(clear);
            }
        }
        return masked.toString();
    }
}
