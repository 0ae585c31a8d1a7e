package dev.sand.workflow.objects;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.JsonFault;
import dev.sand.workflow.data.WorkflowLimits;
import dev.sand.workflow.objects.ApplicationObjects.Info;
import dev.sand.workflow.objects.ItemFormat.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Objects that say which objects items are in: of an S3 inventory, or with a path a line. Read again for each chunk. */
final class Manifests {
    private static final int RANGE_BYTES = 128 * 1024;
    private final ApplicationObjects objects;

    Manifests(ApplicationObjects objects) {
        this.objects = objects;
    }

    /** Of the files of an inventory: CSV, whose columns the manifest names. */
    ItemFormat inventoryFormat(ItemSource source) throws IOException {
        List<String> columns = List.of(inventory(source).path("fileSchema").textValue().strip().split("\\s*,\\s*"));
        return new ItemFormat(Type.CSV, ',', columns, JsonPointer.empty());
    }

    private JsonNode inventory(ItemSource source) throws IOException {
        JsonNode manifest;
        byte[] content = manifest(source);
        try {
            manifest = Json.read(content);
        } catch (IOException e) {
            throw new ItemFault("The manifest " + source.key() + " is no JSON: " + JsonFault.located(e, ByteBuffer.wrap(content)));
        }
        if (!"CSV".equals(manifest.path("fileFormat").textValue()) || !manifest.path("fileSchema").isTextual() || !manifest.path("files").isArray()) {
            throw new ItemFault("The manifest " + source.key()
                    + " cannot be used: an S3 inventory's in CSV has fileFormat, fileSchema and files.");
        }
        return manifest;
    }

    List<String> files(ItemSource source) throws IOException {
        JsonNode manifest = inventory(source);
        String bucket = manifest.path("destinationBucket").asText(source.bucket());
        String prefix = source.bucket() == null ? "" : bucket.substring(bucket.lastIndexOf(':') + 1) + "/";
        List<String> keys = new ArrayList<>();
        for (JsonNode file : manifest.get("files")) {
            if (!file.path("key").isTextual()) {
                throw new ItemFault("The manifest " + source.key() + " has a file without a key.");
            }
            keys.add(prefix + file.get("key").textValue());
        }
        return keys;
    }

    List<String> paths(ItemSource source) throws IOException {
        String text = new String(manifest(source), StandardCharsets.UTF_8);
        return (text.startsWith("\uFEFF") ? text.substring(1) : text).lines().map(line -> line.strip().replaceAll("^\"+|\"+$", ""))
                .filter(line -> !line.isEmpty()).map(line -> line.regionMatches(true, 0, "s3://", 0, 5) ? line.substring(5) : line).toList();
    }

    private byte[] manifest(ItemSource source) throws IOException {
        Info info = objects.info(source.key());
        if (info == null) {
            throw new ItemFault("There is no object " + source.key() + ".");
        }
        if (info.size() > WorkflowLimits.MANIFEST_BYTES) {
            throw new ItemFault("The manifest " + source.key() + " has more than " + WorkflowLimits.MANIFEST_BYTES + " bytes.");
        }
        return whole(objects, source.key(), info);
    }

    static byte[] whole(ApplicationObjects objects, String key, Info info) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        while (content.size() < info.size()) {
            byte[] range = objects.read(key, info.version(), content.size(), RANGE_BYTES);
            if (range.length == 0) {
                throw new IOException(key + " ends at byte " + content.size() + ", before its size of " + info.size());
            }
            content.write(range);
        }
        return content.toByteArray();
    }
}
