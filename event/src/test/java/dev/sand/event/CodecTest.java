package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CodecTest {
    /** As every record that is stored has them. */
    @Test
    void bytesAreTheBase64OfJacksonsOwn() throws Exception {
        for (int size : new int[] {0, 1, 2, 3, 4, 61, 8_000, 65_664}) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            Payload payload = new Payload(Payload.OCTETS, bytes, null);
            JsonNode written = new ObjectMapper().readTree(Codec.encode(payload));
            assertThat(written.get("bytes").textValue()).isEqualTo(new ObjectMapper().valueToTree(bytes).asText());
            assertThat(Codec.decode(Codec.encode(payload), Payload.class).bytes()).isEqualTo(bytes);
        }
    }

    @Test
    void aRecordIsItsComponentsAndNothingElse() {
        Payload payload = Payload.json("{}".getBytes(StandardCharsets.UTF_8));
        assertThat(new String(Codec.encode(payload), StandardCharsets.UTF_8))
                .isEqualTo("{\"contentType\":\"application/json\",\"bytes\":\"e30=\"}");
        assertThat(Codec.decode(Codec.encode(payload), Payload.class)).usingRecursiveComparison().isEqualTo(payload);
    }

    @Test
    void aFieldThatOnlyANewerPlatformKnowsIsRefused() {
        byte[] newer = "{\"object\":\"o\",\"size\":1,\"tier\":\"cold\"}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> Codec.decode(newer, Payload.Reference.class)).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void whatANewerHostSaysOfItselfBesidesIsPassedOver() {
        byte[] newer = "{\"object\":\"o\",\"size\":1,\"tier\":\"cold\"}".getBytes(StandardCharsets.UTF_8);
        assertThat(Codec.decodeDescription(newer, Payload.Reference.class).object()).isEqualTo("o");
    }

    @Test
    void specificationsComeBackAsTheyWere() {
        GrainSpec grain = GrainSpec.withDefaults("g");
        assertThat(Codec.decode(Codec.encode(grain), GrainSpec.class)).isEqualTo(grain);
        Failure failure = Failure.limit(Errors.TOO_LARGE, "too large", Failure.Source.CALLER, 10, 11);
        assertThat(Codec.decode(Codec.encode(failure), Failure.class)).usingRecursiveComparison()
                .withEqualsForType((a, b) -> a.longValue() == b.longValue(), Number.class)
                .ignoringFields("details").isEqualTo(failure);
        assertThat(Codec.decode(Codec.encode(SandboxSpec.DEFAULT), SandboxSpec.class)).isEqualTo(SandboxSpec.DEFAULT);
        assertThat(Codec.decode(Codec.encode(List.of()), List.class)).isEmpty();
    }
}
