package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NestingTest {
    private static int deepest(String json) {
        return Nesting.deepest(ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void countsArraysAndObjectsThatAreOpenAtOnce() {
        assertThat(deepest("7")).isZero();
        assertThat(deepest("[{}, [[]]]")).isEqualTo(3);
        assertThat(deepest("[".repeat(100_000))).isEqualTo(100_000);
    }

    @Test
    void whatStandsInAStringIsText() {
        assertThat(deepest("[\"[[[\\\"[\", {\"{\\\\\": 1}]")).isEqualTo(2);
    }
}
