package dev.sand.hostagent.shard;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What must not leave a sandbox in its output and its errors: values of secrets, of late as well as now, each as it is, line by
 * line, and in base 64.
 */
final class Masks {
    static final Masks NONE = new Masks(Set.of());
    private static final String MASK = "***";
    private static final int SHORTEST_PART = 8;
    /** Of values that are in force no more. The oldest are forgotten: nothing runs for so long that many changes later it has them. */
    private static final int MOST_EARLIER = 1000;
    private final Set<String> values;
    private final List<String> texts;

    private Masks(Set<String> values) {
        this.values = values;
        // The longer ones first: one may be a part of another.
        this.texts = values.stream().flatMap(Masks::forms).distinct().sorted(Comparator.comparingInt(String::length).reversed()).toList();
    }

    Masks with(Collection<String> now) {
        Set<String> all = new LinkedHashSet<>(now.stream().filter(value -> !value.isEmpty()).toList());
        int most = all.size() + MOST_EARLIER;
        values.stream().filter(value -> !all.contains(value)).limit(most - all.size()).forEach(all::add);
        return new Masks(all);
    }

    private static Stream<String> forms(String value) {
        if (value.length() < SHORTEST_PART) {
            return Stream.of(value);
        }
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return Stream.of(Stream.of(value), value.lines().map(String::strip).filter(line -> line.length() >= SHORTEST_PART),
                Stream.of(Base64.getEncoder(), Base64.getUrlEncoder()).map(each -> each.withoutPadding().encodeToString(bytes)))
                .flatMap(each -> each);
    }

    List<String> texts() {
        return texts;
    }

    /** @param text or null */
    String masked(String text) {
        String masked = text;
        for (String each : texts) {
            masked = masked == null ? null : masked.replace(each, MASK);
        }
        return masked;
    }
}
