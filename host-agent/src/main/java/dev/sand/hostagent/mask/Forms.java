package dev.sand.hostagent.mask;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * How a value may read in what a grain writes.
 *
 * @param derived from the whole value, which itself is not in it: escaped, percent-encoded, in base 64 by itself and within
 *                something longer, and in hexadecimal
 * @param lines of a value that has several, as they are and escaped, and those of its base 64 in lines
 */
record Forms(List<String> derived, List<String> lines) {
    /** A shorter one is masked as it is alone: the others would be found where it is not. */
    static final int SHORTEST = 8;
    /** A longer value is not looked for as it reads when it is escaped twice. */
    private static final int MOST_ESCAPED_TWICE = 1024;
    private static final int MOST_LINES = 4096;
    private static final int MIME_LINE = 76;

    static Forms of(String value) {
        if (value.length() < SHORTEST) {
            return new Forms(List.of(), List.of());
        }
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        Set<String> derived = new LinkedHashSet<>(escaped(List.of(value)));
        if (value.length() <= MOST_ESCAPED_TWICE) { // a traceback in a logger's JSON, JSON in an error's message
            derived.addAll(escaped(List.copyOf(derived)));
        }
        for (String kept : List.of("/", "")) {
            derived.add(Escapes.percent(value, kept));
        }
        derived.add(Escapes.percent(value, " ").replace(' ', '+'));
        for (Base64.Encoder encoder : List.of(Base64.getEncoder().withoutPadding(), Base64.getUrlEncoder().withoutPadding())) {
            derived.add(encoder.encodeToString(bytes));
            for (int before = 0; before < 3; before++) {
                derived.add(within(encoder, bytes, before));
            }
        }
        derived.add(HexFormat.of().formatHex(bytes));
        derived.remove(value);
        return new Forms(List.copyOf(derived), lines(value, bytes));
    }

    private static Set<String> escaped(Collection<String> texts) {
        Set<String> escaped = new LinkedHashSet<>();
        for (String text : texts) {
            if (Escapes.leave(text)) {
                escaped.add(text);
                continue;
            }
            for (UnaryOperator<String> escape : Escapes.ALL) {
                escaped.add(escape.apply(text));
            }
        }
        return escaped;
    }

    /** Base 64 of something longer: what does not depend on its neighbours. @param before bytes before it in a group of three */
    private static String within(Base64.Encoder encoder, byte[] bytes, int before) {
        byte[] shifted = new byte[before + bytes.length];
        System.arraycopy(bytes, 0, shifted, before, bytes.length);
        return encoder.encodeToString(shifted).substring((8 * before + 5) / 6, 8 * shifted.length / 6);
    }

    private static List<String> lines(String value, byte[] bytes) {
        Stream<String> plain = value.lines().map(String::strip).filter(line -> line.length() >= SHORTEST && !line.equals(value));
        Stream<String> mime = new String(Base64.getMimeEncoder(MIME_LINE, new byte[] {'\n'}).encode(bytes), StandardCharsets.ISO_8859_1)
                .lines().filter(line -> line.length() >= SHORTEST && line.length() < 4 * bytes.length / 3);
        return Stream.concat(plain.flatMap(line -> Stream.concat(Stream.of(line), escaped(List.of(line)).stream())), mime)
                .distinct().limit(MOST_LINES).toList();
    }
}
