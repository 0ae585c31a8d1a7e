package dev.sand.workflow.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What bounds a value is its size and depth: a name may be as long as a text, as in the Python engine. */
class JsonTest {
    private static final int LONG = 300_000;

    @Test
    void aNameIsAsLongAsATextMayBe() throws IOException {
        String name = "n".repeat(LONG);
        assertThat(read("{\"" + name + "\":1}").get(name).intValue()).isOne();
        assertThat(read("\"" + name + "\"").textValue()).isEqualTo(name);
    }

    @Test
    void aValueTooDeepIsRefused() {
        assertThatThrownBy(() -> read("[".repeat(WorkflowLimits.JSON_DEPTH + 1) + "]".repeat(WorkflowLimits.JSON_DEPTH + 1)))
                .isInstanceOf(IOException.class);
    }

    private static JsonNode read(String json) throws IOException {
        return Json.read(json.getBytes(StandardCharsets.UTF_8));
    }
}
