package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;

/** The intrinsic functions of the JSONPath language, by name, with the number of arguments each takes. */
public enum Intrinsic {
    FORMAT("Format", 1, Integer.MAX_VALUE, StringFunctions::format),
    STRING_TO_JSON("StringToJson", 1, 1, StringFunctions::stringToJson),
    JSON_TO_STRING("JsonToString", 0, Integer.MAX_VALUE, StringFunctions::jsonToString),
    STRING_SPLIT("StringSplit", 2, 2, StringFunctions::split),
    BASE64_ENCODE("Base64Encode", 1, 1, StringFunctions::base64Encode),
    BASE64_DECODE("Base64Decode", 1, 1, StringFunctions::base64Decode),
    HASH("Hash", 2, 2, StringFunctions::hash),
    UUID("UUID", 0, Integer.MAX_VALUE, StringFunctions::uuid),
    ARRAY("Array", 0, Integer.MAX_VALUE, ArrayFunctions::array),
    ARRAY_PARTITION("ArrayPartition", 2, 2, ArrayFunctions::partition),
    ARRAY_CONTAINS("ArrayContains", 2, 2, ArrayFunctions::contains),
    ARRAY_RANGE("ArrayRange", 3, 3, ArrayFunctions::range),
    ARRAY_GET_ITEM("ArrayGetItem", 2, 2, ArrayFunctions::getItem),
    ARRAY_LENGTH("ArrayLength", 1, 1, ArrayFunctions::length),
    ARRAY_UNIQUE("ArrayUnique", 1, 1, ArrayFunctions::unique),
    JSON_MERGE("JsonMerge", 3, 3, ArrayFunctions::merge),
    MATH_RANDOM("MathRandom", 2, 3, MathFunctions::random),
    MATH_ADD("MathAdd", 2, 2, MathFunctions::add);

    /** @throws StatesError IntrinsicFailure; @throws InvalidArguments */
    @FunctionalInterface
    interface Body {
        JsonNode apply(JsonNode[] arguments, Environment environment);
    }

    private static final Map<String, Intrinsic> BY_NAME = new HashMap<>();

    static {
        for (Intrinsic intrinsic : values()) {
            BY_NAME.put("States." + intrinsic.name, intrinsic);
        }
    }

    private final String name;
    private final int least;
    private final int most;
    private final Body body;

    Intrinsic(String name, int least, int most, Body body) {
        this.name = name;
        this.least = least;
        this.most = most;
        this.body = body;
    }

    /** @param name with {@code States.}; @return null when there is none */
    static Intrinsic named(String name) {
        return BY_NAME.get(name);
    }

    /** @throws StatesError IntrinsicFailure, in AWS's words: "Invalid arguments" but where a function says more */
    JsonNode apply(JsonNode[] arguments, Environment environment) {
        if (arguments.length < least || arguments.length > most) {
            throw invalid();
        }
        try {
            return body.apply(arguments, environment);
        } catch (InvalidArguments e) {
            throw invalid();
        }
    }

    private StatesError invalid() {
        return StatesError.intrinsic("Invalid arguments in States." + name);
    }

    /** An argument is of the wrong type or out of range. */
    static final class InvalidArguments extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InvalidArguments() {
            super(null, null, false, false);
        }
    }

    // --- what the functions ask of their arguments

    static String text(JsonNode argument) {
        if (!argument.isTextual()) {
            throw new InvalidArguments();
        }
        return argument.textValue();
    }

    static JsonNode array(JsonNode argument) {
        if (!argument.isArray()) {
            throw new InvalidArguments();
        }
        return argument;
    }

    /** A number; a fraction is cut off, as on AWS. */
    static long integer(JsonNode argument) {
        if (!argument.isNumber()) {
            throw new InvalidArguments();
        }
        if (argument.isIntegralNumber() && argument.canConvertToLong()) {
            return argument.longValue();
        }
        double number = argument.doubleValue();
        if (!(Math.abs(number) <= 1L << 53)) {
            throw new InvalidArguments();
        }
        return (long) number;
    }
}
