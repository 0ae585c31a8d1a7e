package dev.sand.tests.cluster;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a part shows under /metrics (docs/OBSERVING.md). */
record MetricsPage(String text) {
    private static final Pattern LINE = Pattern.compile("^(\\w+)(?:\\{(.*)})? (\\S+)$", Pattern.MULTILINE);

    /** @param labels that it has, as {@code name="value"}, perhaps beside others. @return the sum of all such values; 0: there is none */
    double sum(String name, String... labels) {
        double sum = 0;
        Matcher found = LINE.matcher(text.replace("\r", ""));
        while (found.find()) {
            String has = found.group(2) == null ? "" : found.group(2);
            if (found.group(1).equals(name) && Arrays.stream(labels).allMatch(has::contains)) {
                sum += Double.parseDouble(found.group(3));
            }
        }
        return sum;
    }
}
