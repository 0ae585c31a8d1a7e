package dev.sand.workflow.trial;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.Execution;
import dev.sand.workflow.Executions;
import dev.sand.workflow.Quotas;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.Diagnostic;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.JsonFault;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.WorkflowLimits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/**
 * {@code sand asl} with the Java engine: cases as JSON lines on standard input, a result a line on standard output. A case is
 * {@code {"id", "definition", "input", "grains", "limits"}}; the definition an object, or its text; limits those of AWS, unless it says "platform".
 * A case that the engine itself fails at costs the others nothing.
 *
 * <p>The command says which form of cases it speaks: one that was installed with other jars would be misunderstood, case by case.
 */
public final class AslCommand {
    /** Of cases and results, counted up whenever one engine's jars could misread what the other's command sends. As in command/asl.py. */
    static final int PROTOCOL = 1;
    /** Exit code: the command speaks another one. */
    static final int OTHER_PROTOCOL = 3;
    /** A value that is too large is the engine's to refuse, and not the end of all that follow; a case has a level around its values. */
    private static final JsonMapper CASES = cases();

    private AslCommand() {}

    private static JsonMapper cases() {
        JsonMapper mapper = Json.MAPPER.rebuild().build();
        mapper.getFactory().setStreamReadConstraints(Json.MAPPER.getFactory().streamReadConstraints().rebuild()
                .maxStringLength(Integer.MAX_VALUE).maxNestingDepth(WorkflowLimits.JSON_DEPTH + 1).build());
        return mapper;
    }

    /** @param arguments {@code run} or {@code validate}, and the protocol's number */
    public static void main(String[] arguments) throws IOException {
        boolean isRun = arguments.length == 2 && arguments[0].equals("run");
        if (!isRun && !(arguments.length == 2 && arguments[0].equals("validate"))) {
            System.err.println("say run or validate, and the protocol; cases come as JSON lines on standard input");
            System.exit(2);
        }
        if (!arguments[1].equals(Integer.toString(PROTOCOL))) {
            System.err.println(PROTOCOL);
            System.exit(OTHER_PROTOCOL);
        }
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        // The JSONata library says a word now and then: results stand alone.
        System.setOut(System.err);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isBlank()) {
                out.println(Json.text(answer(isRun, line)));
                out.flush();
            }
        }
    }

    private static JsonNode read(String line) throws IOException {
        return Json.read(CASES, line);
    }

    private static ObjectNode answer(boolean isRun, String line) {
        try {
            return answer(isRun, read(line), isRun ? AslCommand::run : AslCommand::validate);
        } catch (IOException e) {
            return fault(Json.NODES.objectNode(), isRun, "INVALID_JSON", "The case is no JSON: " + JsonFault.sentence(e, line) + ".");
        }
    }

    /** @return also where the engine is at fault: what comes behind is another case's */
    static ObjectNode answer(boolean isRun, JsonNode one, Function<JsonNode, ObjectNode> engine) {
        try {
            return engine.apply(one);
        } catch (RuntimeException | StackOverflowError e) {
            e.printStackTrace();
            return fault(result(one), isRun, "ENGINE_FAULT", "The engine itself failed at this case: " + e + ".");
        }
    }

    private static ObjectNode fault(ObjectNode result, boolean isRun, String code, String message) {
        refused(result, isRun).putArray("diagnostics").addObject().put("pointer", "").put("code", code).put("message", message);
        return result;
    }

    private static ObjectNode refused(ObjectNode result, boolean isRun) {
        return isRun ? result.put("status", "INVALID") : result.put("valid", false);
    }

    private static ObjectNode validate(JsonNode one) {
        ObjectNode result = result(one);
        List<Diagnostic> diagnostics = Definitions.parse(definition(one)) instanceof Definitions.Parsed.Invalid invalid
                ? invalid.diagnostics() : List.of();
        result.put("valid", diagnostics.isEmpty());
        result.set("diagnostics", json(diagnostics));
        return result;
    }

    private static ObjectNode run(JsonNode one) {
        ObjectNode result = result(one);
        List<Diagnostic> useless = StubCheck.faults(one.get("grains"), "/grains");
        if (!useless.isEmpty()) {
            return refused(result, true).set("diagnostics", json(useless));
        }
        switch (Definitions.parse(definition(one))) {
            case Definitions.Parsed.Invalid invalid -> {
                refused(result, true).set("diagnostics", json(invalid.diagnostics()));
            }
            case Definitions.Parsed.Valid valid -> {
                try {
                    Document.made(one.path("input"));
                } catch (StatesError e) { // the platform refuses it at its door
                    return result.put("status", Trial.Status.FAILED.name()).put("error", e.error()).put("cause", e.getMessage());
                }
                Execution execution = Executions.of(valid.machine(), "trial", "workflow", executionId(result.path("id")), Trial.START,
                        null, one.path("limits").asText().equals("platform") ? Quotas.NONE : Quotas.AWS);
                Trial.Outcome outcome = Trial.run(execution, input(one), one.get("grains"), one.path("redrives").asInt(),
                        one.path("redriveFrom").textValue());
                result.put("status", outcome.status().name());
                if (outcome.output() != null) {
                    result.set("output", outcome.output());
                }
                if (!outcome.objects().isEmpty()) {
                    ObjectNode objects = result.putObject("objects");
                    outcome.objects().forEach((key, content) -> objects.set(key, Trial.shown(key, content)));
                }
                if (outcome.status() != Trial.Status.SUCCEEDED) {
                    result.put("error", outcome.error());
                    result.put("cause", outcome.cause());
                }
            }
        }
        return result;
    }

    private static String executionId(JsonNode id) {
        return id.isMissingNode() || id.isNull() ? "trial" : id.isTextual() ? id.textValue() : Json.text(id);
    }

    /** Its text as it came, where that is told. */
    private static byte[] input(JsonNode one) {
        if (one.path("inputText").isTextual()) {
            return one.get("inputText").textValue().getBytes(StandardCharsets.UTF_8);
        }
        return Json.bytes(one.has("input") ? one.get("input") : Json.NODES.objectNode());
    }

    private static String definition(JsonNode one) {
        JsonNode definition = one.path("definition");
        return definition.isTextual() ? definition.textValue() : Json.text(definition);
    }

    private static ObjectNode result(JsonNode one) {
        ObjectNode result = Json.NODES.objectNode();
        if (one.has("id")) {
            result.set("id", one.get("id"));
        }
        return result;
    }

    private static ArrayNode json(List<Diagnostic> diagnostics) {
        ArrayNode array = Json.NODES.arrayNode();
        for (Diagnostic diagnostic : diagnostics) {
            array.addObject().put("pointer", diagnostic.pointer()).put("code", diagnostic.code().name())
                    .put("message", diagnostic.message());
        }
        return array;
    }
}
