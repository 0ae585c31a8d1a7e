package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.thrift.Control;
import dev.sand.event.thrift.LocalBus;
import dev.sand.event.thrift.Segments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.thrift.TBase;
import org.apache.thrift.TFieldIdEnum;
import org.apache.thrift.meta_data.FieldMetaData;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The generated classes against the golden vectors that the Python runtime is tested with too: same bytes, same values. */
class ProtocolVectorsTest {
    private static final Path VECTORS = Path.of("vectors/protocol");
    private static final int LENGTH_BYTES = 4;
    private static final Map<String, Byte> KINDS =
            Map.of("call", TMessageType.CALL, "oneway", TMessageType.ONEWAY, "reply", TMessageType.REPLY);

    @TestFactory
    Stream<DynamicTest> framesAreReadAndWrittenAsTheOtherLanguagesDo() throws IOException {
        JsonMapper mapper = new JsonMapper();
        List<Path> files;
        try (Stream<Path> listed = Files.list(VECTORS)) {
            files = listed.sorted().toList();
        }
        assertThat(files).isNotEmpty();
        return files.stream().flatMap(file -> {
            JsonNode vectors;
            try {
                vectors = mapper.readTree(file.toFile());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            String method = vectors.get("method").asText();
            return vectors.get("frames").valueStream()
                    .map(frame -> DynamicTest.dynamicTest(method + " " + frame.get("name").asText(), () -> check(method, frame)));
        });
    }

    private static void check(String method, JsonNode vector) throws Exception {
        byte[] frame = HexFormat.of().parseHex(vector.get("frame").asText());
        String kind = vector.get("kind").asText();
        TBase<?, ?> body = body(method, kind);
        TBinaryProtocol in = new TBinaryProtocol(new TMemoryInputTransport(frame, LENGTH_BYTES, frame.length - LENGTH_BYTES), true, true);

        TMessage head = in.readMessageBegin();
        body.read(in);

        assertThat(head).isEqualTo(new TMessage(method, KINDS.get(kind), vector.get("sequence").asInt()));
        ObjectNode read = structure(body);
        assertThat(kind.equals("reply") ? read : read.elements().next()).isEqualTo(vector.get("value"));
        assertThat(written(head, body)).isEqualTo(Arrays.copyOfRange(frame, LENGTH_BYTES, frame.length));
    }

    private static byte[] written(TMessage head, TBase<?, ?> body) throws Exception {
        TMemoryBuffer buffer = new TMemoryBuffer(512);
        TBinaryProtocol out = new TBinaryProtocol(buffer, true, true);
        out.writeMessageBegin(head);
        body.write(out);
        out.writeMessageEnd();
        return Arrays.copyOf(buffer.getArray(), buffer.length());
    }

    /** The generated class of a call's arguments or result. */
    private static TBase<?, ?> body(String method, String kind) throws ReflectiveOperationException {
        String name = method + (kind.equals("reply") ? "_result" : "_args");
        for (Class<?> service : List.of(LocalBus.class, Control.class, Segments.class)) {
            for (Class<?> nested : service.getDeclaredClasses()) {
                if (nested.getSimpleName().equals(name)) {
                    return (TBase<?, ?>) nested.getDeclaredConstructor().newInstance();
                }
            }
        }
        throw new AssertionError("no call " + method + " in the generated services");
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static ObjectNode structure(TBase body) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        Map<TFieldIdEnum, FieldMetaData> fields = FieldMetaData.getStructMetaDataMap(body.getClass());
        fields.forEach((id, field) -> {
            if (body.isSet(id)) {
                node.set(field.fieldName, plain(body.getFieldValue(id)));
            }
        });
        return node;
    }

    private static JsonNode plain(Object value) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return switch (value) {
            case TBase<?, ?> nested -> structure(nested);
            case String text -> json.textNode(text);
            case byte[] bytes -> json.objectNode().put("hex", HexFormat.of().formatHex(bytes));
            case Boolean flag -> json.booleanNode(flag);
            case Number number -> number.intValue() == number.longValue()
                    ? json.numberNode(number.intValue()) : json.numberNode(number.longValue());
            case Collection<?> list -> json.arrayNode().addAll(list.stream().map(ProtocolVectorsTest::plain).toList());
            case Map<?, ?> map -> {
                ObjectNode node = json.objectNode();
                map.forEach((key, item) -> node.set((String) key, plain(item)));
                yield node;
            }
            default -> throw new AssertionError("no such type in the IDL: " + value.getClass());
        };
    }
}
