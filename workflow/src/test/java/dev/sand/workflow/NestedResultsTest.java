package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.workflow.NestedResults.Child;
import dev.sand.workflow.asl.Service.Mode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NestedResultsTest {
    private static final Payload INPUT = Payload.json("{\"a\":\"b\"}".getBytes(StandardCharsets.UTF_8));

    @Test
    void theCauseOfManyNestedFailuresStaysSmall() {
        String cause = "no \"stock\"";
        for (int level = 0; level < 100; level++) {
            Child child = new Child("id" + level, "shop", "main", null, INPUT, 1);
            cause = NestedResults.failed(Mode.SYNC, child, "FAILED", "States.TaskFailed", cause, 2);
            // An escaped character has at most six.
            assertThat(cause.length()).isLessThan(6 * Limits.CAUSE_BYTES + 1_000);
        }
    }

    @Test
    void aCauseOfTheLimitIsWhole() {
        String cause = "x".repeat(Limits.CAUSE_BYTES);
        Child child = new Child("id", "shop", "main", null, INPUT, 1);
        assertThat(NestedResults.failed(Mode.SYNC, child, "FAILED", null, cause, 2)).contains("\"Cause\":\"" + cause + "\",");
        assertThat(NestedResults.failed(Mode.SYNC, child, "FAILED", null, cause + "y", 2)).contains("\"Cause\":\"" + cause + "\",");
    }
}
