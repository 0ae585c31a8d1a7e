package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.Payload;
import dev.sand.workflow.asl.Distribution.Writer;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.WorkflowLimits;
import dev.sand.workflow.objects.ObjectCall;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The files that a ResultWriter makes of a Map's results: by how they ended, and a manifest of them. What is gathered is handed
 * out as writes to places of these files, one after the other; a replay makes the same ones.
 */
final class ResultFiles {
    /** How iterations ended: a file's name. */
    enum Kind { FAILED, PENDING, SUCCEEDED }

    private static final String LINES = "application/x-ndjson";

    /** The file of a kind that is being filled. */
    private static final class Filling {
        private int number;
        private long written;
        private boolean isEmpty = true;
        private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    }

    private final String bucket;
    private final String folder;
    private final boolean isLines;
    private final String mapRun;
    private final Map<Kind, Filling> filling = new EnumMap<>(Kind.class);
    private final Map<Kind, ArrayNode> made = new EnumMap<>(Kind.class);
    private final ArrayDeque<ObjectCall.Write> waiting = new ArrayDeque<>();
    private long waitingBytes;
    /** Handed out last. */
    private ObjectCall.Write last;
    private boolean isClosed;

    /** @param bucket or null; @param folder of this run's files, below the bucket; @param mapRun its name */
    ResultFiles(String bucket, String folder, Writer writer, String mapRun) {
        this.bucket = bucket;
        this.folder = folder;
        this.isLines = writer.isLines();
        this.mapRun = mapRun;
        for (Kind kind : Kind.values()) {
            made.put(kind, Json.NODES.arrayNode());
        }
    }

    void add(Kind kind, JsonNode result) {
        Filling file = filling.computeIfAbsent(kind, each -> new Filling());
        if (!isLines) {
            file.bytes.write(file.isEmpty ? '[' : ',');
        }
        file.bytes.writeBytes(Json.bytes(result));
        if (isLines) {
            file.bytes.write('\n');
        }
        file.isEmpty = false;
        if (file.written + file.bytes.size() >= WorkflowLimits.RESULT_FILE_BYTES) {
            end(kind, file);
        } else if (file.bytes.size() >= WorkflowLimits.RESULT_WRITE_BYTES) {
            write(kind, file, false);
        }
    }

    private void write(Kind kind, Filling file, boolean isLast) {
        write(name(kind, file), isLines ? LINES : Payload.JSON, file.written, file.bytes.toByteArray(), isLast);
        file.written += file.bytes.size();
        file.bytes = new ByteArrayOutputStream();
    }

    private void write(String name, String contentType, long offset, byte[] bytes, boolean isLast) {
        waiting.add(new ObjectCall.Write(key(name), contentType, offset, bytes, isLast));
        waitingBytes += bytes.length;
    }

    private void end(Kind kind, Filling file) {
        if (!isLines) {
            file.bytes.write(']');
        }
        write(kind, file, true);
        made.get(kind).addObject().put("Key", name(kind, file)).put("Size", file.written);
        Filling next = new Filling();
        next.number = file.number + 1;
        filling.put(kind, next);
    }

    private String name(Kind kind, Filling file) {
        return folder + "/" + kind + "_" + file.number + (isLines ? ".jsonl" : ".json");
    }

    /** Nothing is added any more: the last pieces, and the manifest. */
    void close() {
        isClosed = true;
        for (Kind kind : Kind.values()) {
            Filling file = filling.get(kind);
            if (file != null && !file.isEmpty) {
                end(kind, file);
            }
        }
        ObjectNode manifest = Json.NODES.objectNode().put("DestinationBucket", bucket).put("MapRunArn", mapRun);
        ObjectNode files = manifest.putObject("ResultFiles");
        made.forEach((kind, names) -> files.set(kind.name(), names));
        write(manifestKey(), Payload.JSON, 0, Json.bytes(manifest), true);
    }

    boolean isClosed() {
        return isClosed;
    }

    private String manifestKey() {
        return folder + "/manifest.json";
    }

    /** What is to be written next, or null. */
    ObjectCall.Write poll() {
        last = waiting.poll();
        waitingBytes -= last == null ? 0 : last.bytes().length;
        return last;
    }

    /** Nobody knows whether what was handed out last is written. */
    void giveBack() {
        if (last != null) {
            waiting.addFirst(last);
            waitingBytes += last.bytes().length;
            last = null;
        }
    }

    /** The run is redriven: what had not succeeded is told anew, in files with the next numbers; those of before are in no manifest. */
    void reopen() {
        isClosed = false;
        String lasting = key(folder + "/" + Kind.SUCCEEDED + "_");
        waiting.removeIf(write -> !write.key().startsWith(lasting));
        waitingBytes = waiting.stream().mapToLong(write -> write.bytes().length).sum();
        for (Kind kind : List.of(Kind.FAILED, Kind.PENDING)) {
            made.put(kind, Json.NODES.arrayNode());
            Filling file = filling.get(kind);
            if (file != null && !file.isEmpty) {
                Filling next = new Filling();
                next.number = file.number + 1;
                filling.put(kind, next);
            }
        }
    }

    private String key(String name) {
        return bucket == null ? name : bucket + "/" + name;
    }

    /** More waits to be written than should: iterations are not begun until it is. */
    boolean isBehind() {
        return waitingBytes > 2L * WorkflowLimits.RESULT_WRITE_BYTES;
    }

    /** The state's result. */
    JsonNode details() {
        ObjectNode details = Json.NODES.objectNode().put("MapRunArn", mapRun);
        details.putObject("ResultWriterDetails").put("Bucket", bucket).put("Key", manifestKey());
        return details;
    }
}
