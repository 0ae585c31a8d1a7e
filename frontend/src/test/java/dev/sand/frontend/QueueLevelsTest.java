package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.event.Topics;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.GlobalBus.Extent;
import dev.sand.globalbus.Queues;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is told of an application's queues and its other topics: how much there is, since when, and how much has come. */
@Tag("slow")
class QueueLevelsTest extends WithDemo {
    private static final String QUEUES = "/api/v1/applications/demo/queues";

    private JsonNode orders() throws Exception {
        return of(platform.get(QUEUES), "queues", "name", "orders");
    }

    private static JsonNode of(HttpResponse<byte[]> answer, String list, String field, String name) throws Exception {
        return StreamSupport.stream(Platform.json(answer).path(list).spliterator(), false)
                .filter(each -> each.path(field).asText().equals(name)).findFirst().orElseThrow();
    }

    @Test
    void what_was_worked_off_behind_a_message_that_waits_does_not_wait() throws Exception {
        assertThat(orders().path("waiting").asInt()).isZero();
        assertThat(orders().has("oldestMs")).isFalse();
        for (String id : new String[] {"m-0", "m-1", "m-2", "m-3"}) {
            assertThat(platform.post(QUEUES + "/orders?group=a", "1", "Idempotency-Key", id).statusCode()).isEqualTo(202);
        }
        assertThat(orders().path("waiting").asInt()).isEqualTo(4);
        List<Extent> extents = platform.bus.extents(Queues.topic("demo", "orders"));
        int partition = extents.indexOf(new Extent(0, 4));
        // The first waits for its next attempt; the others have succeeded, or are dead letters.
        new TriggerStore(platform.store).putProgress("demo", "orders", partition,
                new Progress((short) 1, 0, List.of(1L, 3L), Map.of(0L, 1)), GlobalStore.ABSENT);
        assertThat(orders().path("waiting").asInt()).isEqualTo(1);
        assertThat(orders().path("sent").asInt()).isEqualTo(4);
        assertThat(orders().path("oldestMs").asLong()).isBetween(0L, 60_000L);
        JsonNode peeked = Platform.json(platform.get(QUEUES + "/orders/messages")).path("messages");
        assertThat(peeked).extracting(message -> message.path("id").asText()).containsExactly("m-0");
    }

    @Test
    void topics_other_than_queues_are_told_of_when_they_are_asked_for() throws Exception {
        CompletableFuture<Long> appended = new CompletableFuture<>();
        platform.bus.append(Topics.work("demo", "echo"), 2, new byte[] {1}, AppendFuture.completing(appended));
        appended.join();
        assertThat(Platform.json(platform.get(QUEUES)).has("topics")).isFalse();
        JsonNode work = of(platform.get(QUEUES + "?topics=true"), "topics", "topic", "work.demo.echo");
        assertThat(work.path("purpose").asText()).isEqualTo("work");
        assertThat(work.path("grain").asText()).isEqualTo("echo");
        assertThat(List.of(work.path("records").asInt(), work.path("sent").asInt())).containsExactly(1, 1);
        assertThat(work.path("oldestMs").asLong()).isBetween(0L, 60_000L);
        JsonNode journal = of(platform.get(QUEUES + "?topics=true"), "topics", "topic", "journal.demo");
        assertThat(journal.path("records").asInt()).isZero();
        assertThat(journal.has("oldestMs")).isFalse();
        assertThat(platform.get(QUEUES + "?topics=perhaps").statusCode()).isEqualTo(400);
    }
}
