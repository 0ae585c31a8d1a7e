package dev.sand.workflow.objects;

import com.fasterxml.jackson.core.JsonPointer;
import java.util.List;

/**
 * What an object that items are read from looks like.
 *
 * @param delimiter of CSV
 * @param headers of CSV; null: its first row has them
 * @param pointer of JSON: where the array or object is whose members are the items
 */
public record ItemFormat(Type type, char delimiter, List<String> headers, JsonPointer pointer) {
    /** As ReaderConfig's InputType names them. */
    public enum Type { CSV, JSON, JSONL }
}
