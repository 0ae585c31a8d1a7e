package dev.sand.workflow.data;

import static dev.sand.workflow.data.Intrinsic.integer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Random;
import java.util.SplittableRandom;

/** Intrinsic functions over numbers. */
final class MathFunctions {
    private MathFunctions() {}

    /** From the first number on, below the second; with a third, the number that AWS has for this seed. */
    static JsonNode random(JsonNode[] arguments, Environment environment) {
        long from = integer(arguments[0]);
        long to = integer(arguments[1]);
        if (from >= to) {
            throw new Intrinsic.InvalidArguments();
        }
        if (arguments.length < 3) {
            return ArrayFunctions.number(new SplittableRandom(environment.draw()).nextLong(from, to));
        }
        Random seeded = new Random(integer(arguments[2]));
        long numbers = to - from;
        if (numbers > 0 && numbers <= Integer.MAX_VALUE) {
            return ArrayFunctions.number(from + seeded.nextInt((int) numbers));
        }
        double drawn = from + seeded.nextDouble() * ((double) to - from);
        return ArrayFunctions.number(Math.clamp((long) Math.floor(drawn), from, to - 1));
    }

    /** Of numbers of 32 bits, each rounded first; the sum is one too, as on AWS. */
    static JsonNode add(JsonNode[] arguments, Environment environment) {
        return ArrayFunctions.number(small(rounded(arguments[0]) + rounded(arguments[1])));
    }

    private static long rounded(JsonNode argument) {
        if (!argument.isNumber()) {
            throw new Intrinsic.InvalidArguments();
        }
        return small(Math.round(argument.doubleValue()));
    }

    private static long small(long number) {
        if (number != (int) number) {
            throw new Intrinsic.InvalidArguments();
        }
        return number;
    }
}
