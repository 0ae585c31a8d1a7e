package dev.sand.workflow.data;

import com.dashjoin.jsonata.JException;
import dev.sand.workflow.data.QueryPictures.NumberSymbols;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A sub-picture of {@code $formatNumber}, analysed (XPath Functions and Operators 3.1, 4.7.3 and 4.7.4).
 *
 * @param groups how many digits there are behind each separator; @param every they stand after so many digits each; 0: they do not
 * @param scale how many digits a mantissa has before its point
 * @param fractionGroups how many digits there are before each separator
 * @param exponent how many digits one has at least; 0: there is none
 */
record NumberPicture(String prefix, String suffix, int factor, Set<Integer> groups, int every, int leastInteger, int scale,
                     Set<Integer> fractionGroups, int leastFraction, int mostFraction, boolean hasPoint, int exponent) {
    static NumberPicture of(String text, NumberSymbols symbols) {
        int start = 0;
        while (start < text.length() && !symbols.isActive(text.charAt(start))) {
            start++;
        }
        if (start == text.length()) {
            throw new JException("D3086", -1); // as AWS tells a picture without any place
        }
        int end = text.length();
        while (!symbols.isActive(text.charAt(end - 1))) {
            end--;
        }
        String mantissa = text.substring(start, end);
        String exponent = null;
        for (int i = start + 1; i < end - 1 && exponent == null; i++) {
            if (symbols.exponent().equals(text.substring(i, i + 1)) && symbols.isPlace(text.charAt(i - 1)) && symbols.isPlace(text.charAt(i + 1))) {
                mantissa = text.substring(start, i);
                exponent = text.substring(i + 1, end);
            }
        }
        int point = mantissa.indexOf(symbols.decimal());
        String integer = point < 0 ? mantissa : mantissa.substring(0, point);
        String fraction = point < 0 ? "" : mantissa.substring(point + symbols.decimal().length());
        if (exponent == null && text.startsWith(symbols.exponent(), end)) {
            exponent = ""; // as AWS: no digits of one
        }
        check(text, text.substring(start, end), integer, fraction, exponent, symbols);

        int scale = symbols.mandatory(integer);
        int leastInteger = scale;
        int leastFraction = symbols.mandatory(fraction);
        int mostFraction = symbols.places(fraction);
        if (leastInteger == 0 && mostFraction == 0) {
            leastInteger = exponent == null ? 1 : 0;
            leastFraction = exponent == null ? 0 : 1;
            mostFraction = leastFraction;
        }
        if (exponent != null && leastInteger == 0 && integer.contains(symbols.optional())) {
            leastInteger = 1;
        }
        if (leastInteger == 0 && leastFraction == 0) {
            leastFraction = 1;
        }
        Set<Integer> groups = places(integer, symbols, false);
        return new NumberPicture(text.substring(0, start), text.substring(end),
                text.contains(symbols.percent()) ? 100 : text.contains(symbols.perMille()) ? 1000 : 1, groups,
                every(groups, symbols.places(integer)), leastInteger, scale, places(fraction, symbols, true), leastFraction, mostFraction,
                point >= 0, exponent == null ? 0 : exponent.length());
    }

    private static Set<Integer> places(String digits, NumberSymbols symbols, boolean before) {
        Set<Integer> places = new HashSet<>();
        for (int at = digits.indexOf(symbols.grouping()); at >= 0; at = digits.indexOf(symbols.grouping(), at + 1)) {
            places.add(symbols.places(before ? digits.substring(0, at) : digits.substring(at)));
        }
        return places;
    }

    private static int every(Set<Integer> groups, int digits) {
        int least = groups.stream().min(Integer::compare).orElse(0);
        if (least == 0) {
            return 0;
        }
        return groups.equals(IntStream.iterate(least, at -> at < digits, at -> at + least).boxed().collect(Collectors.toSet())) ? least : 0;
    }

    /** Of several faults, the last one is told, as the reference implementation does. */
    private static void check(String text, String active, String integer, String fraction, String exponent, NumberSymbols symbols) {
        int percent = count(text, symbols.percent());
        int perMille = count(text, symbols.perMille());
        int first = integer.indexOf(symbols.optional());
        int last = fraction.lastIndexOf(symbols.optional());
        int point = text.indexOf(symbols.decimal());
        String beside = point < 0 ? "" : text.substring(Math.max(0, point - 1), Math.min(text.length(), point + 2));
        Map<String, Boolean> faults = new LinkedHashMap<>();
        faults.put("D3081", count(text, symbols.decimal()) > 1);
        faults.put("D3082", percent > 1);
        faults.put("D3083", perMille > 1);
        faults.put("D3084", percent > 0 && perMille > 0);
        faults.put("D3085", symbols.places(integer) + symbols.places(fraction) == 0);
        faults.put("D3086", active.chars().anyMatch(c -> !symbols.isActive((char) c) && !symbols.exponent().equals(String.valueOf((char) c))));
        faults.put("D3087", beside.contains(symbols.grouping()));
        faults.put("D3088", point < 0 && integer.endsWith(symbols.grouping()));
        faults.put("D3089", text.contains(symbols.grouping().repeat(2)));
        faults.put("D3090", first >= 0 && symbols.mandatory(integer.substring(0, first)) > 0);
        faults.put("D3091", last >= 0 && symbols.mandatory(fraction.substring(last)) > 0);
        faults.put("D3092", exponent != null && percent + perMille > 0);
        faults.put("D3093", exponent != null && (exponent.isEmpty() || symbols.mandatory(exponent) < exponent.length()));
        faults.entrySet().stream().filter(Map.Entry::getValue).map(Map.Entry::getKey).reduce((one, next) -> next).ifPresent(code -> {
            throw new JException(code, -1);
        });
    }

    private static int count(String text, String part) {
        return (text.length() - text.replace(part, "").length()) / part.length();
    }
}
