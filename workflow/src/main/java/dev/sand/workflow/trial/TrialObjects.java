package dev.sand.workflow.trial;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.objects.ApplicationObjects;
import dev.sand.workflow.objects.ItemFault;
import dev.sand.workflow.objects.ItemReading;
import dev.sand.workflow.objects.ObjectCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The objects of a trial. What the stub of {@code s3:getObject} ({@code sand:object:get}) returns is the content of whatever object is
 * read: a string is its text, anything else the JSON that it holds; of what looks like an answer of GetObject, its Body is. What that of {@code s3:listObjectsV2} ({@code sand:object:list})
 * returns is the list: objects with Key and, if need be, Size and Etag; or an object with that list as its Contents. Without a stub
 * there are the objects that the trial itself has written, which is what {@code s3:putObject} ({@code sand:object:put}) does unless its
 * stub raises an error.
 */
final class TrialObjects implements ApplicationObjects {
    private static final Set<String> OF_RESPONSE = Set.of("Body", "ContentType", "ContentLength", "ContentEncoding", "ETag", "LastModified",
            "VersionId", "AcceptRanges", "Metadata");

    /** What an answer of ListObjectsV2 has that lists nothing. */
    private static final Set<String> OF_LIST = Set.of("CommonPrefixes", "ContinuationToken", "Delimiter", "EncodingType", "IsTruncated",
            "KeyCount", "MaxKeys", "Name", "NextContinuationToken", "Prefix", "RequestCharged", "StartAfter");

    private final GrainStub stubs;
    private final Map<String, byte[]> written = new TreeMap<>();
    /** By version: what a stub returned for one reader. */
    private final Map<Long, byte[]> returned = new HashMap<>();
    private byte[] current;
    private List<JsonNode> listed;
    private StubbedObjects spread;

    TrialObjects(GrainStub stubs) {
        this.stubs = stubs;
    }

    Map<String, byte[]> written() {
        return written;
    }

    /** @return the stub that a call is for, where there is one; each reader and each write counts as one call */
    GrainStub.Answer stub(ObjectCall call) {
        return switch (call) {
            case ObjectCall.Read read when read.source().isSpread() -> read.after() != null ? null
                    : stubs.call(read.source().isListing() ? "listObjectsV2" : "getObject");
            case ObjectCall.Read read when read.source().isListing() -> read.after() != null ? null : stubs.call("listObjectsV2");
            case ObjectCall.Read read -> read.offset() != 0 ? null : stubs.call("getObject");
            case ObjectCall.Write write -> stubs.call("putObject");
        };
    }

    /** @param stub of the reader that begins with it, or null */
    JsonNode perform(ObjectCall call, GrainStub.Answer stub) throws IOException {
        if (call instanceof ObjectCall.Read read && read.source().isSpread()) {
            if (read.after() == null) {
                spread = stub == null ? null : new StubbedObjects(stubs, this, read.source(), stub.output());
            }
            current = null;
            return new ItemReading(spread == null ? this : spread).perform(call);
        }
        if (call instanceof ObjectCall.Read read && stub != null) {
            if (read.source().isListing()) {
                listed = listed(stub.output());
            } else {
                returned.put(returned.size() + 1L, content(stub.output()));
                current = returned.get((long) returned.size());
            }
        }
        if (call instanceof ObjectCall.Read read && read.source().isListing() && listed != null) {
            return listing(read);
        }
        if (call instanceof ObjectCall.Read read) {
            current = read.version() == 0 ? stub == null ? null : current : returned.get(read.version());
        }
        return new ItemReading(this).perform(call);
    }

    /** Of what stands for an answer of ListObjectsV2, or for its Contents: the objects that it lists. */
    static List<JsonNode> listed(JsonNode given) throws ItemFault {
        boolean isEmptyAnswer = given.isObject() && !given.has("Contents")
                && given.propertyStream().allMatch(each -> OF_LIST.contains(each.getKey()));
        JsonNode contents = isEmptyAnswer ? Json.NODES.arrayNode() : given.isObject() ? given.path("Contents") : given;
        if (!contents.isArray() || !contents.valueStream().allMatch(each -> each.path("Key").isTextual())) {
            throw new ItemFault("What listObjectsV2 gave is no list of objects: each has a Key, and the list may be Contents of an answer.");
        }
        return contents.valueStream().toList();
    }

    static byte[] content(JsonNode given) {
        JsonNode returned = isResponse(given) ? given.get("Body") : given;
        return returned.isTextual() ? returned.textValue().getBytes(StandardCharsets.UTF_8) : Json.bytes(returned);
    }

    /** Whether it looks like what AWS's GetObject answers. */
    private static boolean isResponse(JsonNode given) {
        return given.path("Body").isTextual() && given.properties().stream().allMatch(each -> OF_RESPONSE.contains(each.getKey()));
    }

    private JsonNode listing(ObjectCall.Read read) {
        var chunk = Json.NODES.objectNode().put("last", true);
        var items = chunk.putArray("items");
        listed.stream().filter(each -> each.path("Key").asText().startsWith(read.source().name())).limit(read.most()).forEach(items::add);
        listed = null;
        return chunk;
    }

    @Override
    public Info info(String key) {
        byte[] content = current != null ? current : written.get(key);
        return content == null ? null : new Info(current == null ? 1 : returned.size(), content.length, null);
    }

    @Override
    public byte[] read(String key, long version, long offset, int length) {
        byte[] content = current != null ? current : written.get(key);
        return Arrays.copyOfRange(content, (int) offset, (int) Math.min(content.length, offset + length));
    }

    @Override
    public List<String> keys(String prefix, String after, int limit) {
        return written.keySet().stream().filter(key -> key.startsWith(prefix) && (after == null || key.compareTo(after) > 0))
                .limit(limit).toList();
    }

    @Override
    public void write(String key, String contentType, long offset, byte[] bytes, boolean isLast) {
        byte[] before = written.getOrDefault(key, new byte[0]);
        byte[] after = Arrays.copyOf(before, (int) offset + bytes.length);
        System.arraycopy(bytes, 0, after, (int) offset, bytes.length);
        written.put(key, after);
    }
}
