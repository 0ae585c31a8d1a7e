package dev.sand.workflow.objects;

import java.util.List;

/** What a distributed Map wants done with the application's objects. Each may be done again, and then gives the same. */
public sealed interface ObjectCall {
    /**
     * The next items of a source, as {@link ItemChunk} has them.
     *
     * @param version of the object; 0: as it is now
     * @param offset of the first byte that is not read yet
     * @param headers of CSV, once its first row was read, or null
     * @param after key of the last object that was listed, or null
     * @param most items
     */
    record Read(ItemSource source, long version, long offset, List<String> headers, String after, int most) implements ObjectCall {}

    /** @param key whole, with its bucket; @param isLast the object ends with these bytes */
    record Write(String key, String contentType, long offset, byte[] bytes, boolean isLast) implements ObjectCall {}
}
