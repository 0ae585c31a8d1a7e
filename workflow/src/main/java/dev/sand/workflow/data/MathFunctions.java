package dev.sand.workflow.data;

import static dev.sand.workflow.data.Intrinsic.integer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.SplittableRandom;

/** Intrinsic functions over numbers. */
final class MathFunctions {
    private MathFunctions() {}

    /** From the first number on, below the second; with a third, the same number each time. */
    static JsonNode random(JsonNode[] arguments, Environment environment) {
        long from = integer(arguments[0], "the start");
        long to = integer(arguments[1], "the end");
        if (from >= to) {
            throw StatesError.intrinsic("the start " + from + " must be less than the end " + to);
        }
        long seed = arguments.length == 3 ? integer(arguments[2], "the seed") : environment.draw();
        return ArrayFunctions.number(new SplittableRandom(seed).nextLong(from, to));
    }

    static JsonNode add(JsonNode[] arguments, Environment environment) {
        try {
            return ArrayFunctions.number(Math.addExact(integer(arguments[0], "the first number"),
                    integer(arguments[1], "the second number")));
        } catch (ArithmeticException e) {
            throw StatesError.intrinsic("the sum is out of range");
        }
    }
}
