package dev.sand.frontend.control;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.TriggerStore;
import dev.sand.datalayer.TriggerStore.DeadLetter;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.Ids;
import dev.sand.event.Payload;
import dev.sand.event.QueueSpec;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Json;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Problems;
import dev.sand.frontend.http.Router;
import dev.sand.frontend.invoke.BodyType;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.QueueMessage;
import dev.sand.globalbus.Queues;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/** {@code /api/v1/applications/{app}/queues}: sending to queues, and what became of messages that failed for good. */
public final class QueuesApi {
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._~-]{1,128}");
    private static final int AT_ONCE = 1000;
    private final Registry registry;
    private final Queues queues;
    private final TriggerStore store;
    private final LongSupplier clockMs;
    private final QueueLevels levels;
    private final TopicsApi topics;

    public QueuesApi(Registry registry, Queues queues, TriggerStore store, TopicsApi topics, LongSupplier clockMs) {
        this.registry = registry;
        this.queues = queues;
        this.store = store;
        this.clockMs = clockMs;
        this.levels = new QueueLevels(queues, store, clockMs);
        this.topics = topics;
    }

    public void addTo(Router router) {
        router.on("listQueues", this::list)
                .on("sendMessage", this::send)
                .on("listDeadLetters", this::deadLetters)
                .on("dropDeadLetters", this::dropAll)
                .on("replayDeadLetters", this::replayAll)
                .on("dropDeadLetter", this::drop)
                .on("replayDeadLetter", this::replay);
        new QueuePeeksApi(this, queues, store).addTo(router);
    }

    ApplicationVersion live(Exchange exchange) {
        String application = ApplicationsApi.application(exchange, registry);
        return registry.resolve(application, Registry.LIVE)
                .orElseThrow(() -> Problems.unknownVersion(application, Registry.LIVE).asException());
    }

    static QueueSpec queue(Exchange exchange, ApplicationVersion version) {
        QueueSpec queue = version.allQueues().get(exchange.path("queue"));
        if (queue == null) {
            throw Problem.caller(404, "unknown-queue", "Unknown queue", "Version " + version.version() + " of application '"
                    + version.application() + "' has no queue or trigger '" + exchange.path("queue") + "'.").asException();
        }
        return queue;
    }

    private void list(Exchange exchange) throws InterruptedException {
        ApplicationVersion version = live(exchange);
        ArrayNode found = Json.array();
        version.allQueues().values().forEach(queue -> {
            ObjectNode shown = (ObjectNode) Json.tree(queue);
            shown.put("trigger", version.triggers().containsKey(queue.name()));
            levels.addQueue(shown, version.application(), queue.name());
            shown.put("deadLetters", store.deadLetters(version.application(), queue.name(), null, AT_ONCE).size());
            found.add(shown);
        });
        ObjectNode answer = Json.object();
        answer.set("queues", found);
        if (exchange.flag("topics")) {
            answer.set("topics", topics.of(exchange, version.application()));
        }
        exchange.json(200, answer);
    }

    /** The message is in the global bus when the 202 is out. */
    private void send(Exchange exchange) throws IOException {
        ApplicationVersion version = live(exchange);
        QueueSpec queue = queue(exchange, version);
        if (version.triggers().containsKey(queue.name())) {
            throw Problem.caller(409, "conflict", "Conflict", "Queue '" + queue.name() + "' is that of a trigger, which alone sends to it.")
                    .asException();
        }
        String group = exchange.query("group");
        String refusal = Queues.refusal(group);
        if (refusal != null) {
            throw Problems.badRequest(Character.toUpperCase(refusal.charAt(0)) + refusal.substring(1) + ".").asException();
        }
        byte[] body = exchange.body(QueueSpec.MESSAGE_BYTES, "The message");
        ByteBuffer bytes = ByteBuffer.wrap(body);
        String type = BodyType.of(exchange.header("Content-Type"), bytes);
        Problem malformed = BodyType.check(type, bytes);
        if (malformed != null) {
            throw malformed.asException();
        }
        String key = exchange.header("Idempotency-Key");
        if (key != null && !KEY.matcher(key).matches()) {
            throw Problems.badRequest("An Idempotency-Key of a message is " + KEY.pattern() + ".").asException();
        }
        long nowMs = clockMs.getAsLong();
        String id = key != null ? key : Ids.next(nowMs, ThreadLocalRandom.current());
        Payload payload = body.length == 0 ? Payload.nullJson() : new Payload(type, body, null);
        put(version.application(), queue, QueueMessage.of(id, group, payload, nowMs), key != null);
        exchange.json(202, Json.object().put("id", id).put("queue", queue.name()).put("group", group));
    }

    /** @param once it may be sent again under its id */
    private void put(String application, QueueSpec queue, QueueMessage message, boolean once) {
        try {
            CompletableFuture<Long> sent = once ? queues.sendOnce(application, queue, message, message.id(), Queues.PATIENCE)
                    : queues.send(application, queue, message);
            sent.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof BusException refused ? problem(queue, refused) : e;
        }
    }

    /** That the queue is full is the sender's to know; that the bus is, has nothing to do with the queue. */
    private static RuntimeException problem(QueueSpec queue, BusException refused) {
        return switch (refused.kind()) {
            case TOO_MANY -> Problem.platform(429, "queue-full", "The queue is full", refused.getMessage(), true)
                    .with("limit", queue.depth()).asException();
            case FULL -> refused;
            case TOO_LARGE -> Problems.tooLarge("The message", QueueSpec.MESSAGE_BYTES, QueueSpec.MESSAGE_BYTES + 1L).asException();
            default -> Problem.platform(503, "unavailable", "Not available now", refused.getMessage(), true).asException();
        };
    }

    // --- dead letters

    private void deadLetters(Exchange exchange) {
        ApplicationVersion version = live(exchange);
        QueueSpec queue = queue(exchange, version);
        int limit = exchange.query("limit", 100, 1, AT_ONCE);
        List<DeadLetter> letters = store.deadLetters(version.application(), queue.name(), exchange.query("after"), limit);
        ArrayNode shown = Json.array();
        letters.forEach(letter -> shown.add(show(letter)));
        ObjectNode answer = Json.object();
        answer.set("deadLetters", shown);
        answer.put("next", letters.size() < limit ? null : letters.getLast().id());
        exchange.json(200, answer);
    }

    private static ObjectNode show(DeadLetter letter) {
        ObjectNode shown = Json.object().put("id", letter.id()).put("group", letter.group()).put("enqueuedMs", letter.enqueuedMs())
                .put("diedMs", letter.diedMs()).put("attempts", letter.attempts()).put("executionId", letter.executionId())
                .put("contentType", letter.payload().contentType());
        shown.set("failure", Json.tree(letter.failure()));
        showPayload(shown, letter.payload());
        return shown;
    }

    /** JSON as it was written, with every digit of its numbers; anything else in base 64. */
    static void showPayload(ObjectNode shown, Payload payload) {
        if (payload.isJson()) {
            shown.putRawValue("payload", new RawValue(new String(payload.bytes(), StandardCharsets.UTF_8)));
        } else {
            shown.put("payload", Base64.getEncoder().encodeToString(payload.bytes())).put("isBase64Encoded", true);
        }
    }

    private DeadLetter letter(Exchange exchange, ApplicationVersion version, QueueSpec queue) {
        String id = exchange.path("message");
        return store.deadLetter(version.application(), queue.name(), id).orElseThrow(() -> Problem.caller(404, "unknown-dead-letter",
                "Unknown dead letter", "Queue '" + queue.name() + "' has no dead letter " + id + ", or has it no more.").asException());
    }

    private void drop(Exchange exchange) {
        ApplicationVersion version = live(exchange);
        QueueSpec queue = queue(exchange, version);
        store.forgetDeadLetter(version.application(), queue.name(), letter(exchange, version, queue).id());
        exchange.empty(204);
    }

    private void dropAll(Exchange exchange) {
        ApplicationVersion version = live(exchange);
        QueueSpec queue = queue(exchange, version);
        int dropped = 0;
        for (DeadLetter letter : all(version, queue)) {
            dropped += store.forgetDeadLetter(version.application(), queue.name(), letter.id()) ? 1 : 0;
        }
        exchange.json(200, Json.object().put("dropped", dropped));
    }

    private List<DeadLetter> all(ApplicationVersion version, QueueSpec queue) {
        return store.deadLetters(version.application(), queue.name(), null, AT_ONCE);
    }

    private void replay(Exchange exchange) {
        ApplicationVersion version = live(exchange);
        QueueSpec queue = queue(exchange, version);
        replay(version, queue, letter(exchange, version, queue));
        exchange.json(202, Json.object().put("replayed", 1));
    }

    private void replayAll(Exchange exchange) {
        ApplicationVersion version = live(exchange);
        QueueSpec queue = queue(exchange, version);
        List<DeadLetter> letters = all(version, queue);
        letters.forEach(letter -> replay(version, queue, letter));
        exchange.json(202, Json.object().put("replayed", letters.size()));
    }

    /** As a new message, which the queue does not take for the old one; a letter is gone once its message is in the bus. */
    private void replay(ApplicationVersion version, QueueSpec queue, DeadLetter letter) {
        long nowMs = clockMs.getAsLong();
        String id = letter.id().split("\\.replay-", 2)[0] + ".replay-" + Ids.next(nowMs, ThreadLocalRandom.current());
        put(version.application(), queue, QueueMessage.of(id, letter.group(), letter.payload(), nowMs), false);
        store.forgetDeadLetter(version.application(), queue.name(), letter.id());
    }
}
