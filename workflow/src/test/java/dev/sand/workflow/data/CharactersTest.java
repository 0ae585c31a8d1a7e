package dev.sand.workflow.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Characters beyond U+FFFF, and halves of them, where values are counted and written. */
class CharactersTest {
    private static final String FACE = "\uD83D\uDE00";

    @Test
    void aCharacterBeyondFfffHasFourBytes() {
        assertThat(Json.bytes(Json.NODES.textNode(FACE))).isEqualTo(("\"" + FACE + "\"").getBytes(StandardCharsets.UTF_8)).hasSize(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD83D", "\uDE00x", "x\uD83D\uD83D\uDE00", "\uDE00\uD83D", "\uD83D\uDE00", "é"})
    void textAndBytesAreTheSameAndReadBack(String value) throws IOException {
        JsonNode node = Json.NODES.objectNode().put("a", value);

        assertThat(new String(Json.bytes(node), StandardCharsets.UTF_8)).isEqualTo(Json.text(node));
        assertThat(Json.read(Json.bytes(node))).isEqualTo(node);
        assertThat(Json.read(Json.text(node))).isEqualTo(node);
    }

    @Test
    void aHalfIsAnEscapeAndAWholeIsNone() {
        assertThat(Json.text(Json.NODES.textNode("\uD83D" + FACE + "\uDE00"))).isEqualTo("\"\\uD83D" + FACE + "\\uDE00\"");
    }

    @Test
    void anEscapeThatAnOlderVersionWroteIsRead() throws IOException {
        assertThat(Json.read("\"\\uD83D\\uDE00\"".getBytes(StandardCharsets.US_ASCII)).textValue()).isEqualTo(FACE);
    }

    @Test
    void aCharacterCountsOnceForTheLengthOfAnExpression() {
        assertThat(Query.parse("'" + FACE.repeat(65_534) + "'", "Output", Query.Sight.INPUT)).isNotNull();
        assertThatThrownBy(() -> Query.parse("'" + FACE.repeat(65_535) + "'", "Output", Query.Sight.INPUT)).hasMessageContaining("65537 characters");
    }

    @Test
    void aFaultShowsTheWholeCharacter() {
        IOException fault = catchThrowableOfType(IOException.class, () -> Json.read(FACE));
        assertThat(JsonFault.located(fault, FACE)).startsWith("Unexpected character ('" + FACE + "' (code 128512 / 0x1f600))");
    }

    @Test
    void theLeastDoubleHasOneDigit() {
        assertThat(Decimals.shortest(Double.MIN_VALUE)).hasToString("5E-324");
        assertThat(Decimals.shortest(2 * Double.MIN_VALUE)).hasToString("1E-323");
        assertThat(Decimals.shortest(0.5)).hasToString("0.5");
    }
}
