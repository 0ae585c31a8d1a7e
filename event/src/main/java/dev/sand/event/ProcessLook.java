package dev.sand.event;

/**
 * What somebody wants to see of a cloud process: a page of its state or its mailbox, or one value of either.
 *
 * @param at of STATE the key, of MAILBOX the number, behind which the page begins, or null: at the first; of VALUE the key, of MESSAGE
 *           the number
 * @param limit of a page, in entries; one whose names are long has fewer
 */
public record ProcessLook(Part part, String at, int limit) {
    /** Of a value: larger ones are not told, but for their size. */
    public static final int VALUE_BYTES = 256 << 10;
    /** Of a page's names: with these it is one frame between hosts. */
    public static final int NAMES_BYTES = 256 << 10;

    public enum Part { STATE, VALUE, MAILBOX, MESSAGE }

    public static ProcessLook value(Part part, String at) {
        return new ProcessLook(part, at, 1);
    }

    /** Of a message: which one, or behind which. 0: the first page. */
    public long number() {
        return at == null ? 0 : Long.parseLong(at);
    }
}
