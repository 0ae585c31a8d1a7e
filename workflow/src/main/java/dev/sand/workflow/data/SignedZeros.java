package dev.sand.workflow.data;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;

/** Reads -0.0 as the number 0.0 that is written with its sign, as JSON has it; decimals of Java have none. */
final class SignedZeros extends JsonParserDelegate {
    private SignedZeros(JsonParser parser) {
        super(parser);
    }

    static JsonParser of(JsonParser parser) {
        return new SignedZeros(parser);
    }

    @Override
    public BigDecimal getDecimalValue() throws IOException {
        BigDecimal value = super.getDecimalValue();
        return value.signum() == 0 && getText().charAt(0) == '-' ? new SignedZero(value) : value;
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
