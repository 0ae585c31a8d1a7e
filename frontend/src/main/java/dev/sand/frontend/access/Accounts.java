package dev.sand.frontend.access;

import dev.sand.datalayer.AccessTables;
import dev.sand.datalayer.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether anybody has an account: from the first one on the platform asks everybody who he is, for good. */
public final class Accounts {
    private static final Logger LOG = LoggerFactory.getLogger(Accounts.class);
    private final AccessTables tables;
    private volatile boolean exist;
    /** One may have been made just now, and nobody could look. */
    private volatile boolean doubted;

    public Accounts(AccessTables tables) {
        this.tables = tables;
    }

    /** As far as this frontend knows; while it cannot know, there are some. */
    public boolean exist() {
        return exist || doubted;
    }

    /** Blocks. @throws StoreException when the store is away: then nobody knows */
    public void look() {
        if (!exist) {
            exist = tables.accounts();
            doubted = false;
        }
    }

    /** Behind the requests' back: another frontend may have made one. */
    void renew() {
        try {
            look();
        } catch (StoreException e) {
            LOG.debug("whether there are accounts cannot be looked up: {}", e.toString());
        }
    }

    /** One may have been made. Blocks. */
    public void forget() {
        doubted = !exist;
        renew();
    }
}
