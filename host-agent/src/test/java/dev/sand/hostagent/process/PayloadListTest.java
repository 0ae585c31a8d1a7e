package dev.sand.hostagent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PayloadListTest {
    @Test
    void jsonValuesBecomeAnArray() {
        Payload list = PayloadList.of(List.of(Payload.json("{}".getBytes(StandardCharsets.UTF_8)), Payload.json(new byte[0])));
        assertThat(list.contentType()).isEqualTo(Payload.JSON);
        assertThat(new String(list.bytes(), StandardCharsets.UTF_8)).isEqualTo("[{},null]");
    }

    @Test
    void othersLieBehindTheirTypesAndSizesAtMultiplesOf64() {
        byte[] bytes = PayloadList.of(List.of(new Payload("text/plain", new byte[] {7, 8}, null), Payload.nullJson())).bytes();
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        assertThat(buffer.getShort()).isEqualTo((short) "text/plain".length());
        assertThat(new String(bytes, 2, 10, StandardCharsets.UTF_8)).isEqualTo("text/plain");
        assertThat(buffer.getLong(12)).isEqualTo(2);
        assertThat(bytes[64]).isEqualTo((byte) 7);
        assertThat(buffer.getShort(128)).isEqualTo((short) Payload.JSON.length());
        assertThat(new String(bytes, 192, 4, StandardCharsets.UTF_8)).isEqualTo("null");
        assertThat(bytes).hasSize(256);
    }
}
