package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.datalayer.TriggerStore.Progress;
import dev.sand.datalayer.TriggerStore;
import dev.sand.event.ApplicationVersion;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Places;
import dev.sand.frontend.http.Router;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues.Held;
import dev.sand.globalbus.Queues.Part;
import dev.sand.globalbus.Queues;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * {@code …/queues/{queue}/messages}: the first messages that are not worked off, read where they lie in the global bus. Nothing is
 * taken out, and who works on them does not hear of it.
 */
final class QueuePeeksApi {
    private static final int MESSAGES = 20;
    private static final int MOST_MESSAGES = 100;
    /** Of a message that is shown; of a larger one its size is told. */
    private static final int SHOWN_BYTES = 16 << 10;
    /** Of one partition: where messages are large, fewer of it are told. */
    private static final int PARTITION_BYTES = 2 << 20;
    private static final int PARTITION_READS = 20;
    private static final int AT_ONCE = 4;
    private static final int OF_ONE_TENANT = 2;
    private static final long TURN_MS = 5_000;

    /** @param failed attempts */
    private record Waiting(QueueMessage message, int failed, int partition, long offset) {}

    private final QueuesApi api;
    private final Queues queues;
    private final TriggerStore store;
    private final Places turns = new Places(AT_ONCE, OF_ONE_TENANT);

    QueuePeeksApi(QueuesApi api, Queues queues, TriggerStore store) {
        this.api = api;
        this.queues = queues;
        this.store = store;
    }

    void addTo(Router router) {
        router.on("peekMessages", this::peek);
    }

    private void peek(Exchange exchange) throws InterruptedException {
        ApplicationVersion version = api.live(exchange);
        String queue = QueuesApi.queue(exchange, version).name();
        int limit = exchange.query("limit", MESSAGES, 1, MOST_MESSAGES);
        if (!turns.take(exchange.tenant(), TURN_MS)) {
            throw turns.refusal("looks into queues").asException();
        }
        PriorityQueue<Waiting> first = new PriorityQueue<>(ORDER.reversed());
        boolean all = true;
        try {
            for (int partition = 0; partition < queues.partitions(version.application(), queue); partition++) {
                all &= gather(version.application(), queue, partition, limit + 1, first);
            }
        } finally {
            turns.leave(exchange.tenant());
        }
        List<Waiting> sorted = first.stream().sorted(ORDER).toList();
        ArrayNode shown = Json.array();
        sorted.stream().limit(limit).forEach(waiting -> shown.add(show(waiting)));
        ObjectNode answer = Json.object();
        answer.set("messages", shown);
        exchange.json(200, answer.put("more", !all || sorted.size() > limit));
    }

    /** That of a partition is its own; between partitions the senders' clocks tell. */
    private static final Comparator<Waiting> ORDER = Comparator.comparingLong((Waiting waiting) -> waiting.message.enqueuedMs())
            .thenComparingInt(Waiting::partition).thenComparingLong(Waiting::offset);

    /** Those of a partition are added to the first of the others, as long as they are among them. @return as many as were asked for, or all */
    private boolean gather(String application, String queue, int partition, int most, PriorityQueue<Waiting> first) {
        Progress progress = store.progress(application, queue, partition).progress();
        long bytes = 0;
        int found = 0;
        long at = progress.low();
        for (int read = 0; read < PARTITION_READS && found < most && bytes < PARTITION_BYTES; read++) {
            Part part = queues.read(application, queue, partition, at, most);
            for (Held held : part.messages()) {
                if (progress.isSettled(held.offset()) || found == most) {
                    continue;
                }
                found++;
                bytes += held.message().payload().size();
                first.add(new Waiting(held.message(), progress.attempts().getOrDefault(held.offset(), 0), partition, held.offset()));
                if (first.size() > most) {
                    first.poll();
                }
            }
            if (part.next() == at) {
                return true;
            }
            at = part.next();
        }
        return found == most;
    }

    private static ObjectNode show(Waiting waiting) {
        QueueMessage message = waiting.message;
        ObjectNode shown = Json.object().put("id", message.id()).put("group", message.group()).put("enqueuedMs", message.enqueuedMs())
                .put("attempts", waiting.failed).put("bytes", message.payload().size()).put("contentType", message.payload().contentType());
        if (message.payload().size() <= SHOWN_BYTES) {
            QueuesApi.showPayload(shown, message.payload());
        }
        return shown;
    }
}
