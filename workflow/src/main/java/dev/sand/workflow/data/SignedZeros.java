package dev.sand.workflow.data;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;

/**
 * Reads -0.0 as the number 0.0 that is written with its sign, as JSON has it; decimals of Java have none. Nor have they exponents of
 * any length: a number that has one is no JSON here.
 */
final class SignedZeros extends JsonParserDelegate {
    /** Exponents have fewer digits than this has. */
    private static final long EXPONENT = 1_000_000_000;

    private SignedZeros(JsonParser parser) {
        super(parser);
    }

    static JsonParser of(JsonParser parser) {
        return new SignedZeros(parser);
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
        return new JsonParseException(this, "the exponent of a number in it has more than 9 digits");
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
