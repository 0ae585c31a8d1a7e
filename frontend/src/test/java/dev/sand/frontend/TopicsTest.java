package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Topics;
import dev.sand.globalbus.AppendFuture;
import dev.sand.globalbus.Queues;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is told of topics on the global bus, and of their records: all of it to the operator, and to nobody else what is another's. */
@Tag("slow")
class TopicsTest extends WithDemo {
    private static final String TOPICS = "/api/v1/topics";
    private static final String JOURNAL = TOPICS + "/journal.demo/records";

    private void append(String topic, int partition, byte[] value) {
        CompletableFuture<Long> appended = new CompletableFuture<>();
        platform.bus.append(topic, partition, value, AppendFuture.completing(appended));
        appended.join();
    }

    private void append(String topic, int partition, String value) {
        append(topic, partition, value.getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode get(String path) throws Exception {
        return Platform.json(platform.get(path));
    }

    private JsonNode topic(String name) throws Exception {
        return StreamSupport.stream(get(TOPICS).path("topics").spliterator(), false)
                .filter(each -> each.path("topic").asText().equals(name)).findFirst().orElseThrow();
    }

    @Test
    void those_of_all_applications_are_listed_and_of_nobody_else() throws Exception {
        platform.bus.createTopic("slots", 1);
        platform.bus.createTopic("somebody.elses", 1);
        assertThat(get(TOPICS).path("topics")).extracting(each -> each.path("topic").asText())
                .contains("journal.demo", "work.demo.echo", Queues.topic("demo", "orders"), "slots").doesNotContain("somebody.elses").isSorted();
        JsonNode orders = topic(Queues.topic("demo", "orders"));
        assertThat(orders.path("queue").asText()).isEqualTo("orders");
        assertThat(orders.path("application").asText()).isEqualTo("demo");
        assertThat(topic("slots").path("application").isNull()).isTrue();
        assertThat(get(TOPICS + "?limit=1&after=slo").path("topics")).singleElement()
                .satisfies(each -> assertThat(each.path("purpose").asText()).isEqualTo("slots"));
        JsonNode first = get(TOPICS + "?limit=2");
        assertThat(first.path("next").asText()).isEqualTo(first.path("topics").get(1).path("topic").asText());
    }

    @Test
    void how_fast_records_come_and_go_is_known_to_whoever_asks_once() throws Exception {
        String work = Topics.work("demo", "echo");
        for (int i = 0; i < 8; i++) {
            append(work, 2, "{}");
        }
        platform.bus.trim(work, 2, 6);
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(topic(work).path("outPerSecond").asDouble()).isPositive());
        JsonNode shown = topic(work);
        assertThat(shown.path("records").asInt()).isEqualTo(2);
        assertThat(shown.path("sent").asInt()).isEqualTo(8);
        assertThat(shown.path("outPerSecond").asDouble() / shown.path("inPerSecond").asDouble()).isBetween(0.74, 0.76);
        assertThat(topic("journal.demo").path("inPerSecond").asDouble()).isZero();
        JsonNode own = StreamSupport.stream(get("/api/v1/applications/demo/queues?topics=true").path("topics").spliterator(), false)
                .filter(each -> each.path("topic").asText().equals(work)).findFirst().orElseThrow();
        assertThat(own.path("inPerSecond").asDouble()).isPositive();
    }

    @Test
    void the_first_records_of_all_partitions_are_shown_or_the_last() throws Exception {
        for (int i = 0; i < 3; i++) {
            append("journal.demo", i, "{\"n\": " + i + "}");
            long taken = System.currentTimeMillis();
            await().until(() -> System.currentTimeMillis() > taken);
        }
        append("journal.demo", 0, new byte[] {(byte) 0xff, 0});
        JsonNode told = get(JOURNAL);
        assertThat(told.path("records")).hasSize(4);
        assertThat(told.path("records").get(0).path("preview").asText()).isEqualTo("{\"n\": 0}");
        assertThat(told.path("records").get(0).path("atMs").asLong()).isPositive();
        assertThat(told.path("more").asBoolean()).isFalse();
        assertThat(Base64.getDecoder().decode(told.path("records").get(3).path("preview").asText())).containsExactly(0xff, 0);
        JsonNode last = get(JOURNAL + "?limit=2&newest=true");
        assertThat(last.path("records")).extracting(each -> each.path("partition").asInt()).containsExactly(0, 2);
        assertThat(last.path("records").get(0).path("offset").asInt()).isEqualTo(1);
        assertThat(last.path("more").asBoolean()).isTrue();
    }

    @Test
    void of_a_large_record_the_beginning_is_told() throws Exception {
        append("journal.demo", 0, "x".repeat(100_000));
        JsonNode record = get(JOURNAL).path("records").get(0);
        assertThat(record.path("bytes").asInt()).isEqualTo(100_000);
        assertThat(record.path("preview").asText()).hasSize(2048);
    }

    @Test
    void what_is_no_topic_of_the_platform_is_not_there() throws Exception {
        platform.bus.createTopic("somebody.elses", 1);
        for (String name : new String[] {"somebody.elses", "journal.nothing", "journal", "slots.x"}) {
            assertThat(platform.get(TOPICS + "/" + name + "/records").statusCode()).as(name).isEqualTo(404);
        }
        assertThat(platform.get(JOURNAL + "?limit=101").statusCode()).isEqualTo(400);
        assertThat(platform.get(JOURNAL + "?newest=perhaps").statusCode()).isEqualTo(400);
    }

    @Test
    void nobody_but_the_operator_is_told() {
        for (String operation : new String[] {"listTopics", "peekTopic"}) {
            assertThat(platform.frontend.control().operation(operation).orElseThrow().scope()).as(operation).isEqualTo("operator");
        }
    }
}
