package dev.sand.globalbus;

import static dev.sand.globalbus.MembershipRecord.SLOTS;

import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.MembershipRecord.Claim;
import dev.sand.globalbus.MembershipRecord.Release;

/** A member's claims and releases in the topic {@code slots}; the outcomes come on the member's thread. */
final class SlotClaims implements OwnedSlots.Claims {
    interface Claimed {
        void onClaimed(int slot, long attempt, long epoch);
    }

    interface Failed {
        void onClaimFailed(int slot, long attempt);
    }

    private final GlobalBus bus;
    private final MemberOutbox outbox;
    private final HostCard self;
    private final Claimed claimed;
    private final Failed failed;

    SlotClaims(GlobalBus bus, MemberOutbox outbox, HostCard self, Claimed claimed, Failed failed) {
        this.bus = bus;
        this.outbox = outbox;
        this.self = self;
        this.claimed = claimed;
        this.failed = failed;
    }

    @Override
    public void claim(int slot, long attempt) {
        outbox.append(SLOTS, slot, Claim.of(slot, self).encode(), offset -> claimed.onClaimed(slot, attempt, offset + 1),
                failure -> failed.onClaimFailed(slot, attempt));
    }

    /** Earlier claims say nothing any more. */
    @Override
    public void onHeld(int slot, long epoch) {
        bus.trim(SLOTS, slot, epoch - 1);
    }

    @Override
    public void release(int slot, long epoch) {
        outbox.append(SLOTS, slot, Release.of(slot, epoch, self).encode(), offset -> { }, failure -> { });
    }
}
