package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A message for a queue while the global bus does not confirm: the sender is told why, and can send it again. */
@Tag("slow")
class QueueSendTest extends WithDemo {
    private static final String ORDERS = "/api/v1/applications/demo/queues/orders?group=a";

    @Test
    void aMessageThatTheBusDoesNotTakeIsRefusedWithItsCauseAndTakenLater() throws Exception {
        platform.busAway = true;
        HttpResponse<byte[]> refused = platform.post(ORDERS, "1", "Idempotency-Key", "m-1");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        JsonNode problem = Platform.json(refused);
        assertThat(problem.get("type").asText()).endsWith("unavailable");
        assertThat(problem.get("retryable").asBoolean()).isTrue();
        assertThat(problem.get("detail").asText()).contains("global bus", "m-1", "orders", "5000 ms");
        platform.busAway = false;
        HttpResponse<byte[]> taken = platform.post(ORDERS, "1", "Idempotency-Key", "m-1");
        assertThat(taken.statusCode()).isEqualTo(202);
        assertThat(Platform.json(taken).get("id").asText()).isEqualTo("m-1");
    }
}
