package dev.sand.dataplane;

import java.util.Set;

/**
 * That whoever holds it may use a cloud process directly (PraaS 4.1): for a short while, on the host that owned it then.
 *
 * @param epoch under which the host owned the process's slot; of one that was moved by hand, with {@link #tenure that slot}
 * @param version of the application, live when it was issued: no earlier one of its name had it; 0: an older frontend did not say
 * @param rights what may be done; {@link #INVOKE} is all that there is so far
 * @param functions that may be invoked; empty: all
 * @param issuedMs and {@code expiresMs}: by the time that all programs of the platform agree on
 */
public record Grant(String application, String process, String host, long epoch, int version, Set<String> rights,
                    Set<String> functions, long issuedMs, long expiresMs) {
    private static final int EPOCH_BITS = 40;
    public static final String INVOKE = "invoke";

    public Grant {
        rights = Set.copyOf(rights);
        functions = Set.copyOf(functions);
    }

    /** As older frontends issue them. */
    public Grant(String application, String process, String host, long epoch, Set<String> rights, Set<String> functions, long issuedMs,
                 long expiresMs) {
        this(application, process, host, epoch, 0, rights, functions, issuedMs, expiresMs);
    }

    /** @param slot where the process lives; @param epoch under which it has an owner. @return what a grant has as its epoch */
    public static long tenure(int slot, long epoch) {
        return (slot + 1L) << EPOCH_BITS | epoch;
    }

    /** -1: that which the process's id falls into. */
    public int slot() {
        return (int) (epoch >>> EPOCH_BITS) - 1;
    }

    /** Of the slot's owner. */
    public long slotEpoch() {
        return epoch & (1L << EPOCH_BITS) - 1;
    }

    /** @param deletedUpTo number of the last version of the applications of its name that were deleted */
    public boolean isOfDeleted(int deletedUpTo) {
        return version != 0 && version <= deletedUpTo;
    }

    public boolean allows(String function) {
        return rights.contains(INVOKE) && (functions.isEmpty() || functions.contains(function));
    }
}
