package dev.sand.workflow.data;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;

/** JSON as workflows see it: numbers as they are written, never rounded to a double; nesting and digits bounded. */
public final class Json {
    public static final JsonMapper MAPPER = mapper();
    public static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ObjectReader READER = MAPPER.reader();
    private static final ObjectReader PART_READER = READER.without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final ObjectReader STRICT_READER = READER.with(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .with(JsonReadFeature.ALLOW_SINGLE_QUOTES);
    private static final ObjectWriter WRITER = MAPPER.writer();

    private Json() {}

    private static JsonMapper mapper() {
        JsonMapper mapper = JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .disable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                .build();
        mapper.getFactory().setStreamReadConstraints(StreamReadConstraints.builder()
                .maxNestingDepth(WorkflowLimits.JSON_DEPTH)
                .maxNumberLength(WorkflowLimits.NUMBER_CHARS)
                .maxStringLength(WorkflowLimits.DOCUMENT_BYTES)
                .maxNameLength(WorkflowLimits.DOCUMENT_BYTES)
                .build());
        return mapper;
    }

    /** @throws IOException when the bytes are not one JSON value within the bounds */
    public static JsonNode read(byte[] bytes) throws IOException {
        if (JsonFault.beginsWithMark(ByteBuffer.wrap(bytes))) {
            throw new JsonParseException(null, JsonFault.MARK);
        }
        return there(READER.readTree(Decimals.of(MAPPER.createParser(bytes))));
    }

    private static JsonNode there(JsonNode node) throws IOException {
        if (node == null || node.isMissingNode()) {
            throw new IOException("no value");
        }
        return node;
    }

    /** @throws IOException as {@link #read(byte[])} */
    public static JsonNode read(String text) throws IOException {
        return there(READER.readTree(parser(text)));
    }

    /** As {@link #read(String)}, and as AWS: texts may stand in single quotes, no key stands twice, and a double holds every number. */
    static JsonNode readStrictly(String text) throws IOException {
        try {
            JsonNode node = there(STRICT_READER.readTree(text));
            refuseHuge(node);
            return node;
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IOException("a number is too large", e);
        }
    }

    private static void refuseHuge(JsonNode node) throws IOException {
        if (node.isNumber() && Double.isInfinite(node.doubleValue())) {
            throw new IOException("a number is too large");
        }
        for (JsonNode part : node) {
            refuseHuge(part);
        }
    }

    /** Of a text that is read piece by piece. */
    public static JsonParser parser(InputStream text) throws IOException {
        return Decimals.of(MAPPER.createParser(text));
    }

    /** As above. */
    public static JsonParser parser(String text) throws IOException {
        return Decimals.of(MAPPER.createParser(text));
    }

    /** As {@link #read(String)}. @param mapper with bounds of its own */
    public static JsonNode read(JsonMapper mapper, String text) throws IOException {
        return there(mapper.readTree(Decimals.of(mapper.createParser(text))));
    }

    /** The value that the parser is at, of a larger text. @throws IOException as {@link #read(byte[])} */
    public static JsonNode read(JsonParser parser) throws IOException {
        return PART_READER.readTree(parser);
    }

    /** In UTF-8, which has every character but half of a pair of surrogates: that stays an escape (RFC 8259, 8.2). */
    public static byte[] bytes(JsonNode node) {
        try {
            return WRITER.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree can always be written", e);
        }
    }

    /** The characters of {@link #bytes(JsonNode)}. */
    public static String text(JsonNode node) {
        try {
            return withoutHalves(WRITER.writeValueAsString(node));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a JSON tree can always be written", e);
        }
    }

    private static String withoutHalves(String json) {
        StringBuilder out = null;
        int written = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < json.length() && Character.isLowSurrogate(json.charAt(i + 1))) {
                i++;
                continue;
            }
            out = out == null ? new StringBuilder(json.length() + 32) : out;
            out.append(json, written, i).append(String.format("\\u%04X", (int) c));
            written = i + 1;
        }
        return out == null ? json : out.append(json, written, json.length()).toString();
    }

    /** How deep the value is nested, counted no further than one more than {@code limit}. */
    public static int depth(JsonNode node, int limit) {
        if (!node.isContainerNode()) {
            return 0;
        }
        int deepest = 0;
        for (JsonNode child : node) {
            if (deepest >= limit) {
                break;
            }
            deepest = Math.max(deepest, depth(child, limit - 1));
        }
        return deepest + 1;
    }

    /** Equality of values: 1, 1.0 and 1e0 are the same number; order of fields does not matter. */
    public static boolean same(JsonNode a, JsonNode b) {
        if (a.isNumber() && b.isNumber()) {
            return compare(a, b) == 0;
        }
        if (a.getNodeType() != b.getNodeType() || a.size() != b.size()) {
            return false;
        }
        if (a.isArray()) {
            for (int i = 0; i < a.size(); i++) {
                if (!same(a.get(i), b.get(i))) {
                    return false;
                }
            }
            return true;
        }
        if (a.isObject()) {
            for (var field : a.properties()) {
                JsonNode other = b.get(field.getKey());
                if (other == null || !same(field.getValue(), other)) {
                    return false;
                }
            }
            return true;
        }
        return a.equals(b);
    }

    public static int compare(JsonNode a, JsonNode b) {
        if (a.canConvertToLong() && b.canConvertToLong() && a.isIntegralNumber() && b.isIntegralNumber()) {
            return Long.compare(a.longValue(), b.longValue());
        }
        return a.decimalValue().compareTo(b.decimalValue());
    }

    /**
     * About how many bytes the value has when written, counted no further than {@code limit}: a template can name the same part
     * a thousand times, and its result a thousand times again.
     */
    public static long size(JsonNode node, long limit) {
        if (node.isContainerNode()) {
            long size = 2;
            if (node.isArray()) {
                for (int i = 0; i < node.size() && size <= limit; i++) {
                    size += 1 + size(node.get(i), limit - size);
                }
                return size;
            }
            for (var field : node.properties()) {
                size += 4 + field.getKey().length() + size(field.getValue(), limit - size);
                if (size > limit) {
                    break;
                }
            }
            return size;
        }
        return node.isTextual() ? node.textValue().length() + 2 : node.isBigDecimal() || node.isBigInteger()
                ? node.decimalValue().precision() + 2 : 8;
    }

    /** How many bytes the value has when written; more than {@code limit} without counting on when it has many more. */
    public static long bytes(JsonNode node, long limit) {
        // What is written is at least an eighth of the guess: of a list of digits, 9 are guessed for each, and 2 written.
        long guess = size(node, limit * 8);
        return guess > limit * 8 ? guess : bytes(node).length;
    }

    /** The number as a long when it is a whole one in that range, else null; safe for 1e999999999. */
    public static Long wholeNumber(JsonNode node) {
        if (!node.isNumber()) {
            return null;
        }
        if (node.isIntegralNumber()) {
            return node.canConvertToLong() ? node.longValue() : null;
        }
        BigDecimal decimal = node.decimalValue();
        if (decimal.signum() == 0) {
            return 0L;
        }
        if ((long) decimal.precision() - decimal.scale() > 19) {
            return null;
        }
        try {
            return decimal.longValueExact();
        } catch (ArithmeticException e) {
            return null;
        }
    }
}
