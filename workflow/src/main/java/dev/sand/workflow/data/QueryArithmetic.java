package dev.sand.workflow.data;

import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Jsonata;
import com.dashjoin.jsonata.Jsonata.JFunction;
import com.dashjoin.jsonata.Utils;
import java.util.Set;

/**
 * The operators whose result may be no number: the library fails with it, or gives nothing; AWS gives its name, as a text. Public and
 * static because the library calls it by name.
 */
public final class QueryArithmetic {
    static final Set<String> OPERATORS = Set.of("/", "*", "%");
    /** No expression can name it. */
    static final String NAME = "\u0000arithmetic";
    static final JFunction FUNCTION = Jsonata.function(NAME, "<sx?x?:x>", QueryArithmetic.class, null, "reckon");

    private QueryArithmetic() {}

    public static Object reckon(String operator, Object left, Object right) {
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
        double result = switch (operator) {
            case "/" -> a / b;
            case "*" -> a * b;
            default -> a % b;
        };
        return Double.isNaN(result) || Double.isInfinite(result) ? (Object) Double.toString(result) : Utils.convertNumber(result);
    }
}
