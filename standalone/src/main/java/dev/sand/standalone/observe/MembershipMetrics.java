package dev.sand.standalone.observe;

import dev.sand.globalbus.Membership;
import dev.sand.globalbus.Membership.Interruptions;
import dev.sand.globalbus.Membership.Owner;
import dev.sand.globalbus.Membership.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/** Who owns what, as this process sees it; and whether a host is sure of its own. */
public final class MembershipMetrics implements AutoCloseable {
    private final Membership membership;
    private final boolean host;
    /** Of the view before, by slot; the membership's thread alone. */
    private final long[] epochs;
    private final AtomicLong changes = new AtomicLong();
    private final AutoCloseable watch;

    /** @param host whether this process takes part in the group; a frontend looks on */
    public MembershipMetrics(Metrics metrics, Membership membership, boolean host) {
        this.membership = membership;
        this.host = host;
        this.epochs = new long[membership.slots()];
        this.watch = membership.watch(this::onView);
        metrics.add(membership::view, this::families);
    }

    /** The owners that are there at first are no change. */
    private void onView(View view) {
        for (int slot = 0; slot < epochs.length; slot++) {
            Owner owner = view.owners().get(slot);
            if (owner != null && owner.epoch() > epochs[slot]) {
                changes.addAndGet(epochs[slot] == 0 ? 0 : 1);
                epochs[slot] = owner.epoch();
            }
        }
    }

    private List<Family> families(View view) {
        List<Family> all = new ArrayList<>(List.of(
                Family.gauge("sand_membership_hosts", "Hosts that live.").add(view.hosts().size()),
                Family.gauge("sand_membership_unowned_slots", "Slots that no host owns.")
                        .add(view.owners().stream().filter(Objects::isNull).count()),
                Family.counter("sand_membership_epoch_changes", "Slots that were seen to get a new owner, or an owner anew.")
                        .add(changes.get())));
        if (host) {
            long nowNs = System.nanoTime();
            boolean sure = membership.mayAct(nowNs);
            Interruptions interruptions = membership.interruptions();
            all.add(Family.gauge("sand_membership_suspended", "Whether this host keeps its slots without hearing the group.")
                    .add(!sure && membership.mayGoOn(nowNs) && !membership.isWithdrawn() ? 1 : 0));
            all.add(Family.counter("sand_membership_suspensions", "How often this host was suspended.").add(interruptions.suspensions()));
            all.add(Family.counter("sand_membership_lapses", "How often this host lost all its slots at once, since it did not run.")
                    .add(interruptions.lapses()));
        }
        return all;
    }

    @Override
    public void close() throws Exception {
        watch.close();
    }
}
