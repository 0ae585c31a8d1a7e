package dev.sand.hostagent.mask;

import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What must not leave a sandbox in its output and its errors: values of secrets, of late as well as now, each in the
 * {@link Forms} that the platform and Python themselves give it. Shards look for them in errors, the log collector in each
 * line: how many there are has a bound, and so has what they are looked for in. Immutable.
 */
public final class Masks {
    public static final Masks NONE = new Masks(Map.of());
    private static final String MASK = "***";
    /** A shorter value is masked nowhere: it would be found in whatever anybody writes. */
    private static final int SHORTEST = 4;
    /** Of values that are in force no more. The oldest are forgotten: nothing runs for so long that many changes later it has them. */
    private static final int MOST_EARLIER = 1000;
    /** Characters of those: as much as an application may have of stored ones. */
    private static final int EARLIER_CHARS = 256 * 1024;
    /** Of all values, those in force first. */
    private static final int MOST_LINES = 4096;
    /** Of all values, those in force first: an ASCII value's forms have some ten times its length. */
    private static final int DERIVED_CHARS = 8 << 20;

    /** The newest first. */
    private final Map<String, Forms> values;
    /** Those that are too short for the index. */
    private final List<String> few;
    private final FormIndex index;

    private Masks(Map<String, Forms> values) {
        this.values = values;
        this.few = values.keySet().stream().filter(value -> value.length() < FormIndex.WINDOW).toList();
        int[] chars = {0};
        Stream<String> derived = values.values().stream().flatMap(each -> each.derived().stream())
                .takeWhile(form -> (chars[0] += form.length()) <= DERIVED_CHARS);
        Stream<String> lines = values.values().stream().flatMap(each -> each.lines().stream()).limit(MOST_LINES);
        this.index = new FormIndex(Stream.of(values.keySet().stream().filter(value -> value.length() >= FormIndex.WINDOW), derived,
                lines).flatMap(each -> each).toList());
    }

    public static Masks of(Collection<String> values) {
        return NONE.with(values);
    }

    /** With these values in force, and those that were. */
    public Masks with(Collection<String> now) {
        Map<String, Forms> all = new LinkedHashMap<>();
        for (String value : now) {
            if (value.length() >= SHORTEST) {
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
        return all.isEmpty() ? NONE : new Masks(all);
    }

    public String masked(String text) {
        return masked(text, Integer.MAX_VALUE, false);
    }

    /**
     * @param text or null
     * @param most characters of it that are wanted: what begins there and goes on behind them is masked too
     * @param goesOn whether the text itself was cut behind its end: so is what begins there and would go on
     */
    public String masked(String text, int most, boolean goesOn) {
        if (text == null) {
            return null;
        }
        int length = Math.min(text.length(), most);
        BitSet covered = few(index.covered(text, length, goesOn), text, length);
        return covered == null ? text.substring(0, length) : masked(text, length, covered);
    }

    /** Of a text whose own beginning was cut off: what is the end of a form there is masked too. */
    public String maskedEnd(String text) {
        BitSet covered = few(index.covered(text, text.length(), false), text, text.length());
        int rest = index.rest(text);
        if (rest > 0) {
            covered = covered == null ? new BitSet(text.length()) : covered;
            covered.set(0, rest);
        }
        return covered == null ? text : masked(text, text.length(), covered);
    }

    private BitSet few(BitSet before, String text, int length) {
        BitSet covered = before;
        for (String each : few) {
            int end = (int) Math.min(text.length(), (long) length + each.length() - 1);
            for (int at = text.indexOf(each, 0, end); at >= 0; at = text.indexOf(each, at + each.length(), end)) {
                covered = covered == null ? new BitSet(length) : covered;
                covered.set(at, at + each.length());
            }
        }
        return covered;
    }

    private static String masked(String text, int length, BitSet covered) {
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

    /** What is looked for of values that are long enough to have forms. */
    List<String> forms() {
        return List.of(index.forms());
    }
}
