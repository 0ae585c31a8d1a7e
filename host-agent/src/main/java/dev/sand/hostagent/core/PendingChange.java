package dev.sand.hostagent.core;

import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.process.ProcessChange;

/** A change of a process on its way into the journal. */
final class PendingChange {
    final String executionId;
    final long sequence;
    final Backup backup;
    final ProcessChange change;
    final Runnable then;
    boolean there;

    /** @param executionId and {@code sequence}, {@code backup}: its record's; @param then once it is durable, and all before it */
    PendingChange(String executionId, long sequence, Backup backup, ProcessChange change, Runnable then) {
        this.executionId = executionId;
        this.sequence = sequence;
        this.backup = backup;
        this.change = change;
        this.then = then;
    }
}
