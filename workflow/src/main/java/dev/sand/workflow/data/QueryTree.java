package dev.sand.workflow.data;

import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Parser.Symbol;
import com.dashjoin.jsonata.utils.Signature;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A look at the tree of a JSONata expression, once, when it is read: what it refers to and what it may not. The library keeps its
 * tree to itself, so that this is done by reflection; another version of it that has other fields is noticed when this is loaded.
 *
 * <p>There is no input document: at the top level neither {@code $} nor an unqualified name refers to anything (specification,
 * "JSONata Restrictions"). Only what stands in a path after its first step, in predicates, groupings, order-by clauses and
 * transforms has a context; a function's body has that of the place where the function is written.
 */
final class QueryTree {
    /** Levels of the tree: evaluation goes no deeper than {@link WorkflowLimits#QUERY_DEPTH} in any case. */
    private static final int DEPTH = 250;
    private static final Field AST = field(Jsonata.class, "ast");
    private static final Map<String, Field> FIELDS = new HashMap<>();

    static {
        for (String name : List.of("type", "value", "steps", "procedure", "arguments", "body", "predicate", "stages", "expr", "group",
                "lhs", "rhs", "lhsObject", "terms", "expressions", "condition", "then", "_else", "expression", "pattern", "update",
                "delete", "position")) {
            FIELDS.put(name, field(Symbol.class, name));
        }
    }

    private final Set<String> variables = new HashSet<>();
    private final List<List<String>> states = new ArrayList<>();

    private final String text;

    private QueryTree(String text) {
        this.text = text;
    }

    /**
     * Also puts our own regular expressions in the place of Java's, our own JSON into {@code &}, and exact copies into transforms.
     *
     * @throws IllegalArgumentException with one sentence
     */
    static QueryTree of(Jsonata jsonata, String text) {
        QueryTree tree = new QueryTree(text);
        tree.visit((Symbol) get(AST, jsonata), true, 0);
        return tree;
    }

    /** Every variable that is mentioned, also those that the expression assigns itself. */
    Set<String> variables() {
        return variables;
    }

    /** For every mention of {@code $states}: the names that follow. */
    List<List<String>> states() {
        return states;
    }

    private void visit(Symbol node, boolean isTop, int depth) {
        if (node == null) {
            return;
        }
        if (depth > DEPTH) {
            throw new IllegalArgumentException("the expression is nested more than " + DEPTH + " levels deep");
        }
        Object value = get(node, "value");
        switch (String.valueOf(get(node, "type"))) {
            case "path" -> path(list(node, "steps"), isTop, depth);
            case "variable" -> variable(String.valueOf(value), isTop);
            case "name" -> refuse(isTop, "'" + value + "'");
            case "wildcard", "descendant" -> refuse(isTop, "'" + value + "'");
            case "regex" -> patch(node, value);
            case "lambda" -> {
                if (node.signature instanceof Signature signature) {
                    node.signature = QuerySignature.strict(signature);
                }
                visit(child(node, "body"), isTop, depth + 1);
            }
            case "transform" -> {
                visitChildren(node, isTop, depth);
                asExact(node);
            }
            case "condition" -> {
                checkOperator((int) get(node, "position"));
                visitChildren(node, isTop, depth);
            }
            default -> visitChildren(node, isTop, depth);
        }
        stages(node, depth);
        if ("binary".equals(get(node, "type")) && "&".equals(String.valueOf(value))) {
            asText(node, "lhs");
            asText(node, "rhs");
        }
        if ("binary".equals(get(node, "type")) && QueryArithmetic.OPERATORS.contains(String.valueOf(value))) {
            asCall(node, String.valueOf(value));
        }
    }

    /** Two came after the version that AWS has, which refuses them. @param end of the operator of a condition */
    private void checkOperator(int end) {
        String operator = text.substring(Math.max(0, end - 2), end);
        if (operator.equals("??") || operator.equals("?:")) {
            throw new IllegalArgumentException("the operator " + operator + " is not supported");
        }
    }

    /** A call of ours in the place of an operator. */
    private static void asCall(Symbol node, String operator) {
        List<Symbol> arguments = List.of(call(node, "string", operator), child(node, "lhs"), child(node, "rhs"));
        Symbol called = call(node, "variable", QueryArithmetic.NAME);
        set(node, "type", "function");
        set(node, "value", "(");
        set(node, "lhs", null);
        set(node, "rhs", null);
        set(node, "procedure", called);
        set(node, "arguments", arguments);
    }

    /** A call of ours around a transform, and another one before its pattern ({@link QueryExact}). */
    private static void asExact(Symbol node) {
        Symbol transform = call(node, "transform", get(node, "value"));
        for (String name : List.of("pattern", "update", "delete")) {
            set(transform, name, get(node, name));
            set(node, name, null);
        }
        Symbol restoration = call(node, "function", "(");
        set(restoration, "procedure", call(node, "variable", QueryExact.RESTORE));
        set(restoration, "arguments", List.of(call(node, "variable", "")));
        Symbol pattern = call(node, "block", null);
        set(pattern, "expressions", List.of(restoration, child(transform, "pattern")));
        set(transform, "pattern", pattern);
        Symbol remembering = call(node, "function", "(");
        set(remembering, "procedure", call(node, "variable", QueryExact.TRANSFORM));
        set(remembering, "arguments", List.of(transform));
        set(node, "type", "block");
        set(node, "expressions", List.of(remembering));
    }

    private void visitChildren(Symbol node, boolean isTop, int depth) {
        for (String name : List.of("procedure", "lhs", "rhs", "condition", "then", "_else", "expression")) {
            visit(child(node, name), isTop, depth + 1);
        }
        list(node, "arguments").forEach(argument -> visit(argument, isTop, depth + 1));
        list(node, "expressions").forEach(part -> visit(part, isTop, depth + 1));
        pairs(node, isTop, depth);
        for (String name : List.of("pattern", "update", "delete")) {
            visit(child(node, name), false, depth + 1);
        }
    }

    private void path(List<Symbol> steps, boolean isTop, int depth) {
        if (!steps.isEmpty() && "variable".equals(get(steps.getFirst(), "type")) && "states".equals(get(steps.getFirst(), "value"))) {
            List<String> names = new ArrayList<>();
            for (Symbol step : steps.subList(1, steps.size())) {
                if (!"name".equals(get(step, "type"))) {
                    break;
                }
                names.add(String.valueOf(get(step, "value")));
            }
            states.add(names);
            stages(steps.getFirst(), depth);
        } else if (!steps.isEmpty()) {
            visit(steps.getFirst(), isTop, depth + 1);
        }
        for (int i = 1; i < steps.size(); i++) {
            visit(steps.get(i), false, depth + 1);
        }
    }

    /** What filters, orders or groups has the filtered as its context. */
    private void stages(Symbol node, int depth) {
        for (String name : List.of("predicate", "stages")) {
            for (Symbol stage : list(node, name)) {
                if (get(stage, "expr") instanceof Symbol filter) {
                    visit(filter, false, depth + 1);
                }
            }
        }
        for (Symbol term : list(node, "terms")) {
            visit(child(term, "expression"), false, depth + 1);
        }
        if (get(node, "group") instanceof Symbol group) {
            pairs(group, false, depth);
        }
    }

    @SuppressWarnings("unchecked")
    private void pairs(Symbol node, boolean isTop, int depth) {
        if (get(node, "lhsObject") instanceof List<?> pairs) {
            ((List<Symbol[]>) pairs).forEach(pair -> Arrays.stream(pair).forEach(part -> visit(part, isTop, depth + 1)));
        }
    }

    private void variable(String name, boolean isTop) {
        switch (name) {
            case "" -> refuse(isTop, "'$'");
            case "$" -> throw new IllegalArgumentException("Reference to '$$' is not supported");
            case "states" -> states.add(List.of());
            default -> variables.add(name);
        }
    }

    private static void refuse(boolean isTop, String what) {
        if (isTop) {
            throw new IllegalArgumentException("Reference to " + what + " at the top level is not supported: there is no input"
                    + " document; data is in $states and in variables");
        }
    }

    private static void patch(Symbol node, Object value) {
        if (value instanceof Pattern pattern) {
            set(node, "value", new QueryRegex(pattern));
        }
    }

    /** A call of ours around an operand of {@code &}, unless it is a text. */
    private static void asText(Symbol concatenation, String side) {
        Symbol operand = child(concatenation, side);
        boolean isText = operand == null || "string".equals(get(operand, "type"))
                || "binary".equals(get(operand, "type")) && "&".equals(String.valueOf(get(operand, "value")));
        if (isText) {
            return;
        }
        Symbol called = call(concatenation, "variable", QueryText.OPERAND);
        Symbol call = call(concatenation, "function", "(");
        set(call, "procedure", called);
        set(call, "arguments", List.of(operand));
        set(concatenation, side, call);
    }

    /** In the place of another one. */
    private static Symbol call(Symbol place, String type, Object value) {
        Symbol made = place.create();
        made.label = QueryText.OPERAND;
        set(made, "type", type);
        set(made, "value", value);
        for (String name : List.of("lhs", "rhs", "predicate", "stages", "group")) {
            set(made, name, null);
        }
        return made;
    }

    /** Whether it stands in no expression that anybody wrote. */
    static boolean isOurs(Symbol node) {
        return node.label == QueryText.OPERAND;
    }

    private static void set(Symbol node, String name, Object value) {
        try {
            FIELDS.get(name).set(node, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Symbol child(Symbol node, String name) {
        return get(node, name) instanceof Symbol symbol ? symbol : null;
    }

    @SuppressWarnings("unchecked")
    private static List<Symbol> list(Symbol node, String name) {
        return get(node, name) instanceof List<?> list ? (List<Symbol>) list : List.of();
    }

    static Object get(Symbol node, String name) {
        return get(FIELDS.get(name), node);
    }

    static Object get(Field field, Object of) {
        try {
            return field.get(of);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    static Field field(Class<?> of, String name) {
        try {
            Field field = of.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("this version of the JSONata library has no " + of.getSimpleName() + "." + name, e);
        }
    }
}
