package dev.sand.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Frames against the vectors that the Python client reads too. */
class FramesTest {
    private static final JsonMapper JSON = new JsonMapper();

    static JsonNode vectors(String file) throws IOException {
        return JSON.readTree(Path.of("../event/vectors/data-plane", file).toFile());
    }

    @TestFactory
    List<DynamicTest> aFrameIsReadAsItWasWritten() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode vector : vectors("frames.json").path("good")) {
            tests.add(DynamicTest.dynamicTest(vector.path("name").asText(), () -> {
                byte[] bytes = HexFormat.of().parseHex(vector.path("wire").asText());
                Frame frame = Frames.decode(ByteBuffer.wrap(bytes, 4, bytes.length - 4));
                ObjectNode expected = vector.deepCopy();
                expected.remove(List.of("name", "wire"));
                assertThat(JSON.readTree(shown(frame).toString())).isEqualTo(expected);
                assertThat(Frames.encode(frame).array()).startsWith(bytes);
                assertThat(Frames.encode(frame).remaining()).isEqualTo(bytes.length);
            }));
        }
        return tests;
    }

    private static ObjectNode shown(Frame frame) throws ReflectiveOperationException {
        ObjectNode shown = JSON.createObjectNode().put("frame", frame.getClass().getSimpleName());
        for (RecordComponent component : frame.getClass().getRecordComponents()) {
            Object value = component.getAccessor().invoke(frame);
            switch (value) {
                case ByteBuffer bytes -> {
                    byte[] copy = new byte[bytes.remaining()];
                    bytes.duplicate().get(copy);
                    shown.put(component.getName(), HexFormat.of().formatHex(copy));
                }
                case Enum<?> one -> shown.put(component.getName(), one.name());
                default -> shown.putPOJO(component.getName(), value);
            }
        }
        return shown;
    }

    @TestFactory
    List<DynamicTest> whatIsNoFrameIsTold() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode vector : vectors("frames.json").path("bad")) {
            tests.add(DynamicTest.dynamicTest(vector.path("name").asText(), () -> {
                byte[] bytes = HexFormat.of().parseHex(vector.path("wire").asText());
                assertThatThrownBy(() -> Frames.decode(ByteBuffer.wrap(bytes, 4, bytes.length - 4))).isInstanceOf(Frames.BadFrame.class);
            }));
        }
        return tests;
    }

    @Test
    void aKindThatANewerVersionKnowsIsPassedOver() {
        assertThat(Frames.decode(ByteBuffer.wrap(new byte[] {127, 1, 2}))).isNull();
    }

    @Test
    void longTextIsCutBetweenCharacters() {
        Frame frame = Frames.decode(Frames.encode(new Frame.GoAway("Sand.Unavailable", "é".repeat(40_000))).position(4));
        assertThat(((Frame.GoAway) frame).cause()).isEqualTo("é".repeat(32_767));
    }
}
