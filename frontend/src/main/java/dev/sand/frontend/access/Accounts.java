package dev.sand.frontend.access;

import dev.sand.datalayer.AccessTables;

/** Whether anybody has an account: from the first one on the platform asks everybody who he is, for good. */
public final class Accounts {
    private final AccessTables tables;
    private volatile boolean exist;

    public Accounts(AccessTables tables) {
        this.tables = tables;
    }

    /** As far as this frontend has looked. */
    public boolean exist() {
        return exist;
    }

    /** Blocks. @throws dev.sand.datalayer.StoreException when the store is away: then nobody knows */
    public boolean look() {
        if (!exist && tables.accounts()) {
            exist = true;
        }
        return exist;
    }
}
