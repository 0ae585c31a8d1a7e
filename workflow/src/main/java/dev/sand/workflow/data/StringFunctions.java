package dev.sand.workflow.data;

import static dev.sand.workflow.data.Intrinsic.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;

/** Intrinsic functions that make or read text. */
final class StringFunctions {
    private static final Set<String> ALGORITHMS = Set.of("MD5", "SHA-1", "SHA-256", "SHA-384", "SHA-512");

    private StringFunctions() {}

    static JsonNode format(JsonNode[] arguments, Environment environment) {
        String pattern = text(arguments[0], "the template");
        StringBuilder out = new StringBuilder(pattern.length() + 32);
        int next = 1;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (out.length() > WorkflowLimits.DOCUMENT_BYTES) {
                throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "States.Format makes a text of more than "
                        + WorkflowLimits.DOCUMENT_BYTES + " characters");
            }
            if (c == '\\' && i + 1 < pattern.length() && "{}\\'".indexOf(pattern.charAt(i + 1)) >= 0) {
                out.append(pattern.charAt(++i));
            } else if (c == '{' && i + 1 < pattern.length() && pattern.charAt(i + 1) == '}') {
                if (next >= arguments.length) {
                    throw StatesError.intrinsic("the template has more {} than there are values");
                }
                JsonNode value = arguments[next++];
                out.append(value.isTextual() ? value.textValue() : Json.text(value));
                i++;
            } else {
                out.append(c);
            }
        }
        if (next != arguments.length) {
            throw StatesError.intrinsic("the template has " + (next - 1) + " {} for " + (arguments.length - 1) + " values");
        }
        return Json.NODES.textNode(out.toString());
    }

    static JsonNode stringToJson(JsonNode[] arguments, Environment environment) {
        String json = text(arguments[0], "the argument");
        try {
            return Json.read(json);
        } catch (IOException e) {
            throw StatesError.intrinsic((JsonFault.isLimit(e) ? "the string is JSON over a limit: " : "the string is no JSON: ")
                    + JsonFault.sentence(e, ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8))));
        }
    }

    static JsonNode jsonToString(JsonNode[] arguments, Environment environment) {
        return Json.NODES.textNode(Json.text(arguments[0]));
    }

    /** Every character of the second argument separates; empty parts are left out (as on AWS). */
    static JsonNode split(JsonNode[] arguments, Environment environment) {
        String string = text(arguments[0], "the string");
        String separators = text(arguments[1], "the separator");
        ArrayNode parts = Json.NODES.arrayNode();
        int start = 0;
        for (int i = 0; i <= string.length(); i++) {
            if (i == string.length() || separators.indexOf(string.charAt(i)) >= 0) {
                if (i > start) {
                    parts.add(string.substring(start, i));
                }
                start = i + 1;
            }
        }
        return parts;
    }

    static JsonNode base64Encode(JsonNode[] arguments, Environment environment) {
        byte[] bytes = bounded(text(arguments[0], "the string")).getBytes(StandardCharsets.UTF_8);
        return Json.NODES.textNode(Base64.getEncoder().encodeToString(bytes));
    }

    static JsonNode base64Decode(JsonNode[] arguments, Environment environment) {
        String string = bounded(text(arguments[0], "the string"));
        try {
            return Json.NODES.textNode(new String(Base64.getDecoder().decode(string), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw StatesError.intrinsic("the string is not base 64: " + e.getMessage());
        }
    }

    static JsonNode hash(JsonNode[] arguments, Environment environment) {
        String algorithm = text(arguments[1], "the algorithm");
        if (!ALGORITHMS.contains(algorithm)) {
            throw StatesError.intrinsic("the algorithm must be MD5, SHA-1, SHA-256, SHA-384 or SHA-512, it is " + algorithm);
        }
        JsonNode data = arguments[0];
        String string = bounded(data.isTextual() ? data.textValue() : Json.text(data));
        try {
            byte[] digest = MessageDigest.getInstance(algorithm).digest(string.getBytes(StandardCharsets.UTF_8));
            return Json.NODES.textNode(HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no " + algorithm, e);
        }
    }

    /** Version 4 in form; its bits are drawn, so that a replay makes the same one. */
    static JsonNode uuid(JsonNode[] arguments, Environment environment) {
        long high = environment.draw() & ~0xF000L | 0x4000L;
        long low = environment.draw() & ~(3L << 62) | 1L << 63;
        return Json.NODES.textNode(new UUID(high, low).toString());
    }

    private static String bounded(String string) {
        if (string.length() > WorkflowLimits.ENCODE_CHARS) {
            throw StatesError.intrinsic("the string has " + string.length() + " characters, the limit is "
                    + WorkflowLimits.ENCODE_CHARS);
        }
        return string;
    }
}
