package dev.sand.workflow.data;

import static dev.sand.workflow.data.Intrinsic.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Intrinsic functions that make or read text. */
final class StringFunctions {
    static final Set<String> ALGORITHMS = Set.of("MD5", "SHA-1", "SHA-256", "SHA-384", "SHA-512");

    private StringFunctions() {}

    static JsonNode format(JsonNode[] arguments, Environment environment) {
        String pattern = text(arguments[0]);
        StringBuilder out = new StringBuilder(pattern.length() + 32);
        int next = 1;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (out.length() > WorkflowLimits.DOCUMENT_BYTES) {
                throw new StatesError(StatesError.DATA_LIMIT_EXCEEDED, "States.Format makes a text of more than "
                        + WorkflowLimits.DOCUMENT_BYTES + " characters");
            }
            boolean isLast = i + 1 == pattern.length();
            if (c == '\\' && !isLast && "{}\\'".indexOf(pattern.charAt(i + 1)) >= 0) {
                out.append(pattern.charAt(++i));
            } else if (c == '{') {
                if (isLast || pattern.charAt(++i) != '}') {
                    throw StatesError.intrinsic("Invalid template in States.Format: matching '}' not found for '{'.");
                }
                if (next >= arguments.length) {
                    throw new Intrinsic.InvalidArguments();
                }
                show(arguments[next++], out);
            } else if (c == '}') {
                throw StatesError.intrinsic("Invalid template in States.Format: matching '{' not found for '}'.");
            } else {
                out.append(c);
            }
        }
        if (next != arguments.length) {
            throw new Intrinsic.InvalidArguments();
        }
        return Json.NODES.textNode(out.toString());
    }

    /** As States.Format writes it. */
    static String shown(JsonNode value) {
        StringBuilder out = new StringBuilder();
        show(value, out);
        return out.toString();
    }

    /** Objects and arrays as AWS shows them: {a=1, b=[x, y]}, texts in them without quotation marks. */
    private static void show(JsonNode value, StringBuilder out) {
        if (value.isTextual()) {
            out.append(value.textValue());
        } else if (value.isContainerNode()) {
            String separator = "";
            out.append(value.isObject() ? '{' : '[');
            if (value.isObject()) {
                for (Map.Entry<String, JsonNode> member : value.properties()) {
                    out.append(separator).append(member.getKey()).append('=');
                    show(member.getValue(), out);
                    separator = ", ";
                }
            } else {
                for (JsonNode element : value) {
                    out.append(separator);
                    show(element, out);
                    separator = ", ";
                }
            }
            out.append(value.isObject() ? '}' : ']');
        } else {
            out.append(Json.text(value));
        }
    }

    /** An empty string gives null, as on AWS. */
    static JsonNode stringToJson(JsonNode[] arguments, Environment environment) {
        String json = text(arguments[0]);
        if (JsonFault.isBlank(json)) {
            return Json.NODES.nullNode();
        }
        try {
            return Json.read(json);
        } catch (IOException e) {
            throw StatesError.intrinsic("Cannot convert String to Json in States.StringToJson, caused by: " + JsonFault.located(e, json));
        }
    }

    static JsonNode jsonToString(JsonNode[] arguments, Environment environment) {
        if (arguments.length != 1) {
            throw StatesError.intrinsic("Invalid arguments in States.JsonToString: only a single argument is allowed.");
        }
        return Json.NODES.textNode(Json.text(arguments[0]));
    }

    /** Every character of the second argument separates; empty parts are left out (as on AWS). */
    static JsonNode split(JsonNode[] arguments, Environment environment) {
        String string = text(arguments[0]);
        String separators = text(arguments[1]);
        ArrayNode parts = Json.NODES.arrayNode();
        int start = 0;
        for (int i = 0; i < string.length(); ) {
            int character = string.codePointAt(i);
            int next = i + Character.charCount(character);
            if (separators.indexOf(character) >= 0) {
                if (i > start) {
                    parts.add(string.substring(start, i));
                }
                start = next;
            }
            i = next;
        }
        if (start < string.length()) {
            parts.add(string.substring(start));
        }
        return parts;
    }

    static JsonNode base64Encode(JsonNode[] arguments, Environment environment) {
        byte[] bytes = bounded(text(arguments[0])).getBytes(StandardCharsets.UTF_8);
        return Json.NODES.textNode(Base64.getEncoder().encodeToString(bytes));
    }

    /** What is no base 64 is passed over, and what comes after the padding too, as on AWS. */
    static JsonNode base64Decode(JsonNode[] arguments, Environment environment) {
        String string = bounded(text(arguments[0]));
        int padding = string.indexOf('=');
        String digits = (padding < 0 ? string : string.substring(0, padding)).replace('-', '+').replace('_', '/')
                .replaceAll("[^A-Za-z0-9+/]", "");
        String whole = digits.substring(0, digits.length() - (digits.length() % 4 == 1 ? 1 : 0));
        return Json.NODES.textNode(new String(Base64.getDecoder().decode(whole), StandardCharsets.UTF_8));
    }

    static JsonNode hash(JsonNode[] arguments, Environment environment) {
        String algorithm = text(arguments[1]);
        if (!ALGORITHMS.contains(algorithm)) {
            throw new Intrinsic.InvalidArguments();
        }
        JsonNode data = arguments[0];
        return Json.NODES.textNode(digest(bounded(data.isTextual() ? data.textValue() : Json.text(data)), algorithm));
    }

    /** @param algorithm of {@link #ALGORITHMS}; @return in hexadecimal digits */
    static String digest(String text, String algorithm) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(text.getBytes(StandardCharsets.UTF_8)));
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
            throw new Intrinsic.InvalidArguments();
        }
        return string;
    }
}
