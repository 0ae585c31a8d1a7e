package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.Redrive;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.data.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPInputStream;

/**
 * The signals of an execution as they are kept beside its record: gzipped JSON, the schema first. Given again to the same
 * definition, they give the execution's history.
 */
public final class KeptSignals {
    /** Signals that are kept of an execution; of a longer one there is no history. */
    public static final int MOST_SIGNALS = 25_000;
    /** Bytes of one value that are kept (AWS's bound of a payload); of a larger one its size alone. */
    public static final int VALUE_BYTES = 256 * 1024;
    /** Of one execution, as they are stored. */
    public static final int MOST_BYTES = 1 << 20;
    /** Of the values of one execution, as they are held until they are stored. */
    public static final long MOST_HELD_BYTES = 32L << 20;
    static final int SCHEMA = 1;
    static final int UNPACKED_BYTES = 64 << 20;

    private KeptSignals() {}

    /** The signal without the bytes that are too many to be kept: whoever holds it until then holds no more than that. */
    public static Signal held(Signal signal) {
        return switch (signal) {
            case Signal.Started started when isTooLarge(started.input()) -> new Signal.Started(sizeOf(started.input()), started.atMs());
            case Signal.TaskSucceeded done when isTooLarge(done.output()) ->
                    new Signal.TaskSucceeded(done.step(), sizeOf(done.output()), done.published(), done.atMs());
            default -> signal;
        };
    }

    /** What the values of a signal come to, those by reference with it: they are read when they are kept. */
    public static long heldBytes(Signal signal) {
        return switch (signal) {
            case Signal.Started started -> heldBytes(started.input());
            case Signal.TaskSucceeded done -> heldBytes(done.output())
                    + done.published().stream().mapToLong(published -> heldBytes(published.payload())).sum();
            case Signal.TaskFailed failed -> length(failed.error()) + length(failed.cause());
            case Signal.Stopped stopped -> length(stopped.error()) + length(stopped.cause());
            case Signal.TimerFired _, Signal.Heartbeat _, Signal.Redriven _ -> 0;
        };
    }

    private static long heldBytes(Payload payload) {
        return payload.bytes() != null ? payload.bytes().length : payload.size() <= VALUE_BYTES ? payload.size() : 0;
    }

    private static long length(String text) {
        return text == null ? 0 : text.length();
    }

    private static boolean isTooLarge(Payload payload) {
        return payload.bytes() != null && payload.bytes().length > VALUE_BYTES;
    }

    private static Payload sizeOf(Payload payload) {
        return new Payload(payload.contentType(), null, new Payload.Reference("", payload.size()));
    }

    /**
     * Of those that will not grow; else see {@link GrowingSignals}.
     *
     * @param signals all of them; none: they were too many
     * @param resolve a value by reference to one with its bytes, where it can be had
     * @return null when it is too much to keep
     */
    public static byte[] encode(List<Signal> signals, UnaryOperator<Payload> resolve) {
        return new GrowingSignals().encode(signals, resolve);
    }

    static ObjectNode encode(Signal signal, UnaryOperator<Payload> resolve) {
        ObjectNode node = Json.NODES.objectNode().put("at", signal.atMs());
        switch (signal) {
            case Signal.Started started -> node.put("type", "started").set("value", value(started.input(), resolve));
            case Signal.TaskSucceeded done -> {
                node.put("type", "taskSucceeded").put("step", done.step()).set("value", value(done.output(), resolve));
                for (Published published : done.published()) {
                    node.withArray("/published").addObject().put("grain", published.grain()).set("value", value(published.payload(), resolve));
                }
            }
            case Signal.TaskFailed failed -> failure(node.put("type", "taskFailed").put("step", failed.step()), failed.error(), failed.cause());
            case Signal.TimerFired fired -> node.put("type", "timerFired").put("step", fired.step());
            case Signal.Heartbeat beat -> node.put("type", "heartbeat").put("step", beat.step());
            case Signal.Stopped stopped -> failure(node.put("type", "stopped"), stopped.error(), stopped.cause());
            case Signal.Redriven(Redrive redrive) -> {
                // A type of its own: whoever did not know of the state would give another history, and not none.
                node.put("type", redrive.from() == null ? "redriven" : "redrivenFrom").put("count", redrive.count())
                        .put("endedAs", redrive.endedAs().name()).put("ended", redrive.endedMs());
                failure(redrive.from() == null ? node : node.put("from", redrive.from()), redrive.error(), redrive.cause());
            }
        }
        return node;
    }

    private static void failure(ObjectNode node, String error, String cause) {
        node.put("error", error).put("cause", cause);
    }

    private static ObjectNode value(Payload given, UnaryOperator<Payload> resolve) {
        Payload payload = given.bytes() == null && given.size() <= VALUE_BYTES ? resolve.apply(given) : given;
        ObjectNode node = Json.NODES.objectNode().put("contentType", payload.contentType());
        return payload.bytes() == null || payload.bytes().length > VALUE_BYTES ? node.put("size", payload.size()) : node.put("bytes", payload.bytes());
    }

    /** @throws IOException when it is none of ours, or of a newer platform */
    public static List<Signal> decode(byte[] packed) throws IOException {
        byte[] plain;
        try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(packed))) {
            plain = gzip.readNBytes(2 * UNPACKED_BYTES);
        }
        JsonNode kept = Json.read(plain);
        if (kept.path("schema").asInt() != SCHEMA) {
            throw new IOException("kept signals of schema " + kept.path("schema") + " are not understood");
        }
        List<Signal> signals = new ArrayList<>();
        for (JsonNode node : kept.get("signals")) {
            signals.add(decode(node));
        }
        return signals;
    }

    private static Signal decode(JsonNode node) throws IOException {
        long at = node.get("at").longValue();
        String step = node.path("step").asText(null);
        String error = node.path("error").asText(null);
        String cause = node.path("cause").asText(null);
        return switch (node.path("type").asText()) {
            case "started" -> new Signal.Started(payload(node.get("value")), at);
            case "taskSucceeded" -> {
                List<Published> published = new ArrayList<>();
                for (JsonNode one : node.path("published")) {
                    published.add(new Published(one.get("grain").textValue(), payload(one.get("value"))));
                }
                yield new Signal.TaskSucceeded(step, payload(node.get("value")), published, at);
            }
            case "taskFailed" -> new Signal.TaskFailed(step, error, cause, at);
            case "timerFired" -> new Signal.TimerFired(step, at);
            case "heartbeat" -> new Signal.Heartbeat(step, at);
            case "stopped" -> new Signal.Stopped(error, cause, at);
            case "redriven", "redrivenFrom" -> new Signal.Redriven(new Redrive(node.get("count").intValue(), Status.valueOf(node.get("endedAs").textValue()),
                    error, cause, node.get("ended").longValue(), at, node.path("from").asText(null)));
            default -> throw new IOException("not a signal: " + node);
        };
    }

    /**
     * What came before a redrive: the signals that a new run of the execution begins with. A redriven execution's kept signals begin
     * with those that it was redriven with, however often it is kept again.
     *
     * @param values where those are that are kept here by their size alone
     * @return null: one of these is nowhere
     */
    public static List<Signal> before(int redrive, List<Signal> kept, LargeValues values) {
        List<Signal> before = new ArrayList<>();
        for (Signal signal : kept) {
            if (signal instanceof Signal.Redriven(Redrive redriven) && redriven.count() >= redrive) {
                break;
            }
            Signal whole = whole(signal, Integer.toString(before.size()), values);
            if (whole == null) {
                return null;
            }
            before.add(whole);
        }
        return before;
    }

    /** Of an execution's signals, beside them. */
    @FunctionalInterface
    public interface LargeValues {
        /**
         * @param name as {@link #large} gave it
         * @param size the value without its bytes
         * @return the value, by reference or with its bytes; null: it is not kept (any more)
         */
        Payload get(String name, Payload size);
    }

    /** @return null: a value of it is nowhere */
    private static Signal whole(Signal signal, String name, LargeValues values) {
        switch (signal) {
            case Signal.Started(Payload input, long atMs) -> {
                Payload whole = whole(input, name, values);
                return whole == null ? null : new Signal.Started(whole, atMs);
            }
            case Signal.TaskSucceeded done -> {
                Payload output = whole(done.output(), name, values);
                List<Published> published = new ArrayList<>();
                for (Published each : done.published()) {
                    Payload payload = whole(each.payload(), name + "." + published.size(), values);
                    if (payload == null) {
                        return null;
                    }
                    published.add(new Published(each.grain(), payload));
                }
                return output == null ? null : new Signal.TaskSucceeded(done.step(), output, published, done.atMs());
            }
            default -> {
                return signal;
            }
        }
    }

    private static Payload whole(Payload payload, String name, LargeValues values) {
        return payload.bytes() != null ? payload : values.get(name, payload);
    }

    /** Those of an execution's signals that are over the bytes that are kept of a value, and are somewhere: by names that stay the same. */
    public static Map<String, Payload> large(List<Signal> signals) {
        Map<String, Payload> large = new LinkedHashMap<>();
        for (int i = 0; i < signals.size(); i++) {
            if (signals.get(i) instanceof Signal.Started started) {
                add(large, Integer.toString(i), started.input());
            } else if (signals.get(i) instanceof Signal.TaskSucceeded done) {
                add(large, Integer.toString(i), done.output());
                for (int j = 0; j < done.published().size(); j++) {
                    add(large, i + "." + j, done.published().get(j).payload());
                }
            }
        }
        return large;
    }

    private static void add(Map<String, Payload> large, String name, Payload payload) {
        if (payload.reference() != null && payload.size() > VALUE_BYTES && !payload.reference().object().isEmpty()) {
            large.put(name, payload);
        }
    }

    private static Payload payload(JsonNode node) throws IOException {
        String contentType = node.get("contentType").textValue();
        return node.has("bytes") ? new Payload(contentType, node.get("bytes").binaryValue(), null)
                : new Payload(contentType, null, new Payload.Reference("", node.get("size").longValue()));
    }
}
