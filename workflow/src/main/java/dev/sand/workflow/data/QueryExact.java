package dev.sand.workflow.data;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.Jsonata.JFunction;
import com.dashjoin.jsonata.Jsonata.JFunctionCallable;
import com.dashjoin.jsonata.Utils;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;

/**
 * JSONata's functions that hand a number on, and the transform: the library makes a double of it on the way, or a text and a double
 * of that, although nobody reckons with it.
 */
final class QueryExact {
    /** Stands around a transform; no expression can name it. */
    static final String TRANSFORM = "\u0000transform";
    /** Stands before a transform's pattern, with the copy that the library has made. */
    static final String RESTORE = "\u0000restore";

    private QueryExact() {}

    @FunctionalInterface
    private interface Call {
        Object of(Object first, Object second, Object third) throws Throwable;
    }

    /** A function of the library's whose result stays what it is: only of what it takes the library is asked. */
    private static final class Exact extends JFunction {
        private final Call call;

        Exact(String name, String signature, String method, Call call) {
            super(name, signature, Functions.class, null, method);
            this.call = call;
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Object call(Object input, List args) {
            try {
                return call.of(argument(args, 0), argument(args, 1), argument(args, 2));
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** By name. */
    static Map<String, JFunction> functions() {
        return Map.of("lookup", new Exact("lookup", "<x-s:x>", "lookup", (input, key, _) -> Functions.lookup(input, (String) key)),
                "single", new Exact("single", "<af?>", "single", (array, test, _) -> Functions.single(list(array), test)),
                "reduce", new Exact("reduce", "<afj?:j>", "foldLeft", (array, fold, first) -> Functions.foldLeft(list(array), fold, first)),
                "number", new Exact("number", "<(nsb)-:n>", "number", (value, _, _) -> number(value)),
                "clone", new Exact("clone", "<(oa)-:o>", "functionClone", (value, _, _) -> copy(value)),
                TRANSFORM, new JFunction((input, arguments) -> transform((JFunction) arguments.getFirst()), "<f:f>"),
                RESTORE, new JFunction((input, arguments) -> restored(arguments.getFirst()), "<x:x>"));
    }

    private static Object argument(List<?> arguments, int index) {
        return index < arguments.size() ? arguments.get(index) : null;
    }

    private static List<?> list(Object value) {
        return value == null || value instanceof List ? (List<?>) value : new ArrayList<>(List.of(value));
    }

    /** The library takes the largest integer of 64 bits for the double after it. */
    private static Number number(Object value) {
        return value instanceof BigInteger whole && whole.bitLength() < Long.SIZE ? whole : Utils.convertNumber(QueryFunctions.number(value));
    }

    private static Object copy(Object value) {
        return switch (value) {
            case List<?> list -> {
                QueryRun.current().budget().spend(1 + list.size() / 16);
                List<Object> copy = new ArrayList<>(list.size());
                list.forEach(element -> copy.add(copy(element)));
                yield copy;
            }
            case Map<?, ?> map -> {
                QueryRun.current().budget().spend(1 + map.size() / 16);
                Map<Object, Object> copy = new LinkedHashMap<>();
                map.forEach((name, member) -> copy.put(name, copy(member)));
                yield copy;
            }
            case null -> null;
            default -> Utils.isFunction(value) ? "" : value; // as the library writes one
        };
    }

    /** @param transform of the library's, whose pattern begins with a restoration */
    private static JFunction transform(JFunction transform) {
        JFunctionCallable remembering = (input, arguments) -> {
            QueryRun run = QueryRun.current();
            run.copied().addLast(arguments.getFirst() == null ? List.of() : arguments.getFirst());
            try {
                return transform.call(input, arguments);
            } finally {
                run.copied().removeLast();
            }
        };
        return new JFunction(remembering, "<(oa):o>"); // as the library's own: null passes
    }

    /** The copy, with the numbers of what it was made from. */
    private static Object restored(Object copy) {
        restore(copy, QueryRun.current().copied().getLast());
        return copy;
    }

    @SuppressWarnings("unchecked")
    private static void restore(Object copy, Object from) {
        if (copy instanceof List<?> list && from instanceof List<?> original && list.size() == original.size()) {
            Iterator<?> originals = original.iterator();
            for (ListIterator<Object> elements = ((List<Object>) list).listIterator(); elements.hasNext();) {
                Object element = elements.next();
                Object exact = originals.next();
                if (element instanceof Number && exact instanceof Number) {
                    elements.set(exact);
                } else {
                    restore(element, exact);
                }
            }
        } else if (copy instanceof Map<?, ?> map && from instanceof Map<?, ?> original) {
            for (Map.Entry<?, Object> member : ((Map<?, Object>) map).entrySet()) {
                Object exact = original.get(member.getKey());
                if (member.getValue() instanceof Number && exact instanceof Number) {
                    member.setValue(exact);
                } else {
                    restore(member.getValue(), exact);
                }
            }
        }
    }
}
