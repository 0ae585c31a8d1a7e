package dev.sand.workflow.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sand.workflow.asl.Diagnostic;
import dev.sand.workflow.data.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What is wrong with stubs, in the words that both engines have: the same file that the Python engine runs. */
class StubCheckTest {
    private static final String MACHINE = "{\"StartAt\": \"A\", \"States\": {\"A\": {\"Type\": \"Task\", \"Resource\": \"g\", \"End\": true}}}";

    @TestFactory
    Stream<DynamicTest> vectors() throws IOException {
        JsonNode file = Json.read(Files.readAllBytes(Path.of("..", "event", "vectors", "stubs", "faults.json")));
        return file.get("vectors").valueStream().map(vector -> dynamicTest(vector.get("name").textValue(), () -> {
            ArrayNode found = Json.NODES.arrayNode();
            StubCheck.faults(vector.get("stubs"), "").forEach(each -> found.addObject().put("pointer", each.pointer())
                    .put("code", each.code().name()).put("message", each.message()));
            assertThat(found).isEqualTo(vector.get("faults"));
        }));
    }

    @Test
    void aStateIsNotTriedWithStubsThatSayNothing() throws IOException {
        Object found = StateTrial.run(Json.read(MACHINE), "A", Json.read("{}"), null, Json.read("{\"g\": {\"retrun\": 1}}"));
        assertThat(found).isInstanceOfSatisfying(List.class, list -> {
            assertThat(list).hasSize(1);
            assertThat(((Diagnostic) list.getFirst()).pointer()).isEqualTo("/grains/g");
        });
    }

    @Test
    void aCaseThatTheEngineFailsAtIsAnsweredWithItsId() throws IOException {
        JsonNode answer = AslCommand.answer(true, Json.read("{\"id\": 7}"), _ -> {
            throw new IllegalStateException("out of order");
        });
        assertThat(answer.path("id").asInt()).isEqualTo(7);
        assertThat(answer.path("status").asText()).isEqualTo("INVALID");
        assertThat(answer.path("diagnostics").path(0).path("code").asText()).isEqualTo("ENGINE_FAULT");
        assertThat(answer.path("diagnostics").path(0).path("message").asText()).contains("out of order");
    }
}
