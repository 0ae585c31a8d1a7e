package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.Topics;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Places;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Router;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.GlobalBus.Extent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * {@code /api/v1/topics}: the platform's topics on the global bus, and a look at what one keeps. For the operator alone: their records
 * are of all tenants, and as the platform wrote them.
 */
public final class TopicsApi {
    private static final int TOPICS = 1000;
    private static final int RECORDS = 20;
    private static final int MOST_RECORDS = 100;
    /** Of a record that is shown; of a larger one its size is told. */
    private static final int PREVIEW_BYTES = 2 << 10;
    private static final int LOOKS = 4;
    private static final int LOOKS_OF_ONE_TENANT = 2;
    private static final long TURN_MS = 5_000;

    /** @param preview its beginning: the rest may be much, and is not held */
    private record Found(int partition, long offset, long atMs, int bytes, byte[] preview) {}

    /** That of a partition is its own; between partitions the bus's times tell. */
    private static final Comparator<Found> ORDER = Comparator.comparingLong(Found::atMs).thenComparingInt(Found::partition)
            .thenComparingLong(Found::offset);

    private final GlobalBus bus;
    private final TopicLevels levels;
    /** Who looks at topics reads from each of their partitions. */
    private final Places looks = new Places(LOOKS, LOOKS_OF_ONE_TENANT);

    /** @param clockMs the bus's time */
    public TopicsApi(GlobalBus bus, TopicRates rates, LongSupplier clockMs) {
        this.bus = bus;
        this.levels = new TopicLevels(bus, rates, clockMs);
    }

    public void addTo(Router router) {
        router.on("listTopics", this::list).on("peekTopic", this::peek);
    }

    /** What an application has there but for its queues: also topics of grains that only earlier versions had. */
    ArrayNode of(Exchange exchange, String application) throws InterruptedException {
        try (Turn _ = turn(exchange)) {
            return levels.show(bus.topics().stream().filter(topic -> Topics.isOf(application, topic)).toList());
        }
    }

    private void list(Exchange exchange) throws InterruptedException {
        int limit = exchange.query("limit", TOPICS, 1, TOPICS);
        String after = exchange.query("after");
        try (Turn _ = turn(exchange)) {
            List<String> all = bus.topics().stream().filter(topic -> Topics.isOurs(topic) && (after == null || topic.compareTo(after) > 0))
                    .sorted().toList();
            ObjectNode answer = Json.object();
            answer.set("topics", levels.show(all.subList(0, Math.min(limit, all.size()))));
            exchange.json(200, answer.put("next", all.size() > limit ? all.get(limit - 1) : null));
        }
    }

    private void peek(Exchange exchange) throws InterruptedException {
        String topic = exchange.path("topic");
        int limit = exchange.query("limit", RECORDS, 1, MOST_RECORDS);
        boolean newest = exchange.flag("newest");
        List<Found> found = new ArrayList<>();
        try (Turn _ = turn(exchange)) {
            List<Extent> extents = Topics.isOurs(topic) ? bus.extents(topic) : List.of();
            if (extents.isEmpty()) {
                throw unknown(topic);
            }
            for (int partition = 0; partition < extents.size(); partition++) {
                Extent extent = extents.get(partition);
                long from = newest ? Math.max(extent.begin(), extent.end() - limit) : extent.begin();
                for (BusRecord record : extent.kept() == 0 ? List.<BusRecord>of() : bus.read(topic, partition, from, limit)) {
                    found.add(found(partition, record));
                }
            }
            found.sort(newest ? ORDER.reversed() : ORDER);
            ArrayNode shown = Json.array();
            found.stream().limit(limit).forEach(each -> shown.add(show(each)));
            ObjectNode answer = Json.object();
            answer.set("records", shown);
            exchange.json(200, answer.put("more", extents.stream().mapToLong(Extent::kept).sum() > shown.size()));
        } catch (BusException e) {
            throw e.kind() == BusException.Kind.UNKNOWN_TOPIC ? unknown(topic) : e; // deleted meanwhile
        }
    }

    private static RuntimeException unknown(String topic) {
        return Problem.caller(404, "unknown-topic", "Unknown topic", "The platform has no topic '" + topic + "' on its global bus.").asException();
    }

    private static Found found(int partition, BusRecord record) {
        byte[] value = record.value();
        return new Found(partition, record.offset(), record.atMs(), value.length, Arrays.copyOf(value, Math.min(value.length, PREVIEW_BYTES)));
    }

    private static ObjectNode show(Found record) {
        ObjectNode shown = Json.object().put("partition", record.partition).put("offset", record.offset).put("bytes", record.bytes);
        if (record.atMs > 0) {
            shown.put("atMs", record.atMs);
        }
        return InputPreview.addTo(shown, record.preview, record.bytes);
    }

    private interface Turn extends AutoCloseable {
        @Override
        void close();
    }

    private Turn turn(Exchange exchange) throws InterruptedException {
        if (!looks.take(exchange.tenant(), TURN_MS)) {
            throw looks.refusal("looks at topics").asException();
        }
        return () -> looks.leave(exchange.tenant());
    }
}
