package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.workflow.TaskTokens.Place;
import org.junit.jupiter.api.Test;

class TaskTokensTest {
    private final TaskTokens tokens = new TaskTokens("a key of more than thirty-two bytes".getBytes());
    private final String token = tokens.token("shop", "01HX", "Fan[1]/Ask a/b#2>token");

    @Test
    void aTokenNamesApplicationExecutionAndAttempt() {
        assertThat(tokens.read(token)).contains(new Place("shop", "01HX", "Fan[1]/Ask a/b#2>token"));
        assertThat(TaskTokens.claimed(token)).isEqualTo(tokens.read(token));
        assertThat(tokens.token("shop", "01HX", "Fan[1]/Ask a/b#2>token")).isEqualTo(token);
    }

    @Test
    void nobodyElseMakesOne() {
        TaskTokens others = new TaskTokens("another key of more than thirty-two".getBytes());
        assertThat(tokens.read(others.token("shop", "01HX", "Ask>token"))).isEmpty();
        String changed = tokens.token("shop", "01HY", "Fan[1]/Ask a/b#2>token");
        String mixed = changed.substring(0, changed.indexOf('.')) + token.substring(token.indexOf('.'));
        assertThat(tokens.read(mixed)).isEmpty();
        assertThat(TaskTokens.claimed(mixed)).isPresent();
    }

    @Test
    void whatIsNoTokenIsNoError() {
        for (String none : new String[] {"", ".", "a.b", "é.é", "c2hvcA.c2hvcA", token.substring(1), token + ".x"}) {
            assertThat(tokens.read(none)).as(none).isEmpty();
        }
    }
}
