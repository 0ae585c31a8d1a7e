package dev.sand.hostagent.slots;

import dev.sand.event.Slots;
import dev.sand.globalbus.Membership;
import dev.sand.hostagent.journal.JournalAdapter.Standing;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Which slots are this host's now, and whether it may have effects in them (DESIGN, decision 6). Changed by {@link SlotKeeper};
 * read by any thread, for the price of a volatile read or two.
 */
public final class SlotTable {
    private final Membership membership;
    private final LongSupplier clockNs;
    /** The epoch under which the slot was given to us, and that under which its shards know it; 0: none. */
    private final AtomicLongArray given;
    private final AtomicLongArray acting;

    public SlotTable(Membership membership) {
        this(membership, System::nanoTime);
    }

    SlotTable(Membership membership, LongSupplier clockNs) {
        this.membership = membership;
        this.clockNs = clockNs;
        this.given = new AtomicLongArray(membership.slots());
        this.acting = new AtomicLongArray(membership.slots());
    }

    public int slots() {
        return given.length();
    }

    public int slotOf(String executionId) {
        return Slots.of(executionId, slots());
    }

    /** What time it is, the same for all hosts and frontends within about a second. */
    public long nowMs() {
        return membership.nowMs();
    }

    /** Whether the group has been heard of lately: only then a record of ours in the global bus is sure to count. */
    public boolean mayAct() {
        return membership.mayAct(clockNs.getAsLong());
    }

    /** Whether what the receiver checks by its epoch may leave this host: also while the group cannot be heard. */
    public boolean mayGoOn() {
        return membership.mayGoOn(clockNs.getAsLong());
    }

    /** Whether the slot is ours under that epoch, as far as this host knows: whoever receives what is done in it checks the epoch. */
    public boolean holds(int slot, long epoch) {
        return acting.get(slot) == epoch && epoch != 0 && mayGoOn();
    }

    /** What may be said of the slot: for what cannot be taken back, and is checked by nobody. */
    public Standing standing(int slot, long epoch) {
        boolean sure = mayAct(); // asked first: what is held after that was ours at that time
        if (!holds(slot, epoch)) {
            return Standing.LOST;
        }
        return sure ? Standing.OURS : Standing.UNKNOWN;
    }

    /** Under which epoch the slot is ours, or 0. */
    public long epoch(int slot) {
        return given.get(slot);
    }

    boolean isGiven(int slot, long epoch) {
        return given.get(slot) == epoch;
    }

    void give(int slot, long epoch) {
        given.set(slot, epoch);
    }

    /** The shards know of it. @return false when it was lost meanwhile */
    boolean act(int slot, long epoch) {
        if (!isGiven(slot, epoch)) {
            return false; // what a later epoch has set stays
        }
        acting.set(slot, epoch);
        if (isGiven(slot, epoch)) {
            return true;
        }
        acting.compareAndSet(slot, epoch, 0);
        return false;
    }

    void lose(int slot) {
        given.set(slot, 0);
        acting.set(slot, 0);
    }
}
