package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class QueueResultsTest {
    private static String sent(String contentType, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return new String(QueueResults.sent("m-1", new Payload(contentType, bytes, null)).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void theDigestOfATextIsThatOfItsCharacters() {
        assertThat(sent("application/json", "\"hello\"")).contains("5d41402abc4b2a76b9719d911017c592", "m-1");
        assertThat(sent("text/plain", "hello")).contains("5d41402abc4b2a76b9719d911017c592");
    }

    @Test
    void aMessageMayBeEmpty() {
        assertThat(sent("application/octet-stream", "")).contains("d41d8cd98f00b204e9800998ecf8427e");
    }
}
