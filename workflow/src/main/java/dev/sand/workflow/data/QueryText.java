package dev.sand.workflow.data;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Jsonata.JFunction;
import com.dashjoin.jsonata.Utils;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * JSONata's {@code $string}, and what {@code &} makes of an array or an object: JSON as AWS writes it, where
 * only quotes, backslashes, lone surrogates and those control characters are escaped that have a letter. The library escapes more, among
 * them the euro sign. Public and static because the library calls it by name.
 */
public final class QueryText {
    static final Map<String, String> SIGNATURES = Map.of("string", "<x-b?:s>");
    /** Stands around the operands of {@code &}; no expression can name it. */
    static final String OPERAND = "\u0000operand";
    static final JFunction OPERANDS = Jsonata.function(OPERAND, "<x?:x>", QueryText.class, null, "operand");

    private static final MathContext FRACTION = new MathContext(15, RoundingMode.FLOOR);

    private QueryText() {}

    /** @param pretty null: no */
    public static String string(Object value, Boolean pretty) {
        Object one = value instanceof Utils.JList<?> list && list.outerWrapper ? list.getFirst() : value;
        if (isDouble(one)) {
            return digits((Number) one);
        }
        if (!(one instanceof List || one instanceof Map)) {
            return Functions.string(one, pretty);
        }
        StringBuilder out = new StringBuilder();
        write(one, Boolean.TRUE.equals(pretty) ? "\n" : "", out);
        return out.toString();
    }

    /** Anything but an array, an object or a number that may need an exponent the library writes as it should. */
    public static Object operand(Object value) {
        return value instanceof List || value instanceof Map || isDouble(value) ? string(value, null) : value;
    }

    private static boolean isDouble(Object value) {
        return value instanceof Double || value instanceof BigInteger || value instanceof Long whole && whole == QueryValues.CLAMPED;
    }

    /**
     * As AWS writes a number: a whole one without an exponent below 1e21, beyond 64 bits with the fewest digits that are read as
     * the same double; a fraction rounded down to 15 digits, and without the zeros at its end, before a point too.
     */
    private static String digits(Number number) {
        if (number instanceof BigInteger whole && whole.bitLength() < Long.SIZE) {
            return whole.toString();
        }
        double value = number.doubleValue();
        if (!Double.isFinite(value)) {
            return Functions.string(number, null);
        }
        BigDecimal shown = Decimals.shortest(value);
        boolean isWhole = value == Math.rint(value);
        if (isWhole && Math.abs(value) < 1e21) {
            return shown.stripTrailingZeros().toPlainString();
        }
        return (isWhole ? shown : shown.round(FRACTION)).stripTrailingZeros().toString().replace('E', 'e');
    }

    /** @param line what begins one, with its indentation; empty for compact text */
    private static void write(Object value, String line, StringBuilder out) {
        switch (value) {
            case List<?> list -> {
                out.append('[');
                String below = line.isEmpty() ? "" : line + "  ";
                for (Iterator<?> elements = list.iterator(); elements.hasNext(); next(elements, out)) {
                    out.append(below);
                    write(elements.next(), below, out);
                }
                out.append(list.isEmpty() ? "" : line).append(']');
            }
            case Map<?, ?> map -> {
                out.append('{');
                String below = line.isEmpty() ? "" : line + "  ";
                for (Iterator<? extends Map.Entry<?, ?>> members = map.entrySet().iterator(); members.hasNext(); next(members, out)) {
                    Map.Entry<?, ?> member = members.next();
                    out.append(below);
                    quote(String.valueOf(member.getKey()), out);
                    out.append(line.isEmpty() ? ":" : ": ");
                    write(member.getValue(), below, out);
                }
                out.append(map.isEmpty() ? "" : line).append('}');
            }
            case String text -> quote(text, out);
            case Double number -> out.append(digits(number));
            case BigInteger number -> out.append(digits(number));
            case Long number when isDouble(number) -> out.append(digits(number));
            case Number number -> out.append(Functions.string(number, null));
            case Boolean bool -> out.append(bool);
            case null -> out.append("null");
            default -> out.append(value == Jsonata.NULL_VALUE ? "null" : "\"\"");
        }
    }

    private static void next(Iterator<?> elements, StringBuilder out) {
        if (elements.hasNext()) {
            out.append(',');
        }
        QueryRun.checkBytes(out.length());
        QueryRun.current().budget().spend(1);
    }

    static String quoted(String text) {
        StringBuilder out = new StringBuilder();
        quote(text, out);
        return out.toString();
    }

    private static void quote(String text, StringBuilder out) {
        QueryRun.checkBytes((long) out.length() + text.length());
        QueryRun.current().budget().spend(text.length() >> 8);
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    boolean isPair = Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1));
                    if (isPair) {
                        out.append(c).append(text.charAt(++i));
                    } else if (Character.isSurrogate(c)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
