package dev.sand.workflow.objects;

import java.io.IOException;

/** An object is not what its reader expects: trying again would give the same. */
public final class ItemFault extends IOException {
    private static final long serialVersionUID = 1L;

    /** Whether the words are AWS's, which do not name the object. */
    final boolean isWorded;

    public ItemFault(String message) {
        this(message, false);
    }

    private ItemFault(String message, boolean isWorded) {
        super(message);
        this.isWorded = isWorded;
    }

    static ItemFault worded(String message) {
        return new ItemFault(message, true);
    }
}
