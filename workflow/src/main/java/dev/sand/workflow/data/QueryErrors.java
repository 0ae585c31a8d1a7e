package dev.sand.workflow.data;

import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Parser.Symbol;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Words what an evaluation threw as AWS does, which is JSONata's own wording (jsonata.org, the reference implementation):
 * {@code D3030: Unable to cast value to a number: "x"}. The library's messages call functions objects, put every value in
 * quotes and leave out what they have no place for.
 */
final class QueryErrors {
    private static final Pattern CODE = Pattern.compile("[A-Z]\\d{4}");
    private static final Pattern CODED = Pattern.compile(CODE + ": .*", Pattern.DOTALL);
    private static final Pattern PLACE = Pattern.compile("\"([\u0001\u0002])\"");
    /** What an array has to be of, by its letter in a function's signature. */
    private static final Map<String, String> ELEMENTS = Map.of("a", "arrays", "b", "booleans", "f", "functions", "n", "numbers",
            "o", "objects", "s", "strings");
    private static final int SHOWN_CHARS = 10_000;

    private QueryErrors() {}

    static boolean hasCode(String message) {
        return CODED.matcher(message).matches();
    }

    /** @param run null when it was thrown by the parser */
    static String sentence(RuntimeException thrown, QueryRun run) {
        Throwable e = thrown;
        while (!(e instanceof JException) && e.getCause() != null) {
            e = e.getCause();
        }
        if (!(e instanceof JException known)) {
            return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        }
        String code = known.getError();
        if (code == null || !CODE.matcher(code).matches()) {
            return known.getMessage().replaceFirst("^JSonataException ", "");
        }
        return code + ": " + switch (code) {
            case "D3137", "D3141" -> known.getMessage();
            case "D1002" -> filled(code, run == null ? known.getCurrent() : single(run.last()), null, run);
            case "T0410", "T0411" -> filled(code, known.getCurrent(), token(known.getExpected(), run), run);
            case "T0412" -> filled(code, known.getCurrent(), token(known.getExpected(), run), run).replace("{{type}}", "\""
                    + (known instanceof QuerySignature.WrongElements wrong ? ELEMENTS.getOrDefault(wrong.subtype(), "values") : "values")
                    + "\"");
            case "T1010", "T2001", "T2002", "T2010" -> filled(code, token(known.getCurrent(), run), null, run);
            case "T2009" -> filled(code, known.getCurrent(), known.getExpected(), run).replace("{{token}}", "\""
                    + token(run == null || run.node() == null ? "" : QueryTree.get(run.node(), "value"), run) + "\"");
            default -> filled(code, known.getCurrent(), known.getExpected(), run);
        };
    }

    /** What a message tells of: what failed, or the operator on whose right side it did. */
    private static Object token(Object failed, QueryRun run) {
        Object operator = run == null ? null : run.rightSideOf();
        return operator == null ? failed : operator;
    }

    /** The library's message of the code, with the values in it written as JSON. */
    private static String filled(String code, Object first, Object second, QueryRun run) {
        String message = JException.msg(code, -1, "\u0001", "\u0002").replaceAll("\\bObject\\b", "function");
        return PLACE.matcher(message).replaceAll(found ->
                Matcher.quoteReplacement(written(found.group(1).equals("\u0001") ? first : second, run)));
    }

    /** A path gives a sequence, of which one element stands for itself. */
    private static Object single(Object value) {
        return value instanceof List<?> list && list.size() == 1 ? list.getFirst() : value;
    }

    private static String written(Object value, QueryRun run) {
        if (run == null || value == null) {
            return value == null ? "null" : "\"" + value + "\"";
        }
        try {
            String text = Json.text(QueryValues.json(value, run));
            return text.length() > SHOWN_CHARS ? text.substring(0, SHOWN_CHARS) : text;
        } catch (StatesError | QueryValues.Unsupported e) {
            return "function";
        }
    }
}
