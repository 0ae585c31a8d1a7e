package dev.sand.workflow.asl;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.asl.Distribution.Reader;
import dev.sand.workflow.asl.Distribution.Writer;
import dev.sand.workflow.asl.Distribution.Writer.Transformation;
import dev.sand.workflow.asl.Resources.ObjectUse;
import dev.sand.workflow.data.Query.Sight;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.WorkflowLimits;
import dev.sand.workflow.objects.ItemFormat;
import dev.sand.workflow.objects.ItemFormat.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reads the fields of a distributed Map that are about objects: ItemReader and ResultWriter. */
final class ObjectFieldsReader {
    private static final Map<String, Character> DELIMITERS = Map.of("COMMA", ',', "PIPE", '|', "SEMICOLON", ';', "SPACE", ' ', "TAB", '\t');

    private final DataFields data;
    private final DistributionReader amounts;

    ObjectFieldsReader(DataFields data, DistributionReader amounts) {
        this.data = data;
        this.amounts = amounts;
    }

    // --- ItemReader

    /** @return null when it is not given, or wrong */
    Reader reader(Fields state, boolean isJsonata) {
        Fields fields = state.object("ItemReader");
        if (fields == null) {
            return null;
        }
        if (state.has("Items")) { // ItemsPath is passed over, as on AWS
            state.report("Items", Code.WRONG_VALUE, "The items come from the ItemReader: Items has nothing to select from.");
        }
        data.refuseForeign(fields, isJsonata);
        String resource = fields.requiredString("Resource");
        boolean isListing = resource != null && ObjectUse.LIST.isNamedBy(resource);
        if (resource != null && !isListing && !ObjectUse.GET.isNamedBy(resource)) {
            fields.report("Resource", Code.NOT_SUPPORTED, "An ItemReader reads with " + ObjectUse.GET.names() + ", or lists with "
                    + ObjectUse.LIST.names() + "; not with " + resource + ".");
        }
        Template parameters = parameters(fields, isJsonata, "ItemReader/");
        Fields configuration = fields.object("ReaderConfig");
        boolean flattens = flattens(configuration, isListing);
        ItemFormat format = isListing && !flattens ? null : format(fields, configuration);
        if (format != null) {
            format = flattens ? format.with(Spread.LISTED) : manifest(configuration, format);
        }
        Distribution.Amount maxItems = null;
        if (configuration != null) {
            maxItems = amounts.amount(configuration, "MaxItems", "ItemReader/ReaderConfig/", 0, WorkflowLimits.MAX_ITEMS, isJsonata);
            if (maxItems != null && maxItems.from() != null) { // judged when it is known, as on AWS
                maxItems = new Distribution.Amount(maxItems.field(), 0, maxItems.from(), -(1L << 53), 1L << 53);
            }
            configuration.reportUnknown("a ReaderConfig");
        }
        fields.reportUnknown("an ItemReader");
        return new Reader(resource != null && resource.startsWith("arn:"), parameters, format, maxItems);
    }

    private Template parameters(Fields fields, boolean isJsonata, String within) {
        String name = isJsonata ? "Arguments" : "Parameters";
        JsonNode value = fields.required(name);
        if (value == null) {
            return null;
        }
        if (!value.isObject() && !(isJsonata && QueryReader.isQuery(value))) {
            fields.report(name, Code.WRONG_TYPE, "The field " + name + " must be an object.");
            return null;
        }
        return isJsonata ? data.queries().template(fields, name, within, Sight.INPUT) : data.templates().read(fields, name);
    }

    /** Whether the items are in the objects that are listed, and are not these. */
    private static boolean flattens(Fields configuration, boolean isListing) {
        String transformation = configuration == null ? null : configuration.string("Transformation");
        boolean flattens = "LOAD_AND_FLATTEN".equals(transformation);
        if (transformation != null && !flattens && !transformation.equals("NONE")) {
            configuration.report("Transformation", Code.WRONG_VALUE, "The field Transformation must be NONE or LOAD_AND_FLATTEN.");
        } else if (flattens && !isListing) {
            configuration.report("Transformation", Code.WRONG_VALUE, "LOAD_AND_FLATTEN is for objects that are listed.");
        } else if (isListing && configuration != null && configuration.has("ManifestType")) {
            configuration.ignore("ManifestType");
            configuration.report("ManifestType", Code.WRONG_VALUE, "A ManifestType is for a manifest that is read, not for objects that are listed.");
        }
        return flattens;
    }

    /** With what the object lists, where it is a manifest. */
    private static ItemFormat manifest(Fields configuration, ItemFormat format) {
        String kind = configuration.string("ManifestType");
        boolean isInventory = format.spread() == Spread.INVENTORY;
        if (kind != null && !kind.equals("S3_INVENTORY") && !kind.equals("ATHENA_DATA")) {
            configuration.report("ManifestType", Code.WRONG_VALUE, "The field ManifestType must be S3_INVENTORY or ATHENA_DATA.");
        } else if ("S3_INVENTORY".equals(kind) && !isInventory) {
            configuration.report("ManifestType", Code.WRONG_VALUE, "A manifest of an S3 inventory has the InputType MANIFEST or none.");
        } else if ("ATHENA_DATA".equals(kind) && (isInventory || format.type() == ItemFormat.Type.JSON)) {
            configuration.report("ManifestType", Code.WRONG_VALUE, "ATHENA_DATA needs the InputType of the files: CSV or JSONL.");
        } else if ("ATHENA_DATA".equals(kind)) {
            return format.with(Spread.PATHS);
        }
        return format;
    }

    private static boolean is(Fields configuration, String name, String value) {
        JsonNode given = configuration.raw(name);
        return given != null && value.equals(given.textValue());
    }

    private static ItemFormat format(Fields reader, Fields configuration) {
        String type = configuration == null ? null : configuration.string("InputType");
        if (type == null && configuration != null && is(configuration, "ManifestType", "S3_INVENTORY")) {
            type = "MANIFEST";
        }
        if (type == null) {
            if (configuration == null || !configuration.has("InputType")) {
                reader.report(null, Code.MISSING_FIELD, "An ItemReader that reads an object needs the InputType of its ReaderConfig.");
            }
            return null;
        }
        return switch (type) {
            case "CSV" -> csv(configuration);
            case "JSON" -> new ItemFormat(ItemFormat.Type.JSON, ',', null, pointer(configuration));
            case "JSONL" -> new ItemFormat(ItemFormat.Type.JSONL, ',', null, JsonPointer.empty());
            case "MANIFEST" -> {
                if (!is(configuration, "Transformation", "LOAD_AND_FLATTEN")) {
                    yield new ItemFormat(ItemFormat.Type.CSV, ',', null, JsonPointer.empty(), Spread.INVENTORY);
                }
                configuration.report("InputType", Code.WRONG_VALUE, "Objects that are listed are no manifests: CSV, JSON and JSONL can be loaded.");
                yield null;
            }
            case "PARQUET" -> {
                configuration.ignore("ManifestType");
                if (asksForVersion(reader)) {
                    yield new ItemFormat(ItemFormat.Type.PARQUET, ',', null, JsonPointer.empty());
                }
                configuration.report("InputType", Code.NOT_SUPPORTED, "The InputType PARQUET is not supported: CSV, JSON, JSONL and MANIFEST are.");
                yield null;
            }
            default -> {
                configuration.ignore("ManifestType");
                configuration.report("InputType", Code.WRONG_VALUE, "The field InputType must be CSV, JSON, JSONL or MANIFEST.");
                yield null;
            }
        };
    }

    /** Of a Parquet file AWS reads none: the execution fails there, so that nothing of it need be read here. */
    private static boolean asksForVersion(Fields reader) {
        return Stream.of("Parameters", "Arguments").map(reader::raw)
                .anyMatch(given -> given != null && (given.has("VersionId") || given.has("VersionId.$")));
    }

    private static ItemFormat csv(Fields configuration) {
        String location = configuration.requiredString("CSVHeaderLocation");
        List<String> headers = null;
        if ("GIVEN".equals(location)) {
            headers = headers(configuration);
        } else if (location != null && !location.equals("FIRST_ROW")) {
            configuration.report("CSVHeaderLocation", Code.WRONG_VALUE, "The field CSVHeaderLocation must be FIRST_ROW or GIVEN.");
        } else if (configuration.has("CSVHeaders")) {
            configuration.ignore("CSVHeaders");
            configuration.report("CSVHeaders", Code.WRONG_VALUE, "CSVHeaders is only for the CSVHeaderLocation GIVEN.");
        }
        String delimiter = configuration.string("CSVDelimiter");
        if (delimiter != null && !DELIMITERS.containsKey(delimiter)) {
            configuration.report("CSVDelimiter", Code.WRONG_VALUE, "The field CSVDelimiter must be COMMA, PIPE, SEMICOLON, SPACE or TAB.");
        }
        return new ItemFormat(ItemFormat.Type.CSV, DELIMITERS.getOrDefault(delimiter == null ? "COMMA" : delimiter, ','), headers,
                JsonPointer.empty());
    }

    private static List<String> headers(Fields configuration) {
        JsonNode given = configuration.required("CSVHeaders");
        List<String> headers = new ArrayList<>();
        if (given != null) {
            given.forEach(header -> headers.add(header.isTextual() ? header.textValue() : null));
            if (!given.isArray() || headers.isEmpty() || headers.contains(null)) {
                configuration.report("CSVHeaders", Code.WRONG_TYPE, "The field CSVHeaders must be a non-empty array of strings.");
            }
        }
        return headers;
    }

    private static JsonPointer pointer(Fields configuration) {
        String pointer = configuration.string("ItemsPointer");
        try {
            return pointer == null ? JsonPointer.empty() : JsonPointer.compile(pointer);
        } catch (IllegalArgumentException e) {
            configuration.report("ItemsPointer", Code.INVALID_PATH, "The field ItemsPointer must be a JSON Pointer, such as /orders/items.");
            return JsonPointer.empty();
        }
    }

    // --- ResultWriter

    /** @return null when it is not given, or wrong */
    Writer writer(Fields state, boolean isJsonata) {
        Fields fields = state.object("ResultWriter");
        if (fields == null) {
            return null;
        }
        data.refuseForeign(fields, isJsonata);
        String given = isJsonata ? "Arguments" : "Parameters";
        boolean isExported = fields.has("Resource") || fields.has(given);
        String resource = isExported ? fields.requiredString("Resource") : null;
        if (resource != null && !ObjectUse.PUT.isNamedBy(resource)) {
            fields.report("Resource", Code.NOT_SUPPORTED, "A ResultWriter writes with " + ObjectUse.PUT.names() + "; not with " + resource + ".");
        }
        Template parameters = isExported ? parameters(fields, isJsonata, "ResultWriter/") : null;
        Fields configuration = fields.object("WriterConfig");
        if (!isExported && !fields.has("WriterConfig")) {
            fields.report(null, Code.MISSING_FIELD, "A ResultWriter needs Resource and " + given + ", or WriterConfig, or all of them.");
        }
        Transformation transformation = isExported ? Transformation.NONE : Transformation.COMPACT;
        boolean isLines = false;
        if (configuration != null) {
            String name = configuration.string("Transformation");
            if (name != null && !List.of("NONE", "COMPACT", "FLATTEN").contains(name)) {
                configuration.report("Transformation", Code.WRONG_VALUE, "The field Transformation must be NONE, COMPACT or FLATTEN.");
            } else if (name != null) {
                transformation = Transformation.valueOf(name);
            }
            isLines = isLines(configuration, isExported);
            configuration.reportUnknown("a WriterConfig");
        }
        fields.reportUnknown("a ResultWriter");
        return new Writer(resource != null && resource.startsWith("arn:"), parameters, transformation, isLines);
    }

    private static boolean isLines(Fields configuration, boolean isExported) {
        String type = configuration.string("OutputType");
        if (type != null && !type.equals("JSON") && !type.equals("JSONL")) {
            configuration.report("OutputType", Code.WRONG_VALUE, "The field OutputType must be JSON or JSONL.");
        } else if ("JSONL".equals(type) && !isExported) {
            configuration.report("OutputType", Code.WRONG_VALUE, "JSON Lines can be written into objects, and are no output of a state:"
                    + " give Resource and Parameters, or the OutputType JSON.");
        }
        return "JSONL".equals(type);
    }
}
