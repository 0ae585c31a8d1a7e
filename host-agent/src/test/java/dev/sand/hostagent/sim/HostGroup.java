package dev.sand.hostagent.sim;

import dev.sand.hostagent.core.Input;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A host's part in the group: its heartbeats, its lease, and the slots that it is given and lets go of. */
final class HostGroup {
    /** SUSPENDED: nothing is heard of the group, and its slots are kept; LAPSED: it was paused, and they are others'. */
    private enum Lease { HELD, SUSPENDED, LAPSED }

    private final ClusterHost host;
    private final ClusterSimulation cluster;
    private final Map<Integer, SlotDriver> drivers = new TreeMap<>();
    /** The last assignment of a slot that was acted on: an answer that comes late begins nothing again. */
    private final Map<Integer, Long> seen = new HashMap<>();
    private final Set<Integer> released = new HashSet<>();
    private int joins;
    private boolean joined;
    private Lease lease = Lease.HELD;
    private boolean losing;
    private long heardNs;
    /** When this process last looked at the clock: a gap is a pause. */
    private long lookedNs;

    HostGroup(ClusterHost host, ClusterSimulation cluster) {
        this.host = host;
        this.cluster = cluster;
        this.heardNs = cluster.nowNs();
        this.lookedNs = cluster.nowNs();
        beat();
    }

    SlotDriver driver(int slot) {
        return drivers.get(slot);
    }

    List<SlotDriver> drivers() {
        return new ArrayList<>(drivers.values());
    }

    /** Whether the slots are known to be this host's. */
    boolean mayAct() {
        return lease() == Lease.HELD;
    }

    /** Whether effects that their receivers check are allowed; once they are not, all slots are lost first. */
    boolean mayGoOn() {
        return lease() != Lease.LAPSED;
    }

    private Lease lease() {
        long nowNs = cluster.nowNs();
        boolean paused = nowNs - lookedNs >= SimMembership.LEASE_NS;
        if (lease == Lease.HELD && nowNs - heardNs >= SimMembership.LEASE_NS) {
            lease = paused ? Lease.LAPSED : Lease.SUSPENDED;
        } else if (lease == Lease.SUSPENDED && paused) {
            lease = Lease.LAPSED;
        }
        return lease;
    }

    private void beat() {
        host.after(SimMembership.HEARTBEAT_NS, this::beat);
        boolean lapsed = !mayGoOn();
        lookedNs = cluster.nowNs();
        if (lapsed) {
            if (!losing) {
                losing = true;
                host.after(cluster.dice().between(0, 150 * Dice.MS), this::loseAll);
            }
            return;
        }
        String member = member();
        long sentNs = cluster.nowNs();
        boolean joining = !joined;
        Set<Integer> letGo = Set.copyOf(released);
        host.link().out("group", () -> {
            SimMembership.Answer answer = cluster.membership().onHeartbeat(member, joining, letGo);
            host.link().in(() -> onAnswer(member, sentNs, answer, letGo));
        });
    }

    private String member() {
        return host.name() + "#" + host.link().life() + "." + joins;
    }

    private void onAnswer(String member, long sentNs, SimMembership.Answer answer, Set<Integer> letGo) {
        if (!member.equals(member()) || !mayGoOn()) {
            return;
        }
        if (!answer.isMember()) {
            loseAll();
            return;
        }
        joined = true;
        heardNs = Math.max(heardNs, sentNs);
        if (lease == Lease.SUSPENDED && cluster.nowNs() - heardNs < SimMembership.LEASE_NS) {
            for (SlotDriver driver : drivers()) {
                if (answer.assigned().getOrDefault(driver.slot(), 0L) != driver.assignment()) {
                    close(driver.slot());
                }
            }
            lease = Lease.HELD;
        }
        released.removeAll(letGo);
        for (int slot : new TreeMap<>(answer.assigned()).keySet()) {
            long assignment = answer.assigned().get(slot);
            if (answer.release().contains(slot)) {
                seen.merge(slot, assignment, Math::max);
                release(slot, assignment);
            } else if (assignment > seen.getOrDefault(slot, 0L)) {
                seen.put(slot, assignment);
                close(slot);
                SlotDriver driver = new SlotDriver(host, cluster, slot, assignment);
                drivers.put(slot, driver);
                driver.start();
            }
        }
    }

    private void release(int slot, long assignment) {
        SlotDriver driver = drivers.get(slot);
        if (driver == null || driver.assignment() <= assignment) {
            close(slot);
            released.add(slot);
        }
    }

    private void close(int slot) {
        SlotDriver driver = drivers.get(slot);
        if (driver != null && driver.isTold()) {
            host.on(new Input.SlotLost(slot, driver.epoch())); // what was due before it is still this owner's
        }
        if (driver != null) {
            driver.close();
            drivers.remove(slot, driver);
        }
    }

    private void loseAll() {
        new ArrayList<>(drivers.keySet()).forEach(this::close);
        released.clear();
        joins++;
        joined = false;
        lease = Lease.HELD;
        losing = false;
        heardNs = cluster.nowNs();
        lookedNs = cluster.nowNs();
    }
}
