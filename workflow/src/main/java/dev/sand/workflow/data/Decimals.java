package dev.sand.workflow.data;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;

/**
 * Numbers as decimals of Java, and what these have not: the sign of -0.0, which is written with it, as JSON has it; and exponents of
 * any length, so that a number with one of more than 9 digits is no JSON here.
 */
final class Decimals extends JsonParserDelegate {
    /** Exponents have fewer digits than this has. */
    private static final long EXPONENT = 1_000_000_000;

    private static final MathContext ONE_DIGIT = new MathContext(1);

    private Decimals(JsonParser parser) {
        super(parser);
    }

    /** With the fewest digits that are read as the same double (ECMA-262, Number::toString): Java has two at least, as in 4.9E-324. */
    static BigDecimal shortest(double number) {
        BigDecimal two = new BigDecimal(Double.toString(number));
        BigDecimal one = two.precision() == 2 ? two.round(ONE_DIGIT) : two;
        return one.doubleValue() == number ? one : two;
    }

    static JsonParser of(JsonParser parser) {
        return new Decimals(parser);
    }

    @Override
    public BigDecimal getDecimalValue() throws IOException {
        BigDecimal value;
        try {
            value = super.getDecimalValue();
        } catch (NumberFormatException | ArithmeticException e) {
            throw outOfRange();
        }
        if (Math.abs((long) value.scale()) >= EXPONENT) {
            throw outOfRange();
        }
        return value.signum() == 0 && getText().charAt(0) == '-' ? new SignedZero(value) : value;
    }

    private JsonParseException outOfRange() {
        return new JsonParseException(null, "the exponent of a number in it has more than 9 digits");
    }

    private static final class SignedZero extends BigDecimal {
        private static final long serialVersionUID = 1L;

        SignedZero(BigDecimal zero) {
            super(zero.unscaledValue(), zero.scale(), MathContext.UNLIMITED);
        }

        @Override
        public String toString() {
            return "-" + super.toString();
        }
    }
}
