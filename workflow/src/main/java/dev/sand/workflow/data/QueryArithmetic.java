package dev.sand.workflow.data;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata.JFunction;
import com.dashjoin.jsonata.Utils;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What may give no finite number: operators, and the functions that AWS was measured to hand one on, or that reckon as they do. The
 * library fails with such a number, or gives nothing; to AWS it is one that can be compared and rounded, and whose name, as a text, is
 * what leaves the expression. To reckon with it fails.
 */
final class QueryArithmetic {
    static final Set<String> OPERATORS = Set.of("+", "-", "/", "*", "%");
    static final Set<String> ROUNDING = Set.of("floor", "ceil", "abs", "round");
    /** No expression can name it. */
    static final String NAME = "\u0000arithmetic";
    static final JFunction FUNCTION = QuerySignature.strict(new JFunction(
            (input, arguments) -> reckon((String) arguments.get(0), arguments.get(1), arguments.get(2)), "<sx?x?:x>"));

    private static final int DIGITS = 400;

    private QueryArithmetic() {}

    /** By name, those that take a number of any kind. */
    static Map<String, JFunction> functions() {
        return Map.of("floor", rounding(number -> Math.floor(number.doubleValue())),
                "ceil", rounding(number -> Math.ceil(number.doubleValue())),
                "abs", rounding(QueryArithmetic::abs),
                "round", function("<n-n?:n>", arguments -> !isFinite(arguments.get(0)) ? (Number) arguments.get(0)
                        : round((Number) arguments.get(0), arguments.size() < 2 ? null : (Number) arguments.get(1))),
                "sum", over(Functions::sum), "max", over(Functions::max), "min", over(Functions::min), "average", over(Functions::average));
    }

    private static JFunction rounding(Function<Number, Number> round) {
        return function("<n-:n>", arguments -> arguments.get(0) == null ? null : round.apply((Number) arguments.get(0)));
    }

    @SuppressWarnings("unchecked")
    private static JFunction over(Function<List<Number>, Number> reckoned) {
        return function("<a<n>:n>", arguments -> reckoned.apply((List<Number>) arguments.get(0)));
    }

    private static JFunction function(String signature, Function<List<?>, Number> of) {
        return new JFunction((input, arguments) -> number(of.apply(arguments)), signature);
    }

    private static Object reckon(String operator, Object left, Object right) {
        if (left != null && !Utils.isNumeric(left)) {
            throw new JException("T2001", -1, operator, left);
        }
        if (right != null && !Utils.isNumeric(right)) {
            throw new JException("T2002", -1, operator, right);
        }
        if (left == null || right == null) {
            return null;
        }
        double a = ((Number) left).doubleValue();
        double b = ((Number) right).doubleValue();
        return number(switch (operator) {
            case "+" -> a + b;
            case "-" -> a - b;
            case "/" -> a / b;
            case "*" -> a * b;
            default -> a % b;
        });
    }

    private static Number number(Number number) {
        return number == null || !isFinite(number) ? number : Utils.convertNumber(number);
    }

    static boolean isFinite(Object value) {
        return !(value instanceof Double number) || Double.isFinite(number);
    }

    private static Number abs(Number number) {
        return number == null ? null : number instanceof BigInteger huge ? (Number) huge.abs() : (Number) Math.abs(number.doubleValue());
    }

    /** A precision beyond that of any number changes nothing: it must not make room for its digits. */
    private static Number round(Number number, Number precision) {
        if (number == null || precision != null && precision.longValue() > DIGITS) {
            return number;
        }
        return precision != null && precision.longValue() < -DIGITS ? 0 : Functions.round(number, precision);
    }
}
