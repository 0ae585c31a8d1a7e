package dev.sand.workflow.objects;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.JsonFault;
import dev.sand.workflow.data.Unique;
import dev.sand.workflow.data.WorkflowLimits;
import dev.sand.workflow.objects.ApplicationObjects.Info;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Does what a Map wants done with objects, a chunk at a time, in memory that does not grow with them. Blocks. */
public final class ItemReading {
    private final ApplicationObjects objects;

    public ItemReading(ApplicationObjects objects) {
        this.objects = objects;
    }

    /**
     * @return what the call gives: an {@link ItemChunk}, or null for a write
     * @throws IOException with a sentence for whoever wrote the workflow; an ItemFault would come again
     */
    public JsonNode perform(ObjectCall call) throws IOException {
        return switch (call) {
            case ObjectCall.Read read when read.source().isSpread() -> new SpreadReading(objects).read(read).json();
            case ObjectCall.Read read when read.source().isListing() -> list(read).json();
            case ObjectCall.Read read -> chunk(read).json();
            case ObjectCall.Write write -> {
                objects.write(write.key(), write.contentType(), write.offset(), write.bytes(), write.isLast());
                yield Json.NODES.nullNode();
            }
        };
    }

    /** Whether what failed so would fail so again. */
    public static boolean isFinal(IOException e) {
        return e instanceof ItemFault;
    }

    /** Of one object. */
    ItemChunk chunk(ObjectCall.Read call) throws IOException {
        String key = call.source().key();
        Info info = objects.info(key);
        if (info == null) {
            throw new ItemFault("There is no object " + key + ".");
        }
        if (call.version() != 0 && info.version() != call.version()) {
            throw new ItemFault("The object " + key + " was to be read at version " + call.version() + " and is at version "
                    + info.version() + ": it was replaced.");
        }
        RangeStream stream = new RangeStream(objects, key, info, call.offset());
        ChunkBuilder chunk = new ChunkBuilder(call.most());
        try {
            return switch (call.source().format().type()) {
                case JSON -> json(call, info, stream, chunk);
                case JSONL -> lines(info, stream, chunk);
                case CSV -> rows(call, info, stream, chunk);
                case PARQUET -> throw new IllegalStateException("there is no reader for Parquet");
            };
        } catch (JsonProcessingException e) {
            String why = JsonFault.isNoUtf8(e) ? JsonFault.NO_UTF_8
                    : isPart(call) ? JsonFault.sentence(e, (ByteBuffer) null) : JsonFault.located(e, (ByteBuffer) null);
            throw new ItemFault("The object " + key + " cannot be read as " + call.source().format().type() + ": " + why);
        } catch (ItemFault e) {
            throw e.isWorded ? e : new ItemFault("The object " + key + " cannot be read as " + call.source().format().type() + ": "
                    + e.getMessage());
        }
    }

    /** It was taken up in the middle: where its reader stands is no place in the object. */
    private static boolean isPart(ObjectCall.Read call) {
        return call.offset() > 0 && call.source().format().type() == ItemFormat.Type.JSON;
    }

    private static ItemChunk json(ObjectCall.Read call, Info info, RangeStream stream, ChunkBuilder chunk) throws IOException {
        JsonItems items = call.offset() == 0 ? JsonItems.first(stream, call.source().format().pointer())
                : JsonItems.further(stream, call.source().format().pointer(), call.after() != null);
        boolean isLast = items.fill(chunk);
        return chunk.build(info.version(), items.offset(), null, items.isObject() ? "" : null, isLast);
    }

    private static ItemChunk lines(Info info, RangeStream stream, ChunkBuilder chunk) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        while (!chunk.isFull() && stream.peek() >= 0) {
            stream.beginItem();
            line.reset();
            for (int next = stream.read(); next >= 0 && next != '\n'; next = stream.read()) {
                line.write(next);
            }
            String text = text(decoder, line.toByteArray());
            if (!JsonFault.isBlank(text)) {
                chunk.add(line(text));
            }
        }
        return chunk.build(info.version(), stream.offset(), null, null, stream.peek() < 0);
    }

    private static JsonNode line(String text) throws IOException {
        try {
            return Json.read(text);
        } catch (JsonProcessingException e) {
            throw new ItemFault(JsonFault.located(e, text));
        }
    }

    private static String text(CharsetDecoder decoder, byte[] line) throws ItemFault {
        try {
            return decoder.decode(ByteBuffer.wrap(line)).toString();
        } catch (CharacterCodingException e) {
            throw new ItemFault(JsonFault.NO_UTF_8);
        }
    }

    private static ItemChunk rows(ObjectCall.Read call, Info info, RangeStream stream, ChunkBuilder chunk) throws IOException {
        CsvRows rows = new CsvRows(stream, call.source().format().delimiter());
        List<String> headers = call.headers() != null ? call.headers() : call.source().format().headers();
        if (headers == null) {
            List<String> first = rows.next();
            headers = CsvRows.checkedHeaders(first == null ? List.of() : first);
        }
        if (call.headers() == null && new HashSet<>(headers).size() < headers.size()) {
            throw ItemFault.worded("CSV headers cannot contain duplicates.");
        }
        Map<String, Integer> places = places(headers);
        boolean isLast = false;
        while (!chunk.isFull() && !isLast) {
            List<String> row = rows.next();
            isLast = row == null;
            if (!isLast) {
                chunk.add(item(places, row));
            }
        }
        return chunk.build(info.version(), stream.offset(), headers, null, isLast || stream.peek() < 0);
    }

    /** Where in a row the members of its object are, in the order in which AWS gives these: that of a Java hash map. */
    private static Map<String, Integer> places(List<String> headers) {
        Map<String, Integer> places = new LinkedHashMap<>();
        Unique.placed(headers, String::hashCode).forEach(header -> places.put(header, headers.indexOf(header)));
        return places;
    }

    /** A field that the row lacks is empty, one that no header names is left out. */
    private static ObjectNode item(Map<String, Integer> places, List<String> row) {
        ObjectNode item = Json.NODES.objectNode();
        places.forEach((header, place) -> item.put(header, place < row.size() ? row.get(place) : ""));
        return item;
    }

    private ItemChunk list(ObjectCall.Read call) throws IOException {
        String bucket = call.source().bucket() == null ? "" : call.source().bucket() + "/";
        ChunkBuilder chunk = new ChunkBuilder(call.most());
        String after = call.after();
        int limit = Math.min(call.most(), WorkflowLimits.LISTED_KEYS);
        List<String> keys = objects.keys(call.source().key(), after, limit);
        for (String key : keys) {
            Info info = objects.info(key);
            if (info != null) {
                chunk.add(listed(key.substring(bucket.length()), info));
            }
            after = key;
        }
        return chunk.build(0, 0, null, after, keys.size() < limit);
    }

    private static ObjectNode listed(String key, Info info) {
        return Json.NODES.objectNode().put("Etag", '"' + (info.sha256() == null ? "v" + info.version() : info.sha256()) + '"')
                .put("Key", key).put("Size", info.size()).put("StorageClass", "STANDARD");
    }
}
