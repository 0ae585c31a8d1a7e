package dev.sand.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * What is in a cloud process, as far as was asked for.
 *
 * @param state entries in the order of their keys, or null
 * @param messages in the order in which they came, or null
 * @param next where the next page begins; null: there is none, or no page was asked for
 * @param value the one that was asked for; null: there is none of that name
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProcessContents(List<Entry> state, List<Unread> messages, String next, Value value) {
    /** @param inMemory false: it is in the global data layer alone */
    public record Entry(String key, String contentType, long bytes, boolean inMemory) {}

    /**
     * @param number of the change that it came with, which is its name
     * @param received a function has it that runs: it is gone when that ends well, and in its place again when not
     */
    public record Unread(long number, String source, String key, String contentType, long bytes, boolean received) {}

    /** @param bytes null: it has more than {@link ProcessLook#VALUE_BYTES} */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Value(String contentType, long size, byte[] bytes) {
        public static Value whole(String contentType, byte[] bytes) {
            return new Value(contentType, bytes.length, bytes);
        }
    }

    public static ProcessContents ofState(List<Entry> state, String next) {
        return new ProcessContents(state, null, next, null);
    }

    public static ProcessContents ofMailbox(List<Unread> messages, String next) {
        return new ProcessContents(null, messages, next, null);
    }

    /** @param value or null */
    public static ProcessContents of(Value value) {
        return new ProcessContents(null, null, null, value);
    }
}
