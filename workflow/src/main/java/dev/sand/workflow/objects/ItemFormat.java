package dev.sand.workflow.objects;

import com.fasterxml.jackson.core.JsonPointer;
import java.util.List;

/**
 * What an object that items are read from looks like.
 *
 * @param delimiter of CSV
 * @param headers of CSV; null: its first row has them
 * @param pointer of JSON: where the array or object is whose members are the items
 * @param spread which objects look so
 */
public record ItemFormat(Type type, char delimiter, List<String> headers, JsonPointer pointer, Spread spread) {
    /** As ReaderConfig's InputType names them. What is PARQUET is refused before it is read. */
    public enum Type { CSV, JSON, JSONL, PARQUET }

    /** One object; all that are listed; those of an S3 inventory; those whose paths stand in a manifest. */
    public enum Spread { ONE, LISTED, INVENTORY, PATHS }

    public ItemFormat(Type type, char delimiter, List<String> headers, JsonPointer pointer) {
        this(type, delimiter, headers, pointer, Spread.ONE);
    }

    public ItemFormat with(Spread other) {
        return new ItemFormat(type, delimiter, headers, pointer, other);
    }
}
