package dev.sand.frontend.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.Failure;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * An RFC 9457 problem: the one shape of every error answer. The type is stable, {@code source} says who failed and
 * {@code retryable} whether the same request may work later; limits come with the actual value.
 *
 * @param name the last part of the type's URI
 * @param extensions further members: limit, actual, executionId, stackTrace, errors, …
 */
public record Problem(String name, String title, int status, String detail, Failure.Source source, boolean retryable,
                      Map<String, Object> extensions) {
    public static final String CONTENT_TYPE = "application/problem+json";
    private static final String RETRY_AFTER_MS = "retryAfterMs";
    public static final String TYPE_PREFIX = "https://sand.dev/problems/";

    /** The caller's mistake. */
    public static Problem caller(int status, String name, String title, String detail) {
        return new Problem(name, title, status, detail, Failure.Source.CALLER, false, Map.of());
    }

    /** The platform cannot, now. */
    public static Problem platform(int status, String name, String title, String detail, boolean retryable) {
        return new Problem(name, title, status, detail, Failure.Source.PLATFORM, retryable, Map.of());
    }

    public Problem with(String member, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(extensions);
        more.put(member, value);
        return new Problem(name, title, status, detail, source, retryable, more);
    }

    public Problem retryLater() {
        return new Problem(name, title, status, detail, source, true, extensions);
    }

    /** When it may work at the soonest: also where the answer has begun, and no header can say so. */
    public Problem retryAfter(long afterMs) {
        return with(RETRY_AFTER_MS, afterMs).retryLater();
    }

    /** Of `Retry-After`. */
    public long retryAfterSeconds() {
        return extensions.get(RETRY_AFTER_MS) instanceof Number afterMs ? Math.max(1, Math.ceilDiv(afterMs.longValue(), 1000)) : 1;
    }

    public ProblemException asException() {
        return new ProblemException(this);
    }

    /** @param instance the request's path, or null */
    public byte[] toJson(String instance) {
        ObjectNode node = Json.object();
        node.put("type", TYPE_PREFIX + name).put("title", title).put("status", status).put("detail", detail);
        if (instance != null) {
            node.put("instance", instance);
        }
        node.put("source", source.name().toLowerCase(Locale.ROOT)).put("retryable", retryable);
        extensions.forEach((member, value) -> {
            if (value != null && !node.has(member)) {
                node.set(member, Json.tree(value));
            }
        });
        return Json.bytes(node);
    }
}
