package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** What the platform leaves out of an application is what the command and the GUI leave out of it. */
class LeftOutTest {
    private static List<JsonNode> read(String which) throws IOException {
        JsonNode all = new JsonMapper().readTree(Path.of("vectors/bundle/left-out.json").toFile());
        return StreamSupport.stream(all.get(which).spliterator(), false).toList();
    }

    @Test
    void theNamesAreThoseOfTheVectors() throws IOException {
        assertThat(LeftOut.patterns()).containsExactlyInAnyOrderElementsOf(read("leftOut").stream().map(JsonNode::asText).toList());
    }

    @Test
    void aNameIsLeftOutWithAllThatIsInIt() throws IOException {
        for (JsonNode each : read("vectors")) {
            assertThat(LeftOut.has(each.get("path").asText())).as(each.get("path").asText()).isEqualTo(each.get("leftOut").asBoolean());
        }
    }
}
