package dev.sand.globalbus;

import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.Membership.Owner;
import dev.sand.globalbus.MembershipRecord.Claim;
import dev.sand.globalbus.MembershipRecord.Release;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Who owns which slot, from the records of topic {@code slots}: the latest claim of each, unless it was released. Pure. */
final class SlotsState {
    private final long[] epochs;
    /** Null: released, or claimed in words that this platform does not understand. */
    private final HostCard[] owners;

    SlotsState(int slots) {
        this.epochs = new long[slots];
        this.owners = new HostCard[slots];
    }

    void onClaim(int slot, long epoch, Claim claim) {
        if (epoch > epochs[slot]) {
            epochs[slot] = epoch;
            owners[slot] = claim.card();
        }
    }

    /** A record of a newer platform: it may be a claim, so the slot is nobody's that is known. */
    void onNotUnderstood(int slot, long epoch) {
        epochs[slot] = epoch;
        owners[slot] = null;
    }

    /** A release of an earlier owner comes too late to count. */
    void onRelease(int slot, Release release) {
        if (release.epoch() == epochs[slot]) {
            owners[slot] = null;
        }
    }

    /** @param live hosts: a slot whose owner is not among them, in the same incarnation, has no owner */
    List<Owner> owners(Map<String, HostCard> live) {
        Owner[] known = new Owner[epochs.length];
        for (int slot = 0; slot < known.length; slot++) {
            HostCard owner = owners[slot];
            HostCard card = owner == null ? null : live.get(owner.host());
            if (card != null && card.incarnation().equals(owner.incarnation())) {
                known[slot] = new Owner(slot, epochs[slot], card);
            }
        }
        return Collections.unmodifiableList(Arrays.asList(known));
    }
}
