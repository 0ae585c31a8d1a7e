package dev.sand.frontend;

import static dev.sand.frontend.Platform.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.TableOperation;
import dev.sand.datalayer.TableStore;
import dev.sand.event.Payload;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A tenant that may send no request runs no grain, whichever way it asks; and may see to the rest as before. */
class RequestQuotaTest extends WithDemo {
    private static final String APP = "/api/v1/applications/demo";
    private static final List<String> RUN = List.of("/invoke/demo/echo", APP + "/invoke/echo", APP + "/processes/invoke?function=echo",
            APP + "/queues/orders?group=a", APP + "/queues/orders/dead-letters/replay", APP + "/queues/orders/dead-letters/m-1/replay",
            APP + "/invocations/01ARZ3NDEKTSV4RRFFQ69G5FAV/redrive");

    private void may(String requests) {
        new TableStore(platform.store).transact(AccessTables.APPLICATION, "quotas", List.of(new TableOperation(TableOperation.What.PUT,
                "default", Payload.json(("{\"schema\": 1, \"requestsPerSecond\": " + requests + "}").getBytes(StandardCharsets.UTF_8)),
                null, null)));
    }

    @Test
    void whateverRunsGrainsFromOutsideCounts() throws Exception {
        assertThat(platform.post(APP + "/queues/orders?group=a", "1").statusCode()).isEqualTo(202);
        may("0");
        await().until(() -> platform.post("/invoke/demo/echo", "1").statusCode() == 429);
        for (String path : RUN) {
            HttpResponse<byte[]> over = platform.post(path, "1");
            assertThat(over.statusCode()).as(path).isEqualTo(429);
            assertThat(over.headers().firstValue("Retry-After")).as(path).hasValue("1");
            assertThat(json(over).path("quota").asText()).as(path).isEqualTo("requestsPerSecond");
            assertThat(json(over).path("limit").asInt(-1)).as(path).isZero();
            assertThat(json(over).path("retryAfterMs").asInt()).as(path).isPositive();
        }
        assertThat(platform.get(APP + "/queues").statusCode()).isEqualTo(200);
        may("null");
        await().until(() -> platform.post(APP + "/queues/orders?group=a", "1").statusCode() == 202);
    }
}
