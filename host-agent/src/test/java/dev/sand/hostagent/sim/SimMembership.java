package dev.sand.hostagent.sim;

import static dev.sand.hostagent.sim.Dice.MS;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The group that shares the slots out, and the topic in which owners claim them. A host that is not heard of for a session
 * is out, and its slots are assigned to others; from one that lives, a slot is taken only after it said that it let go.
 */
final class SimMembership {
    static final long SESSION_NS = 300 * MS;
    static final long LEASE_NS = 200 * MS;
    static final long HEARTBEAT_NS = 40 * MS;
    private static final long LOOK_NS = 20 * MS;

    /** What a host is told: its slots by the number of their assignment, and those of them that it is to let go. */
    record Answer(boolean isMember, Map<Integer, Long> assigned, Set<Integer> release) {}

    /** @param valid false: made for an assignment that was over; @param host null at the beginning */
    record Claim(String host, long assignment, long epoch, boolean valid) {}

    private final class Member {
        final Map<Integer, Long> assigned = new HashMap<>();
        final Set<Integer> release = new TreeSet<>();
        long heardNs = schedule.nowNs();
    }

    private final Schedule schedule;
    private final Dice dice;
    private final Set<Protocol> protocol;
    private final int slots;
    /** By host and start of its process. */
    private final Map<String, Member> members = new HashMap<>();
    private final List<SimLog<Claim>> topic = new ArrayList<>();
    private final Claim[] owners;
    private final List<SimMembershipListener> listeners = new ArrayList<>();
    private long assignments;

    /** Follows the topic. */
    interface SimMembershipListener {
        void onOwner(int slot, Claim claim);
    }

    SimMembership(Schedule schedule, Dice dice, Set<Protocol> protocol, int slots) {
        this.schedule = schedule;
        this.dice = dice;
        this.protocol = protocol;
        this.slots = slots;
        this.owners = new Claim[slots];
        for (int i = 0; i < slots; i++) {
            topic.add(new SimLog<>());
            owners[i] = new Claim(null, -1, 0, true);
        }
        schedule.after(LOOK_NS, this::look);
    }

    int slots() {
        return slots;
    }

    Claim owner(int slot) {
        return owners[slot];
    }

    void watch(SimMembershipListener listener) {
        listeners.add(listener);
    }

    // --- the group

    /** A heartbeat; the first one joins. @param joins it has no slots; @param released what it let go of */
    Answer onHeartbeat(String member, boolean joins, Set<Integer> released) {
        Member known = members.get(member);
        if (known == null && !joins) {
            return new Answer(false, Map.of(), Set.of());
        }
        if (known == null || joins) {
            known = new Member();
            members.put(member, known);
        }
        known.heardNs = schedule.nowNs();
        known.assigned.keySet().removeAll(released);
        known.release.removeAll(released);
        return new Answer(true, Map.copyOf(known.assigned), Set.copyOf(known.release));
    }

    private void look() {
        schedule.after(LOOK_NS, this::look);
        members.values().removeIf(member -> schedule.nowNs() - member.heardNs > SESSION_NS);
        if (members.isEmpty()) {
            return;
        }
        List<String> names = new ArrayList<>(new TreeSet<>(members.keySet()));
        for (int slot = 0; slot < slots; slot++) {
            if (holder(slot) == null) {
                Member least = least(names);
                least.assigned.put(slot, ++assignments);
            }
        }
        balance(names);
    }

    private Member holder(int slot) {
        for (Member member : members.values()) {
            if (member.assigned.containsKey(slot)) {
                return member;
            }
        }
        return null;
    }

    private Member least(List<String> names) {
        Member least = null;
        for (String name : names) {
            Member member = members.get(name);
            least = least == null || member.assigned.size() < least.assigned.size() ? member : least;
        }
        return least;
    }

    private void balance(List<String> names) {
        int fair = (slots + names.size() - 1) / names.size();
        boolean shuffles = dice.fault(0.4);
        for (String name : names) {
            Member member = members.get(name);
            int surplus = member.assigned.size() - member.release.size() - fair + (shuffles ? 1 : 0);
            for (int slot : new TreeSet<>(member.assigned.keySet())) {
                if (surplus > 0 && member.release.add(slot)) {
                    surplus--;
                }
            }
        }
    }

    // --- the topic of claims

    /** @return the claim as it stands: its epoch is one more than its offset */
    Claim claim(int slot, String host, long assignment) {
        SimLog<Claim> log = topic.get(slot);
        boolean valid = assignment > owners[slot].assignment() || !protocol.contains(Protocol.CLAIM_OF_THIS_ASSIGNMENT);
        Claim claim = new Claim(host, assignment, log.end() + 1, valid);
        log.append(claim);
        if (valid) {
            owners[slot] = claim;
            listeners.forEach(listener -> listener.onOwner(slot, claim));
        }
        return claim;
    }
}
