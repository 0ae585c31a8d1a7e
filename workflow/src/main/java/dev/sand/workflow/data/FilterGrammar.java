package dev.sand.workflow.data;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The grammar of a filter in a JSONPath, {@code (@.a == 1 && !@.b)}: that of Jayway's library. See {@link PathGrammar}.
 *
 * <p>A path that stands alone is tested: in the version that AWS shows, it is to lead to something and that not to null. The
 * version at hand has null pass, so that the test is written out for it as {@code (@.b && @.b != null)}.
 */
final class FilterGrammar extends PathScanner {
    private static final Pattern NUMBER = Pattern.compile("-?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE]-?[0-9]+)?");
    private static final Pattern TEXT = Pattern.compile("'(?:[^'\\\\]|\\\\.)*+'|\"(?:[^\"\\\\]|\\\\.)*+\"", Pattern.DOTALL);
    /** A text without quotation marks, up to what is no part of one, as the library of AWS takes it. */
    private static final Pattern BARE = Pattern.compile("[A-Za-z_/][^<>=~!&|()\\[\\]{}'\"\\\\]*+");
    private static final Set<String> WORDS = Set.of("true", "false", "null");
    /** A number has about so many digits at most. */
    private static final int MAGNITUDE = 10_000;
    private static final String SYMBOLS = "<>=~!";
    private static final Set<String> OPERATORS = Set.of("==", "!=", "<", "<=", ">", ">=", "===", "!==");

    private final StringBuilder spelled = new StringBuilder();
    /** So much of the text has been written out. */
    private int written;
    private int depth;

    /** @param text with its round brackets. @param depth how many filters and brackets it stands in */
    FilterGrammar(String text, int depth) {
        super(text);
        this.depth = depth;
    }

    /** @return the filter as the library is to read it. @throws IllegalArgumentException with one sentence */
    String spelled() {
        or();
        blanks();
        if (at < text.length()) {
            throw fault("the end of the filter is expected at", text.substring(at));
        }
        return spelled.append(text, written, text.length()).toString();
    }

    private void blanks() {
        while (character(at) == ' ') {
            at++;
        }
    }

    private boolean takes(String word) {
        blanks();
        boolean found = startsWith(word);
        at += found ? word.length() : 0;
        return found;
    }

    private void or() {
        do {
            do {
                operand();
            } while (takes("&&"));
        } while (takes("||"));
    }

    private void operand() {
        if (++depth > DEPTH) {
            throw new IllegalArgumentException("its brackets are nested too deeply");
        }
        if (takes("!")) {
            blanks();
            if (isPath()) {
                expression();
            } else {
                operand();
            }
        } else if (takes("(")) {
            or();
            if (!takes(")")) {
                throw fault("&&, || or a closing bracket is expected at", text.substring(at));
            }
        } else {
            expression();
        }
        depth--;
    }

    private boolean isPath() {
        return character(at) == '@' || character(at) == '$';
    }

    /** A comparison, or the test whether a path leads somewhere. */
    private void expression() {
        blanks();
        boolean isPath = isPath();
        int begin = at;
        PathGrammar.Spelled path = value();
        int end = at;
        blanks();
        if (startsWith(")") || startsWith("&&") || startsWith("||")) {
            if (!isPath) {
                throw fault("an operator is expected behind", text.substring(begin, end));
            }
            if (path.isDefinite() && !path.callsFunction()) {
                // The library looks for it below the element, whatever it begins with.
                spelled.setLength(spelled.length() - path.text().length() - 1);
                spelled.append("(@").append(path.text()).append(" && @").append(path.text()).append(" != null)");
            }
            return;
        }
        operator();
        blanks();
        value();
    }

    /** In symbols; those in words, as in or size, are none on AWS. */
    private void operator() {
        int begin = at;
        while (isSymbol(character(at))) {
            at++;
        }
        if (!OPERATORS.contains(text.substring(begin, at))) {
            throw fault("an operator in symbols, such as ==, is expected at", text.substring(begin));
        }
    }

    private static boolean isSymbol(char c) {
        return c != 0 && SYMBOLS.indexOf(c) >= 0;
    }

    /** @return what follows the root of the path that it is, or null */
    private PathGrammar.Spelled value() {
        blanks();
        int begin = at;
        switch (character(at)) {
            case '@', '$' -> {
                PathGrammar.Spelled path = PathGrammar.operand(path(), depth);
                spelled.append(text, written, begin + 1).append(path.text());
                written = at;
                return path;
            }
            case '\'', '"' -> {
                at = unescaped(begin + 1, character(begin)) + 1;
                if (at == 0) {
                    throw fault("a string is not closed:", text.substring(begin));
                }
                checkEscapes(text.substring(begin + 1, at - 1));
            }
            case '[' -> json(begin, matching(begin, '[', ']', false) + 1);
            case '{' -> json(begin, matching(begin, '{', '}', false) + 1);
            default -> plain();
        }
        return null;
    }

    private void json(int begin, int end) {
        at = end;
        try {
            // What a string says is nothing to the shape.
            Json.read(TEXT.matcher(text.substring(begin, Math.max(begin, end))).replaceAll(found -> "\"" + found.start() + "\""));
        } catch (IOException e) {
            throw fault("a list or an object must be JSON:", text.substring(begin));
        }
    }

    private void plain() {
        Matcher bare = BARE.matcher(text).region(at, text.length());
        if (bare.lookingAt()) {
            String word = PathGrammar.withoutEnd(bare.group());
            if (!WORDS.contains(word)) {
                spelled.append(text, written, at).append('\'').append(word).append('\'');
                written = at + word.length();
            }
            at += word.length();
            return;
        }
        Matcher number = NUMBER.matcher(text).region(at, text.length());
        if (!number.lookingAt()) {
            throw fault("a path, a string, a number, a list, true, false or null is expected at", text.substring(at));
        }
        if (!isWritable(number.group())) {
            throw fault("a number is out of range:", number.group());
        }
        at = number.end();
    }

    /** In digits, by the other engine, whose library knows no exponents there. */
    private static boolean isWritable(String number) {
        try {
            BigDecimal value = new BigDecimal(number);
            return Math.abs((long) value.precision() - value.scale() - 1) <= MAGNITUDE;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Up to a space, an operator of symbols or the bracket that closes the filter. */
    private String path() {
        int begin = at++;
        while (at < text.length()) {
            if (text.charAt(at) == '[') {
                at = matching(at, '[', ']', false) + 1;
                if (at == 0) {
                    throw fault("a bracket is not closed:", text.substring(begin));
                }
            }
            char c = character(at);
            if (c == 0 || c == ' ' || isSymbol(c) || c == ')' && !closesCall(begin)) {
                break;
            }
            at++;
        }
        return text.substring(begin, at);
    }

    /** Of the bracket here, whether it is that of a function without arguments. */
    private boolean closesCall(int begin) {
        int before = at - 1;
        while (before > begin && text.charAt(before) == ' ') {
            before--;
        }
        return text.charAt(before) == '(' && text.lastIndexOf('.', before) > begin;
    }
}
