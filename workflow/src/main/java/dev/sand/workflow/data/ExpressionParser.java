package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code States.Name(argument, …)}; an argument is 'text', a JSON number, true, false, null, a path or a function. */
final class ExpressionParser {
    private final String text;
    private int at;

    ExpressionParser(String text) {
        this.text = text;
    }

    Expression parse() {
        Expression expression = call(1);
        skipSpace();
        if (at < text.length()) {
            throw error("there is something after the closing bracket");
        }
        return expression;
    }

    private Expression call(int depth) {
        if (depth > WorkflowLimits.INTRINSIC_DEPTH) {
            throw error("more than " + WorkflowLimits.INTRINSIC_DEPTH + " functions are nested");
        }
        int start = at;
        while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '.')) {
            at++;
        }
        String name = text.substring(start, at);
        Intrinsic function = Intrinsic.named(name);
        if (function == null) {
            throw error("there is no function " + name);
        }
        skipSpace();
        expect('(');
        List<Expression> arguments = new ArrayList<>();
        skipSpace();
        if (peek() != ')') {
            do {
                skipSpace();
                arguments.add(argument(depth, function == Intrinsic.FORMAT && arguments.isEmpty()));
                skipSpace();
            } while (accept(','));
        }
        expect(')');
        return new Expression.Call(function, List.copyOf(arguments), text.substring(start, at));
    }

    private Expression argument(int depth, boolean isPattern) {
        char c = peek();
        if (c == '\'') {
            return string(isPattern);
        }
        if (c == '$') {
            return new Expression.Read(Path.parse(path()));
        }
        if (text.startsWith("States.", at)) {
            return call(depth + 1);
        }
        int start = at;
        while (at < text.length() && (",)" + JsonFault.BLANKS).indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String literal = text.substring(start, at);
        try {
            JsonNode value = Json.read(literal);
            if (value.isNumber() || value.isBoolean() || value.isNull()) {
                return new Expression.Literal(value);
            }
        } catch (IOException e) {
            // Reported below, in the language's words and not the JSON reader's.
        }
        throw error("'" + literal + "' is neither a 'text', a number, true, false, null, a path nor a function");
    }

    private Expression string(boolean isPattern) {
        at++;
        StringBuilder value = new StringBuilder();
        while (true) {
            if (at >= text.length()) {
                throw error("a text has no closing quote");
            }
            char c = text.charAt(at++);
            if (c == '\'') {
                return isPattern ? new Expression.Pattern(value.toString())
                        : new Expression.Literal(Json.NODES.textNode(value.toString()));
            }
            if (c == '\\') {
                if (at >= text.length()) {
                    throw error("a backslash stands at the end");
                }
                char escaped = text.charAt(at++);
                boolean isReserved = escaped == '\'' || escaped == '{' || escaped == '}' || escaped == '\\';
                if (isPattern && isReserved && escaped != '\'') {
                    value.append('\\').append(escaped);
                } else if (isReserved) {
                    value.append(escaped);
                } else {
                    throw error("a backslash in a text stands before ', {, } or another one, not before " + escaped);
                }
            } else {
                value.append(c);
            }
        }
    }

    /** Up to the comma or bracket that ends the argument; those inside brackets and quotes belong to the path. */
    private String path() {
        int start = at;
        int depth = 0;
        char quote = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == '[' || c == '(') {
                depth++;
            } else if (c == ']' || c == ')' && depth > 0) {
                depth--;
            } else if (depth == 0 && (c == ',' || c == ')')) {
                break;
            }
            at++;
        }
        return JsonFault.stripped(text.substring(start, at));
    }

    private void skipSpace() {
        while (at < text.length() && JsonFault.BLANKS.indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean accept(char c) {
        if (peek() == c) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (!accept(c)) {
            throw error("'" + c + "' is missing at character " + at);
        }
    }

    private IllegalArgumentException error(String why) {
        return new IllegalArgumentException("'" + text + "' is not a valid intrinsic function: " + why);
    }
}
