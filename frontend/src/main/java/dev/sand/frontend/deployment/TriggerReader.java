package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.QueueSpec;
import dev.sand.event.Schedule;
import dev.sand.event.TriggerSpec;
import dev.sand.event.TriggerSpec.Operation;
import dev.sand.frontend.deployment.Finding.Findings;
import dev.sand.frontend.http.Json;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** {@code queues:} and {@code triggers:} of sand.yaml, with every default filled in. The schema has checked shapes. */
final class TriggerReader {
    private static final long LONGEST_MS = 30L * 24 * 3_600_000;
    private static final long CATCH_UP_MS = 3_600_000;
    /** Of {@code linger}. */
    private static final String FOREVER = "forever";
    private final JsonNode yaml;
    private final Predicate<String> isTarget;
    private final Findings findings;

    TriggerReader(JsonNode yaml, Predicate<String> isTarget, Findings findings) {
        this.yaml = yaml;
        this.isTarget = isTarget;
        this.findings = findings;
    }

    Map<String, QueueSpec> queues() {
        Map<String, QueueSpec> queues = new TreeMap<>();
        yaml.path("queues").properties().forEach(entry ->
                queues.put(entry.getKey(), queue(entry.getKey(), entry.getValue(), "/queues/" + entry.getKey())));
        return queues;
    }

    Map<String, TriggerSpec> triggers() {
        Map<String, TriggerSpec> triggers = new TreeMap<>();
        yaml.path("triggers").properties().forEach(entry -> {
            String name = entry.getKey();
            String pointer = "/triggers/" + name;
            if (yaml.path("queues").has(name)) {
                findings.add(SandYaml.FILE, pointer, "a queue has this name already: a trigger has a queue of its own");
            }
            triggers.put(name, trigger(name, entry.getValue(), pointer));
        });
        return triggers;
    }

    private TriggerSpec trigger(String name, JsonNode node, String pointer) {
        QueueSpec queue = queue(name, node, pointer);
        boolean armed = node.path("armed").asBoolean(true);
        JsonNode data = node.path("data");
        if (!data.isMissingNode()) {
            return new TriggerSpec(name, null, data.path("prefix").asText(), operations(data.path("operations")), null, armed, 0, queue);
        }
        String input = node.has("input") ? new String(Json.bytes(node.get("input")), StandardCharsets.UTF_8) : null;
        if (input != null && input.length() > QueueSpec.MESSAGE_BYTES / 2) {
            findings.add(SandYaml.FILE, pointer + "/input", "it has " + input.length() + " bytes, the limit is " + QueueSpec.MESSAGE_BYTES / 2);
        }
        return new TriggerSpec(name, schedule(node, pointer), null, Set.of(), input, armed,
                millis(node, "catchUp", pointer, CATCH_UP_MS), queue);
    }

    private Schedule schedule(JsonNode node, String pointer) {
        try {
            Schedule schedule = new Schedule(node.path("cron").asText(null), node.path("timezone").asText(null),
                    node.has("every") ? Quantity.millis(node.get("every").asText()) : 0);
            if (schedule.next(0, 0).isEmpty()) {
                throw new IllegalArgumentException("'" + schedule.cron() + "' names no time that ever comes");
            }
            return schedule;
        } catch (IllegalArgumentException e) {
            findings.add(SandYaml.FILE, pointer + (node.has("cron") ? "/cron" : node.has("every") ? "/every" : ""), e.getMessage());
            return new Schedule(null, null, Schedule.LEAST_INTERVAL_MS);
        }
    }

    private static Set<Operation> operations(JsonNode named) {
        if (named.isMissingNode()) {
            return EnumSet.allOf(Operation.class);
        }
        Set<Operation> operations = EnumSet.noneOf(Operation.class);
        named.forEach(operation -> operations.add(Operation.valueOf(operation.asText().toUpperCase(Locale.ROOT))));
        return operations;
    }

    private QueueSpec queue(String name, JsonNode node, String pointer) {
        QueueSpec base = QueueSpec.withDefaults(name, node.path("target").asText());
        for (String field : new String[] {"target", "onFailure"}) {
            if (node.has(field) && !isTarget.test(node.get(field).asText())) {
                findings.add(SandYaml.FILE, pointer + "/" + field, "there is no grain or workflow '" + node.get(field).asText() + "'");
            }
        }
        long backoffMs = millis(node, "backoff", pointer, base.backoffMs());
        long lingerMs = node.path("linger").asText().equals(FOREVER) ? QueueSpec.FOREVER_MS
                : millis(node, "linger", pointer, base.lingerMs());
        return new QueueSpec(name, base.target(), node.path("concurrency").asInt(base.concurrency()),
                node.path("groupConcurrency").asInt(base.groupConcurrency()), node.path("batch").asInt(base.batch()),
                lingerMs, node.path("retries").asInt(base.retries()), backoffMs,
                Math.max(backoffMs, millis(node, "maxBackoff", pointer, base.maxBackoffMs())),
                Math.max(1, millis(node, "timeout", pointer, base.timeoutMs())), node.path("depth").asInt(base.depth()),
                node.path("onFailure").asText(null));
    }

    private long millis(JsonNode node, String field, String pointer, long otherwise) {
        try {
            long millis = node.has(field) ? Quantity.millis(node.get(field).asText()) : otherwise;
            if (millis <= LONGEST_MS) {
                return millis;
            }
            findings.add(SandYaml.FILE, pointer + "/" + field, "the longest is " + LONGEST_MS + "ms, not " + millis + "ms");
        } catch (IllegalArgumentException e) {
            findings.add(SandYaml.FILE, pointer + "/" + field, e.getMessage());
        }
        return otherwise;
    }
}
