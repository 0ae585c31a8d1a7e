package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Distribution;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.WorkflowLimits;
import dev.sand.workflow.objects.ItemFormat;
import dev.sand.workflow.objects.ItemSource;
import java.nio.charset.StandardCharsets;

/** Which objects a run of a distributed Map reads and writes, as the parameters of its ItemReader and ResultWriter say. */
final class MapObjects {
    private MapObjects() {}

    static ReadItems read(Distribution.Reader reader, MapRun run) {
        JsonNode parameters = run.reads();
        if (reader.format() != null && reader.format().type() == ItemFormat.Type.PARQUET) {
            throw new StatesError(StatesError.ITEM_READER_FAILED, "S3 Version ID selection is not currently supported for PARQUET files");
        }
        String bucket = text(parameters, "Bucket", !reader.needsBucket(), StatesError.ITEM_READER_FAILED);
        boolean isListing = new ItemSource(null, "", reader.format()).isListing();
        String name = text(parameters, isListing ? "Prefix" : "Key", isListing, StatesError.ITEM_READER_FAILED);
        ItemSource items = new ItemSource(bucket, name == null ? "" : name, reader.format());
        int bytes = items.key().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > WorkflowLimits.OBJECT_KEY_BYTES) {
            throw new StatesError(StatesError.ITEM_READER_FAILED, "A key of " + bytes + " bytes is over the limit of " + WorkflowLimits.OBJECT_KEY_BYTES);
        }
        return new ReadItems(items, version(parameters), run.most());
    }

    /** Of the object that is asked for; 0: as it is. */
    private static long version(JsonNode parameters) {
        JsonNode version = parameters.get("VersionId");
        Long number = version == null ? Long.valueOf(0) : version.isTextual() && version.textValue().matches("[0-9]{1,18}")
                ? Long.valueOf(version.textValue()) : Json.wholeNumber(version);
        if (number == null || version != null && number <= 0) {
            throw new StatesError(StatesError.ITEM_READER_FAILED, "The VersionId of an object is a whole number from 1, not " + Json.text(version));
        }
        return number;
    }

    static ResultFiles files(Visit visit, MapRun run) {
        Distribution.Writer writer = run.writer();
        JsonNode parameters = run.writes();
        String bucket = text(parameters, "Bucket", !writer.needsBucket(), StatesError.RESULT_WRITER_FAILED);
        String prefix = text(parameters, "Prefix", true, StatesError.RESULT_WRITER_FAILED);
        String folder = prefix == null ? "" : prefix.endsWith("/") ? prefix : prefix + "/";
        String files = folder + IterationRecord.id(visit);
        int bytes = (bucket == null ? files : bucket + "/" + files).getBytes(StandardCharsets.UTF_8).length + WorkflowLimits.RESULT_NAME_BYTES;
        if (bytes > WorkflowLimits.OBJECT_KEY_BYTES) {
            throw new StatesError(StatesError.RESULT_WRITER_FAILED, "The keys of the results have up to " + bytes + " bytes; the limit is "
                    + WorkflowLimits.OBJECT_KEY_BYTES);
        }
        return new ResultFiles(bucket, files, writer, IterationRecord.mapRun(visit));
    }

    /** @return null when it is not given, and need not be */
    private static String text(JsonNode parameters, String name, boolean isOptional, String error) {
        JsonNode value = parameters.get(name);
        if (value == null && isOptional) {
            return null;
        }
        if (value == null || !value.isTextual() || value.textValue().isEmpty() && !isOptional) {
            throw new StatesError(error, "The field " + name + " must be a string" + (isOptional ? "" : " that is not empty") + ", it is "
                    + (value == null ? "missing" : Json.text(value)));
        }
        return value.textValue().isEmpty() ? null : value.textValue();
    }
}
