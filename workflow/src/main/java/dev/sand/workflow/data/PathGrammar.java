package dev.sand.workflow.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The grammar of JSONPaths that are no plain reference paths: that of Jayway's library, which AWS takes, but for what that reads
 * over: one character behind a bracket or a wildcard, words between names. The Python engine has it with the same rules and the
 * same sentences.
 *
 * <p>Of a path it gives the steps. One within a filter it writes out for the library, of which the version at hand asks less of a
 * path that is tested ({@link FilterGrammar}), and counts negative indices from the end.
 */
final class PathGrammar extends PathScanner {
    private static final String NO_NAMES = "quoted names, separated by commas, are expected in the bracket";
    private static final Pattern SINGLE = Pattern.compile(" *'((?:[^'\\\\]|\\\\.)*+)' *", Pattern.DOTALL);
    private static final Pattern DOUBLE = Pattern.compile(" *\"((?:[^\"\\\\]|\\\\.)*+)\" *", Pattern.DOTALL);
    private static final Pattern ALL = Pattern.compile("\\[ *\\* *]");
    private static final Pattern NUMBERS = Pattern.compile("[0-9,\\-: ]*");
    private static final Pattern TEXT = Pattern.compile("'(?:[^'\\\\]|\\\\.)*+'|\"(?:[^\"\\\\]|\\\\.)*+\"");
    private static final Pattern ITSELF = Pattern.compile("@(?![.\\[\\w])");
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]+");

    /** Functions that a path in a filter may end in. */
    private static final Set<String> OF_FILTERS = Set.of("length", "size", "min", "max", "avg", "sum", "first", "last");

    /**
     * @param text what follows the root, as the library is to read it
     * @param isDefinite whether it leads to one place at the most; several names count as one, as in the version that AWS shows
     */
    record Spelled(String text, boolean isDefinite, boolean callsFunction) {}

    private final int depth;
    private final List<PathStep> steps = new ArrayList<>();
    private final StringBuilder spelled = new StringBuilder();
    /** So much of the text has been written out. */
    private int written;
    private boolean isDefinite = true;
    private int functions;
    private boolean isKnown;

    private PathGrammar(String text, int depth) {
        super(text);
        this.depth = depth;
    }

    /** @param rest what follows the root. @throws IllegalArgumentException with one sentence */
    static List<PathStep> steps(String rest) {
        PathGrammar grammar = grammar(rest, 0);
        grammar.spelled();
        return grammar.steps;
    }

    /** What follows the root of a path within a filter. @param path with its root. @throws IllegalArgumentException likewise */
    static Spelled operand(String path, int depth) {
        PathGrammar grammar = grammar(path.substring(1), depth);
        Spelled operand = grammar.spelled();
        if (grammar.functions > 1 || grammar.functions == 1 && !grammar.isKnown) {
            throw fault("a filter has no such function", path);
        }
        return operand;
    }

    private static PathGrammar grammar(String rest, int depth) {
        return new PathGrammar(withoutEnd(rest), depth);
    }

    /** Without the spaces at its end, which count for nothing. */
    static String withoutEnd(String rest) {
        int end = rest.length();
        while (end > 0 && rest.charAt(end - 1) == ' ') {
            end--;
        }
        return rest.substring(0, end);
    }

    private Spelled spelled() {
        if (text.endsWith(".")) {
            throw new IllegalArgumentException("it ends in a dot");
        }
        for (int segments = 0; at < text.length(); segments++) {
            if (segments == MOST_SEGMENTS) {
                throw new IllegalArgumentException("it has more than " + MOST_SEGMENTS + " steps");
            }
            segment();
        }
        return new Spelled(spelled.append(text, written, text.length()).toString(), isDefinite, functions > 0);
    }

    private void segment() {
        if (character(at) != '.' && character(at) != '[') {
            throw fault("a dot or a bracket is expected at", text.substring(at));
        }
        if (character(at) == '.') {
            boolean isScan = character(at + 1) == '.';
            at += isScan ? 2 : 1;
            isDefinite &= !isScan;
            if (isScan) {
                steps.add(new PathStep.Scan());
            }
            if (character(at) == '.') {
                throw fault("a name is expected at", text.substring(at));
            }
        }
        switch (character(at)) {
            case '[' -> bracket();
            case '*' -> {
                at++;
                isDefinite = false;
                steps.add(new PathStep.All());
            }
            default -> name();
        }
    }

    /** As Jayway reads it: up to a dot or a bracket, whatever it is made of. */
    private void name() {
        int begin = at;
        while (at < text.length() && ".[( ".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        if (character(at) == ' ') {
            throw fault("a name with a space needs a bracket and quotes, at", text.substring(begin));
        }
        if (character(at) != '(') {
            steps.add(new PathStep.Names(List.of(text.substring(begin, at))));
            return;
        }
        int level = 0;
        int end = at;
        do {
            level += character(end) == '(' ? 1 : character(end) == ')' ? -1 : 0;
        } while (level > 0 && ++end < text.length());
        if (level > 0 || begin == at) {
            throw fault("the call of a function is not whole, at", text.substring(begin));
        }
        at = end + 1;
        // In the version that AWS shows, which has no functions, this is a name like others.
        steps.add(new PathStep.Names(List.of(text.substring(begin, at))));
        functions++;
        isKnown = end + 1 == text.length() && OF_FILTERS.contains(text.substring(begin, text.indexOf('(', begin)));
    }

    private void bracket() {
        char next = nextSignificant(at);
        if (next == '\'' || next == '"') {
            names(next == '\'' ? SINGLE : DOUBLE);
            return;
        }
        Matcher all = ALL.matcher(text).region(at, text.length());
        if (all.lookingAt()) {
            at = all.end();
            isDefinite = false;
            steps.add(new PathStep.All());
            return;
        }
        if (next == '?') {
            filter();
            return;
        }
        int end = text.indexOf(']', at);
        if (next != 0 && "0123456789-:".indexOf(next) >= 0 && end > 0) {
            String inside = trimmed(text.substring(at + 1, end));
            if (NUMBERS.matcher(inside).matches()) {
                PathStep step = numbers(inside);
                if (step instanceof PathStep.Indices(List<Integer> indices) && indices.size() == 1 && indices.getFirst() < 0) {
                    spelled.append(text, written, at).append('[').append(Integer.MAX_VALUE).append(']');
                    written = end + 1;
                }
                isDefinite &= step.isDefinite();
                steps.add(step);
                at = end + 1;
                return;
            }
        }
        throw fault("quoted names, indices, a slice, * or ?( ) are expected in the bracket", text.substring(at));
    }

    private void names(Pattern quoted) {
        int begin = at;
        Matcher name = quoted.matcher(text);
        List<String> names = new ArrayList<>();
        do {
            if (!name.region(at + 1, text.length()).lookingAt()) {
                throw fault(NO_NAMES, text.substring(begin));
            }
            checkEscapes(name.group(1));
            names.add(unescaped(name.group(1)));
            at = name.end();
        } while (character(at) == ',');
        if (character(at) != ']') {
            throw fault(NO_NAMES, text.substring(begin));
        }
        at++;
        steps.add(new PathStep.Names(names));
    }

    /** Of a slice, a step is passed over. */
    private static PathStep numbers(String inside) {
        boolean isSlice = inside.indexOf(':') >= 0;
        String[] numbers = inside.split(isSlice ? ":" : ",", -1);
        if (isSlice && (inside.indexOf(',') >= 0 || inside.indexOf(' ') >= 0)) {
            throw fault("this is no slice", "[" + inside + "]");
        }
        if (isSlice && numbers[0].isEmpty() && numbers[1].isEmpty()) {
            throw fault("a slice needs a start or an end", "[" + inside + "]");
        }
        List<Integer> integers = new ArrayList<>();
        for (int i = 0; i < (isSlice ? 2 : numbers.length); i++) {
            String digits = isSlice ? numbers[i] : trimmed(numbers[i]);
            if (!(isSlice && digits.isEmpty()) && !isInteger(digits)) {
                throw fault("this is no index", "[" + inside + "]");
            }
            integers.add(digits.isEmpty() ? null : Integer.valueOf(digits));
        }
        return isSlice ? new PathStep.Slice(integers.get(0), integers.get(1)) : new PathStep.Indices(integers);
    }

    private static boolean isInteger(String digits) {
        try {
            Integer.parseInt(digits);
            return INTEGER.matcher(digits).matches();
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private void filter() {
        int begin = at;
        int open = significant(significant(at, '?'), '(');
        int close = open > 0 ? matching(open, '(', ')', true) : -1;
        int end = close > 0 ? significant(close, ']') : -1;
        if (end < 0) {
            throw fault("a filter must be whole, as [?( )]", text.substring(begin));
        }
        at = end + 1;
        isDefinite = false;
        String filter = new FilterGrammar(text.substring(open, close + 1), depth).spelled();
        steps.add(new PathStep.Test(filter, ITSELF.matcher(TEXT.matcher(text.substring(open, close)).replaceAll("")).find()));
        spelled.append(text, written, open).append(filter);
        written = close + 1;
    }

    private static String trimmed(String text) {
        int begin = 0;
        int end = text.length();
        while (begin < end && text.charAt(begin) == ' ') {
            begin++;
        }
        while (end > begin && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(begin, end);
    }
}
