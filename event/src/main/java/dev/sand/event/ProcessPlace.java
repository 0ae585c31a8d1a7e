package dev.sand.event;

/**
 * Where a cloud process lives that was moved by hand: the slot whose owner has it, instead of that which its id falls into.
 *
 * @param moves how often it was moved: of two places, that with more is the later one
 */
public record ProcessPlace(int slot, int moves) {
    /** Of a failure {@code Sand.Moved}: the slot to ask instead. */
    public static final String SLOT = "slot";
    private static final int EPOCH_BITS = 40;

    /** Where it is without having been moved. */
    public static ProcessPlace first(int slot) {
        return new ProcessPlace(slot, 0);
    }

    /** Larger for each later owner, in this slot or in the next one: what one wrote, no earlier one replaces. */
    public long fence(long epoch) {
        return ((long) moves << EPOCH_BITS) | epoch;
    }

    /** How often it was moved, of whoever has that fence. */
    public static int moves(long fence) {
        return (int) (fence >>> EPOCH_BITS);
    }

    /** The slot that a failure names; -1: none. */
    public static int slotOf(Failure failure) {
        return failure != null && Errors.MOVED.equals(failure.error()) && failure.details() != null
                && failure.details().get(SLOT) instanceof Number slot ? slot.intValue() : -1;
    }
}
