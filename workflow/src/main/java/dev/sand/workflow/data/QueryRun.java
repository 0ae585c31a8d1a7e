package dev.sand.workflow.data;

import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Parser.Symbol;
import com.dashjoin.jsonata.Utils;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * One evaluation of a JSONata expression: how deep it is, how large what it makes is, and what it may still do. Sizes are counted
 * as if everything were written out: a list that holds another one twice counts it twice, or a few lines could stand for more
 * than any memory holds.
 */
final class QueryRun implements Jsonata.EntryCallback, Jsonata.ExitCallback {
    /** The functions of an expression are the same objects in every evaluation: they find theirs here. */
    static final ScopedValue<QueryRun> CURRENT = ScopedValue.newInstance();

    /** @param depth of nesting */
    record Extent(long bytes, int depth) {
        static final Extent SCALAR = new Extent(8, 0);
    }

    private final Environment environment;
    private final QueryBudget budget;
    private final Map<Object, Extent> known = new IdentityHashMap<>();
    /** The nodes under evaluation, the innermost last: when one throws, it stays where it is. */
    private final List<Symbol> nodes = new ArrayList<>();
    /** What the transforms that are under way have a copy of, the innermost last. */
    private final Deque<Object> copied = new ArrayDeque<>();
    private Object last;

    QueryRun(Environment environment) {
        this.environment = environment;
        this.budget = environment.budget();
    }

    static QueryRun current() {
        return CURRENT.get();
    }

    QueryBudget budget() {
        return budget;
    }

    Environment environment() {
        return environment;
    }

    Deque<Object> copied() {
        return copied;
    }

    @Override
    public void callback(Symbol expression, Object input, Jsonata.Frame frame) {
        if (QueryTree.isOurs(expression)) {
            return;
        }
        budget.spend(1);
        nodes.add(expression);
        if (nodes.size() > WorkflowLimits.QUERY_DEPTH) {
            throw failure("Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive");
        }
    }

    @Override
    public void callback(Symbol expression, Object input, Jsonata.Frame frame, Object result) {
        if (!QueryTree.isOurs(expression)) {
            nodes.removeLast();
        }
        last = result;
        check(result);
    }

    /** The node that is being evaluated, or has thrown; null outside of all. */
    Symbol node() {
        return nodes.isEmpty() ? null : nodes.getLast();
    }

    /** The outermost {@code and} or {@code or} whose right side is being evaluated; null: none. */
    Object rightSideOf() {
        for (int i = 0; i + 1 < nodes.size(); i++) {
            Object operator = QueryTree.get(nodes.get(i), "value");
            if (("and".equals(operator) || "or".equals(operator)) && "binary".equals(QueryTree.get(nodes.get(i), "type"))
                    && QueryTree.get(nodes.get(i), "rhs") == nodes.get(i + 1)) {
                return operator;
            }
        }
        return null;
    }

    /** What the last node to end gave: of a function its last argument, of an operator its last operand. */
    Object last() {
        return last;
    }

    /** @throws StatesError when the value is larger than one may be */
    void check(Object value) {
        if (value instanceof String text) {
            budget.spend(text.length() >> 12);
            checkBytes(text.length());
        } else if (value instanceof List || value instanceof Map) {
            Extent extent = extent(value);
            // What a document gave whole was not made here: the document's own limit holds.
            if (!(value instanceof QueryValues.Measured)) {
                checkBytes(extent.bytes());
            }
            if (extent.depth() > WorkflowLimits.JSON_DEPTH) {
                throw failure("A value is nested more than " + WorkflowLimits.JSON_DEPTH + " levels deep");
            }
        }
    }

    /** @throws StatesError when so many bytes are more than a value may have: asked before they are made */
    static void checkBytes(long bytes) {
        if (bytes > WorkflowLimits.QUERY_VALUE_BYTES) {
            throw failure("Expression evaluation memory limit exceeded: Check for excessive memory usage");
        }
    }

    static StatesError failure(String message) {
        return new StatesError(StatesError.QUERY_EVALUATION_ERROR, message);
    }

    private Extent extent(Object value) {
        return switch (value) {
            case null -> Extent.SCALAR;
            case String text -> new Extent(text.length(), 0);
            case QueryValues.Measured measured -> measured.extent();
            case Utils.RangeList range -> new Extent(8L * range.size(), 1);
            case List<?> list -> known(list, list);
            case Map<?, ?> map -> known(map, map.values());
            default -> Extent.SCALAR;
        };
    }

    private Extent known(Object container, Iterable<?> children) {
        Extent extent = known.get(container);
        if (extent == null) {
            long bytes = container instanceof Map<?, ?> map ? 8 + 8L * map.size() : 8;
            int deepest = 0;
            int count = 0;
            for (Object child : children) {
                Extent below = extent(child);
                bytes += below.bytes();
                deepest = Math.max(deepest, below.depth());
                checkBytes(bytes);
                if ((++count & 0xF) == 0) {
                    budget.spend(1);
                }
            }
            extent = new Extent(bytes, deepest + 1);
            known.put(container, extent);
        }
        return extent;
    }
}
