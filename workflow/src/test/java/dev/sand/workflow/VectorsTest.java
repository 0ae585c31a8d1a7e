package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.Diagnostic;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.Timestamps;
import dev.sand.workflow.trial.Trial;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Runs every vector of event/vectors/asl (its README has the format) through the engine, in memory, with virtual time. */
class VectorsTest {
    private static final Path FOLDER = Path.of("..", "event", "vectors", "asl");

    @TestFactory
    Stream<DynamicNode> vectors() throws IOException {
        return files().stream().map(file -> dynamicContainer(file.getFileName().toString(), read(file).stream()
                .map(vector -> dynamicTest(vector.get("name").textValue(), () -> check(vector)))));
    }

    @Test
    void everyVectorHasANameOfItsOwnASourceAndARule() throws IOException {
        Set<String> names = new HashSet<>();
        for (Path file : files()) {
            for (JsonNode vector : read(file)) {
                assertThat(names.add(file.getFileName() + " " + vector.path("name").asText())).as("%s in %s", vector.path("name"), file).isTrue();
                assertThat(vector.path("source").asText()).as("source of %s", vector.get("name")).isNotBlank();
                assertThat(vector.path("rule").asText()).as("rule of %s", vector.get("name")).isNotBlank();
            }
        }
        assertThat(names).hasSizeGreaterThanOrEqualTo(400);
    }

    static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
        }
    }

    static List<JsonNode> read(Path file) {
        try {
            List<JsonNode> vectors = new ArrayList<>();
            Json.read(Files.readAllBytes(file)).get("vectors").forEach(vectors::add);
            return vectors;
        } catch (IOException e) {
            throw new IllegalStateException(file + " is no vector file", e);
        }
    }

    static String definition(JsonNode vector) {
        JsonNode definition = vector.get("definition");
        return definition.isTextual() ? definition.textValue() : Json.text(definition);
    }

    private static void check(JsonNode vector) {
        JsonNode expected = vector.get("expect");
        switch (Definitions.parse(definition(vector))) {
            case Definitions.Parsed.Invalid invalid -> {
                assertThat(expected.has("invalid")).as("refused: %s", invalid.diagnostics()).isTrue();
                List<String> found = invalid.diagnostics().stream().map(d -> d.pointer() + " " + d.code()).toList();
                for (JsonNode place : expected.get("invalid")) {
                    assertThat(found).contains(place.get("pointer").textValue() + " " + place.get("code").textValue());
                    if (place.has("message")) {
                        assertThat(invalid.diagnostics()).extracting(Diagnostic::message).contains(place.get("message").textValue());
                    }
                }
                if (expected.path("nothingElse").asBoolean()) {
                    assertThat(found).hasSize(expected.get("invalid").size());
                }
            }
            case Definitions.Parsed.Valid valid -> {
                assertThat(expected.has("invalid")).as("accepted, though it should be refused").isFalse();
                byte[] input = vector.has("inputText") ? vector.get("inputText").textValue().getBytes(StandardCharsets.UTF_8)
                        : Json.bytes(vector.has("input") ? withLongTexts(vector.get("input")) : Json.NODES.objectNode());
                Quotas quotas = vector.path("limits").asText().equals("platform") ? Quotas.NONE : Quotas.AWS;
                Execution execution = Executions.of(valid.machine(), "app", "flow", "01HZZZZZZZZZZZZZZZZZZZZZZZ", Trial.START, null, quotas);
                Trial.Outcome outcome = Trial.run(execution, input, withLongTexts(vector.get("grains")), vector.path("redrives").asInt(),
                        vector.path("redriveFrom").textValue());
                check(expected, outcome);
            }
        }
    }

    /** The value with texts written out that stand there as {@code "<<x 262144>>"}. */
    private static JsonNode withLongTexts(JsonNode value) {
        if (value instanceof ObjectNode object) {
            ObjectNode copy = Json.NODES.objectNode();
            object.properties().forEach(field -> copy.set(field.getKey(), withLongTexts(field.getValue())));
            return copy;
        }
        if (value instanceof ArrayNode array) {
            ArrayNode copy = Json.NODES.arrayNode();
            array.forEach(element -> copy.add(withLongTexts(element)));
            return copy;
        }
        return value != null && value.isTextual() && value.textValue().matches("<<x [0-9]+>>")
                ? Json.NODES.textNode("x".repeat(Integer.parseInt(value.textValue().substring(4, value.textValue().length() - 2)))) : value;
    }

    private static void check(JsonNode expected, Trial.Outcome outcome) {
        assertThat(outcome.status().name()).as("status (%s: %s)", outcome.error(), outcome.cause())
                .isEqualTo(expected.get("status").textValue());
        if (expected.has("output")) {
            assertThat(same(expected.get("output"), outcome.output())).as("output %s, expected %s", outcome.output(),
                    expected.get("output")).isTrue();
        }
        if (expected.has("error")) {
            assertThat(outcome.error()).isEqualTo(expected.get("error").textValue());
        }
        if (expected.has("cause")) {
            assertThat(outcome.cause()).isEqualTo(expected.get("cause").textValue());
        }
        if (expected.has("elapsedSeconds")) {
            assertThat(outcome.elapsedMs()).isEqualTo(expected.get("elapsedSeconds").decimalValue().movePointRight(3).longValueExact());
        }
        if (expected.has("elapsedSecondsWithin")) {
            assertThat(outcome.elapsedMs()).isBetween(expected.get("elapsedSecondsWithin").get(0).longValue() * 1000,
                    expected.get("elapsedSecondsWithin").get(1).longValue() * 1000);
        }
        if (expected.has("objects")) {
            checkObjects(expected.get("objects"), outcome);
        }
        if (expected.has("calls")) {
            List<String> calls = outcome.calls().stream().map(call -> call.grain() + " " + Json.text(call.input())).toList();
            List<String> wanted = new ArrayList<>();
            expected.get("calls").forEach(call -> wanted.add(call.get("grain").textValue() + " " + Json.text(call.get("input"))));
            assertThat(calls).containsExactlyElementsOf(wanted);
        }
    }

    /** What the trial wrote; in its keys, a star stands for a UUID. */
    private static void checkObjects(JsonNode expected, Trial.Outcome outcome) {
        Map<String, JsonNode> written = new TreeMap<>();
        outcome.objects().forEach((key, content) ->
                written.put(key.replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "*"), Trial.shown(key, content)));
        Set<String> wanted = new HashSet<>();
        expected.fieldNames().forEachRemaining(wanted::add);
        assertThat(written.keySet()).isEqualTo(wanted);
        expected.properties().forEach(object -> assertThat(same(object.getValue(), written.get(object.getKey())))
                .as("%s: %s, expected %s", object.getKey(), written.get(object.getKey()), object.getValue()).isTrue());
    }

    /** Equal values; a string like "<<uuid>>" in the expected one stands for any value of that kind. */
    private static boolean same(JsonNode expected, JsonNode actual) {
        if (actual == null) {
            return false;
        }
        if (expected.isTextual() && expected.textValue().startsWith("<<")) {
            return switch (expected.textValue().substring(2, expected.textValue().length() - 2).split(" ")[0]) {
                case "uuid" -> actual.asText().matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
                case "timestamp" -> actual.isTextual() && Timestamps.parse(actual.textValue()) != null;
                case "string" -> actual.isTextual() && !actual.textValue().isEmpty();
                case "integer" -> {
                    String[] range = expected.textValue().substring(10, expected.textValue().length() - 2).split("\\.\\.");
                    yield actual.isIntegralNumber() && actual.longValue() >= Long.parseLong(range[0])
                            && actual.longValue() <= Long.parseLong(range[1]);
                }
                default -> throw new IllegalArgumentException("no such pattern: " + expected);
            };
        }
        if (expected.isContainerNode()) {
            if (expected.getNodeType() != actual.getNodeType() || expected.size() != actual.size()) {
                return false;
            }
            if (expected.isArray()) {
                for (int i = 0; i < expected.size(); i++) {
                    if (!same(expected.get(i), actual.get(i))) {
                        return false;
                    }
                }
                return true;
            }
            return expected.properties().stream().allMatch(field -> same(field.getValue(), actual.get(field.getKey())));
        }
        return Json.same(expected, actual);
    }
}
