package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.GrainSpec;
import dev.sand.frontend.deployment.Finding.Findings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.StreamSupport;

/** A grain's keys in {@code sand.yaml}, over {@code defaults:}, over what it is copied from, over the platform's defaults. */
final class GrainReader {
    static final long TIMEOUT_MS = 24 * 3_600_000L;
    private static final long LEAST_MEMORY = 16L << 20;
    private final List<JsonNode> layers;
    private final GrainSpec base;
    private final String pointer;
    private final Findings findings;

    /** @param own the grain's entry, maybe missing; @param base what holds where neither says anything */
    GrainReader(JsonNode own, JsonNode defaults, GrainSpec base, Findings findings) {
        this.layers = List.of(own, defaults);
        this.base = base;
        this.pointer = "/grains/" + base.name();
        this.findings = findings;
    }

    GrainSpec read() {
        long timeoutMs = duration("timeout", base.timeoutMs());
        if (timeoutMs < 1 || timeoutMs > TIMEOUT_MS) {
            findings.add(SandYaml.FILE, pointer + "/timeout", "a timeout is from 1ms to " + TIMEOUT_MS + "ms, not " + timeoutMs);
        }
        long memory = size(get("memory"), "memory", base.memoryBytes());
        if (memory != 0 && memory < LEAST_MEMORY) {
            findings.add(SandYaml.FILE, pointer + "/memory", "an instance needs at least " + LEAST_MEMORY + " bytes, not " + memory);
        }
        JsonNode queue = get("queue");
        JsonNode idle = get("idle");
        int minIdle = idle.path("min").asInt(base.minIdle());
        int maxIdle = idle.path("max").asInt(Math.max(minIdle, base.maxIdle()));
        if (minIdle > maxIdle) {
            findings.add(SandYaml.FILE, pointer + "/idle", "min " + minIdle + " is over max " + maxIdle);
        }
        return new GrainSpec(base.name(), get("entry").asText(base.entry()),
                choice(GrainSpec.Isolation.class, get("isolation"), base.isolation()),
                choice(GrainSpec.Preload.class, get("preload"), base.preload()), timeoutMs,
                get("concurrency").asInt(base.concurrency()), memory, queue.path("depth").asInt(base.queueDepth()),
                size(queue.path("bytes"), "queue/bytes", base.queueBytes()), minIdle, maxIdle,
                get("maxRequests").asInt(base.maxRequests()), environment(), secrets());
    }

    private JsonNode get(String key) {
        JsonNode own = layers.getFirst().path(key);
        return own.isMissingNode() ? layers.getLast().path(key) : own;
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>(base.environment());
        layers.reversed().forEach(layer -> layer.path("env").properties()
                .forEach(entry -> environment.put(entry.getKey(), entry.getValue().asText())));
        return environment;
    }

    private List<String> secrets() {
        JsonNode secrets = get("secrets");
        return secrets.isMissingNode() ? base.secrets()
                : StreamSupport.stream(secrets.spliterator(), false).map(JsonNode::asText).toList();
    }

    private long duration(String key, long otherwise) {
        JsonNode node = get(key);
        try {
            return node.isMissingNode() ? otherwise : Quantity.millis(node.asText());
        } catch (IllegalArgumentException e) {
            findings.add(SandYaml.FILE, pointer + "/" + key, e.getMessage());
            return otherwise;
        }
    }

    private long size(JsonNode node, String key, long otherwise) {
        try {
            return node.isMissingNode() ? otherwise : Quantity.bytes(node.asText());
        } catch (IllegalArgumentException e) {
            findings.add(SandYaml.FILE, pointer + "/" + key, e.getMessage());
            return otherwise;
        }
    }

    private static <E extends Enum<E>> E choice(Class<E> type, JsonNode node, E otherwise) {
        return node.isMissingNode() ? otherwise : Enum.valueOf(type, node.asText().toUpperCase(Locale.ROOT));
    }
}
