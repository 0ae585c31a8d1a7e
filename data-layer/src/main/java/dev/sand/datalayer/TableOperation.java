package dev.sand.datalayer;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.Payload;
import java.util.Locale;

/**
 * One step of a table transaction; see {@link What} for what each takes and gives.
 *
 * @param key of the value, or the lock's name
 * @param value JSON, but for put, which takes any content type
 * @param number a version, token, count or summand; null where it is not given
 * @param field of a map
 */
public record TableOperation(What what, String key, Payload value, Long number, String field) {
    public enum What {
        /** Gives value and version, 0 when there is none. */
        GET,
        /** The key must be at version {@code number}, 0: absent. */
        CHECK,
        /** The lock {@code key} must be held under token {@code number}. */
        CHECK_LOCK,
        /** Writes {@code value}; at version {@code number} only, when given. */
        PUT,
        /** Deletes; at version {@code number} only, when given. Gives 1 or 0: whether there was a value. */
        DELETE,
        /** Adds {@code number} to a whole number; absent counts as 0. Gives the sum. */
        ADD,
        /** Puts the elements of the JSON array {@code value} behind (before) those of the list. Gives its length. */
        APPEND, PREPEND,
        /** Takes up to {@code number} elements from the front (end) of the list, 1 when not given. Gives them as a JSON array. */
        POP_FIRST, POP_LAST,
        /** Removes all elements that equal {@code value}. Gives how many. */
        REMOVE,
        /** Cuts the list to its first (last) {@code number} elements. Gives its length. */
        KEEP_FIRST, KEEP_LAST,
        /** Sets {@code field} of the map to {@code value}. Gives the number of fields. */
        SET_FIELD,
        /** Gives 1 or 0: whether there was such a field. */
        REMOVE_FIELD,
        /** Adds those elements of the JSON array {@code value} that the set does not have. Gives how many. */
        ADD_MEMBERS,
        /** Gives how many were there. */
        REMOVE_MEMBERS;

        /** @param name as on the wire: camelCase; @throws StoreException BAD_VALUE for any other */
        public static What of(String name) {
            for (What what : values()) {
                if (what.wireName().equals(name)) {
                    return what;
                }
            }
            throw new StoreException(Kind.BAD_VALUE, "a table has no operation \"" + name + "\"", 0, null);
        }

        public String wireName() {
            StringBuilder name = new StringBuilder();
            for (String word : name().split("_")) {
                name.append(name.isEmpty() ? word.toLowerCase(Locale.ROOT)
                        : word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT));
            }
            return name.toString();
        }
    }

    /** @param version of the value that was read, or that was written by the transaction; 0: there is none */
    public record Result(long version, Payload value, Long number) {}
}
