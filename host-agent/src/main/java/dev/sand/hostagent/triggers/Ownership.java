package dev.sand.hostagent.triggers;

import dev.sand.globalbus.Membership;
import dev.sand.globalbus.Membership.Owner;

/** Which slots are this host's: it delivers their messages and fires their schedules, nobody else. Any thread. */
public interface Ownership {
    int slots();

    /** @return 0: the slot is not this host's; another number with each time that it becomes this host's */
    long epoch(int slot);

    /** Whether this host may have effects now. */
    boolean mayAct();

    /** The one host of a platform that is one process. */
    static Ownership ofEverything(int slots) {
        return new Ownership() {
            @Override
            public int slots() {
                return slots;
            }

            @Override
            public long epoch(int slot) {
                return 1;
            }

            @Override
            public boolean mayAct() {
                return true;
            }
        };
    }

    /** As the group has it. */
    static Ownership of(Membership membership, String host) {
        return new Ownership() {
            @Override
            public int slots() {
                return membership.slots();
            }

            @Override
            public long epoch(int slot) {
                Owner owner = membership.view().owners().get(slot);
                return owner != null && owner.host() != null && owner.host().host().equals(host) ? owner.epoch() : 0;
            }

            @Override
            public boolean mayAct() {
                return membership.mayAct(System.nanoTime());
            }
        };
    }
}
