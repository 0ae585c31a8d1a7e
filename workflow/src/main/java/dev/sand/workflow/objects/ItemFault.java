package dev.sand.workflow.objects;

import java.io.IOException;

/** An object is not what its reader expects: trying again would give the same. */
public final class ItemFault extends IOException {
    private static final long serialVersionUID = 1L;

    public ItemFault(String message) {
        super(message);
    }
}
