package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.event.BusRecords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Messages wait in queues for days, over changes of the platform: the golden vectors and the code agree to the byte. */
class QueueMessageTest {
    private static final JsonMapper JSON = new JsonMapper();

    private static Stream<JsonNode> vectors(String which) throws IOException {
        return StreamSupport.stream(JSON.readTree(Path.of("../event/vectors/queues/records.json").toFile()).get(which).spliterator(), false);
    }

    @TestFactory
    Stream<DynamicTest> theVectorsAreReadAndWrittenToTheByte() throws IOException {
        return vectors("records").map(each -> DynamicTest.dynamicTest(each.get("name").asText(), () -> {
            byte[] stored = JSON.writeValueAsBytes(each.get("record"));
            byte[] again = QueueMessage.decode(stored).encode();
            assertThat(new String(again, StandardCharsets.UTF_8)).isEqualTo(new String(stored, StandardCharsets.UTF_8));
        }));
    }

    @TestFactory
    Stream<DynamicTest> whatIsNotUnderstoodIsRefused() throws IOException {
        return vectors("refused").map(each -> DynamicTest.dynamicTest(each.get("name").asText(), () -> {
            Class<?> why = each.get("name").asText().startsWith("newer") ? BusRecords.NewerException.class : BusRecords.ForeignException.class;
            assertThatThrownBy(() -> QueueMessage.decode(JSON.writeValueAsBytes(each.get("record")))).isInstanceOf(why);
        }));
    }
}
