package dev.sand.workflow.data;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Utils;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * JSONata functions of ours: those that AWS adds; those whose result chance or the clock has a part in, drawn so that a replay
 * gives the same; and those of the library that are wrong for some values or take more than their arguments show. Public and
 * static because the library calls them by name.
 */
public final class QueryFunctions {
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?");
    /** Made once: a definition may have thousands of expressions. */
    private static final Map<String, Jsonata.JFunction> FUNCTIONS = functions();

    private QueryFunctions() {}

    private static Map<String, Jsonata.JFunction> functions() {
        QuerySignature.makeLibraryStrict();
        Map<String, Jsonata.JFunction> functions = new HashMap<>();
        add(functions, QueryFunctions.class, Map.ofEntries(Map.entry("partition", "<xn?:a>"), Map.entry("range", "<nnn?:a>"),
                Map.entry("uuid", "<:s>"), Map.entry("parse", "<s-:x>"), Map.entry("random", "<n?:n>"),
                Map.entry("shuffle", "<a:a>"), Map.entry("now", "<s?s?:s>"), Map.entry("fromMillis", "<n-s?s?:s>"),
                Map.entry("millis", "<:n>"), Map.entry("count", "<x:n>"),
                Map.entry("sort", "<af?:a>"), Map.entry("formatInteger", "<n-s:s>"),
                Map.entry("formatBase", "<n-n?:s>")));
        add(functions, QueryStrings.class, QueryStrings.SIGNATURES);
        add(functions, QueryText.class, QueryText.SIGNATURES);
        add(functions, QueryPictures.class, QueryPictures.SIGNATURES);
        add(functions, QueryUrls.class, QueryUrls.SIGNATURES);
        functions.put(QueryText.OPERAND, QueryText.OPERANDS);
        functions.put("hash", new Jsonata.JFunction((input, arguments) -> hash(arguments), "<ss?:s>"));
        functions.putAll(QueryArithmetic.functions());
        functions.putAll(QueryExact.functions());
        functions.put(QueryArithmetic.NAME, QueryArithmetic.FUNCTION);
        functions.values().forEach(QuerySignature::strict);
        return Map.copyOf(functions);
    }

    private static void add(Map<String, Jsonata.JFunction> to, Class<?> from, Map<String, String> signatures) {
        signatures.forEach((name, signature) -> to.put(name, Jsonata.function(name, signature, from, null, name)));
    }

    static void register(Jsonata jsonata) {
        jsonata.assign("eval", null);
        FUNCTIONS.forEach(jsonata::registerFunction);
    }

    // --- those that AWS adds; an argument that makes no sense gives nothing, and a fraction is cut off

    /** @param of what is no array gets here too */
    public static Object partition(Object of, Number size) {
        if (of == null) {
            return null;
        }
        if (!(of instanceof List<?> array)) {
            throw QueryRun.failure("T0412: Argument 1 of function \"partition\" must be an array of undefined");
        }
        List<Object> chunks = new ArrayList<>();
        if (size == null) {
            chunks.add(new ArrayList<>(array));
            return chunks;
        }
        if (size.longValue() < 0) {
            throw invalid("Second argument must be zero or greater");
        }
        if (array.isEmpty() || size.longValue() == 0) {
            return null;
        }
        int step = (int) Math.min(size.longValue(), array.size());
        for (int from = 0; from < array.size(); from += step) {
            chunks.add(new ArrayList<>(array.subList(from, Math.min(array.size(), from + step))));
        }
        return chunks;
    }

    public static Object range(Number first, Number last, Number step) {
        if (first == null || last == null || step == null || step.longValue() == 0) {
            return null;
        }
        BigInteger span = BigInteger.valueOf(last.longValue()).subtract(BigInteger.valueOf(first.longValue()));
        BigInteger by = BigInteger.valueOf(step.longValue());
        if (span.signum() * by.signum() < 0) {
            return null;
        }
        BigInteger count = span.divide(by).add(BigInteger.ONE);
        QueryRun.checkBytes(count.bitLength() > 40 || count.longValue() > WorkflowLimits.QUERY_RANGE ? Long.MAX_VALUE : 8 * count.longValue());
        QueryRun.current().budget().spend(count.longValue() / 16);
        List<Object> range = Utils.createSequence();
        for (long i = 0, value = first.longValue(); i < count.longValue(); i++, value += step.longValue()) {
            range.add(Utils.convertNumber(value));
        }
        return range;
    }

    /** @param arguments without an algorithm it gives nothing; one that is given and is nothing is none of those that there are */
    private static String hash(List<?> arguments) {
        String data = (String) arguments.get(0);
        if (data == null || arguments.size() < 2) {
            return null;
        }
        String algorithm = String.valueOf(arguments.get(1));
        if (!StringFunctions.ALGORITHMS.contains(algorithm)) {
            throw invalid("Hash algorithm '" + algorithm + "' must be one of SHA-1, SHA-384, SHA-256, SHA-512, MD5");
        }
        return StringFunctions.digest(data, algorithm); // of any length, unlike States.Hash
    }

    /** The code that AWS gives to what its own functions do not take. */
    private static StatesError invalid(String why) {
        return QueryRun.failure("D3137: " + why);
    }

    public static String uuid() {
        return StringFunctions.uuid(new JsonNode[0], QueryRun.current().environment()).textValue();
    }

    /** @param text what is no string gets here too: the library lets null pass for one */
    public static Object parse(Object text) {
        if (text == null) {
            return null;
        }
        if (!(text instanceof String json)) {
            throw new JException("T0410", -1, 1, "parse");
        }
        QueryRun.current().budget().spend(json.length() / 64);
        try {
            return QueryValues.of(Json.readStrictly(json), QueryRun.current().budget());
        } catch (IOException e) {
            throw invalid("Invalid JSON");
        }
    }

    // --- chance and time

    /** From 0 on, below 1; for a seed the number that AWS gives, from the same generator. */
    public static Number random(Number seed) {
        return seed == null ? new SplittableRandom(QueryRun.current().environment().draw()).nextDouble()
                : new Random(seed.longValue()).nextDouble();
    }

    public static List<?> shuffle(List<?> array) {
        if (array == null || array.size() < 2) {
            return array;
        }
        SplittableRandom random = new SplittableRandom(QueryRun.current().environment().draw());
        List<Object> shuffled = new ArrayList<>(array);
        for (int i = shuffled.size() - 1; i > 0; i--) {
            shuffled.set(i, shuffled.set(random.nextInt(i + 1), shuffled.get(i)));
        }
        return shuffled;
    }

    public static String now(String picture, String timezone) {
        return fromMillis(QueryRun.current().environment().nowMs(), picture, timezone);
    }

    /** The library takes an offset alone for a time zone. */
    public static String fromMillis(Number millis, String picture, String timezone) {
        return TimePictures.written(millis, picture, "utc".equalsIgnoreCase(timezone) ? null : timezone);
    }

    public static Number millis() {
        return QueryRun.current().environment().nowMs();
    }

    // --- those that the library has, mended

    /** A JSON null is one value, nothing is none. */
    public static Number count(Object value) {
        return value == null ? 0 : value instanceof List<?> list ? list.size() : 1;
    }

    /** Stable; the library cannot compare an integer with a fraction. @param swaps whether the second of two comes first */
    public static Object sort(List<?> array, Object swaps) throws Throwable {
        if (array == null || array.size() < 2) {
            return array;
        }
        if (swaps == null && !Utils.isArrayOfNumbers(array) && !Utils.isArrayOfStrings(array)) {
            throw new JException("D3070", -1);
        }
        List<Object> from = new ArrayList<>(array);
        List<Object> to = new ArrayList<>(array);
        for (int width = 1; width < from.size(); width *= 2) {
            for (int start = 0; start < from.size(); start += 2 * width) {
                merge(from, to, start, Math.min(start + width, from.size()), Math.min(start + 2 * width, from.size()), swaps);
            }
            List<Object> sorted = to;
            to = from;
            from = sorted;
        }
        return from;
    }

    private static void merge(List<Object> from, List<Object> to, int start, int middle, int end, Object swaps) throws Throwable {
        QueryRun.current().budget().spend(1 + (end - start) / 16);
        int left = start;
        int right = middle;
        for (int i = start; i < end; i++) {
            boolean takesRight = left >= middle || right < end && comesAfter(from.get(left), from.get(right), swaps);
            to.set(i, takesRight ? from.get(right++) : from.get(left++));
        }
    }

    private static boolean comesAfter(Object a, Object b, Object swaps) throws Throwable {
        if (swaps != null) {
            return Jsonata.boolize(Functions.funcApply(swaps, Arrays.asList(a, b)));
        }
        return a instanceof String text ? text.compareTo((String) b) > 0 : ((Number) a).doubleValue() > ((Number) b).doubleValue();
    }

    /** The library takes what Java takes, such as {@code 1d}. */
    static Number number(Object value) {
        if (value instanceof String text && !text.matches("(?i)0[xbo][0-9a-f]+") && !NUMBER.matcher(text).matches()) {
            throw new JException("D3030", -1, text);
        }
        if (value instanceof String text && text.length() > 2 && "xXbBoO".indexOf(text.charAt(1)) >= 0) {
            int radix = "xX".indexOf(text.charAt(1)) >= 0 ? 16 : "bB".indexOf(text.charAt(1)) >= 0 ? 2 : 8;
            return new BigInteger(text.substring(2), radix).doubleValue();
        }
        return value instanceof String text ? (Number) new BigDecimal(text).doubleValue() : Functions.number(value);
    }

    /** The library keeps the radix that is wrong to itself. */
    public static String formatBase(Number number, Number radix) {
        if (number != null && radix != null && (radix.longValue() < 2 || radix.longValue() > Character.MAX_RADIX)) {
            throw new JException("D3100", -1, radix.longValue());
        }
        return Functions.formatBase(number, radix);
    }

    /** A number of any size in Roman letters would be as long as it is large. */
    public static String formatInteger(Number number, String picture) {
        if (number != null && picture != null && picture.matches("(?s)[iI](;.*)?")) {
            QueryRun.checkBytes((long) Math.min(Math.abs(number.doubleValue()) / 1000, 1e15));
        }
        if (picture != null) {
            QueryRun.current().budget().spend((long) picture.length() * picture.length() >> 12);
        }
        // Of what has more than 64 bits, the nearest number that has not, as of a double.
        Number nearest = number instanceof BigInteger huge && huge.bitLength() > 63 ? (Number) (long) huge.doubleValue() : number;
        return Functions.formatInteger(nearest, picture);
    }

    /** The groups of a match, without that which is the whole. */
    static List<Object> groups(MatchResult match) {
        List<Object> groups = new ArrayList<>(match.groupCount());
        for (int i = 1; i <= match.groupCount(); i++) {
            groups.add(match.group(i));
        }
        return groups;
    }
}
