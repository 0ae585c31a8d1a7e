package dev.sand.globalbus;

import dev.sand.globalbus.Membership.SlotListener;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots that the group has given to this host. A slot is the host's only once its claim is in the global bus, and no
 * longer than until somebody's higher claim is seen; one that the group leaves here all the same is claimed again after a
 * session, since the group's word is final. Everything happens on the membership's thread; time is given.
 *
 * <pre>
 * (nothing) ──assigned──▶ ASSIGNED ──claim sent──▶ CLAIMING ──claim in the bus──▶ HELD
 *     ▲                      ▲  ▲ claim failed, or too late ─┘                      │
 *     └──revoked or lost─────┘  └───────── lease lapsed, or a higher claim ─────────┘
 * </pre>
 */
final class OwnedSlots {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedSlots.class);
    private static final long AGAIN_AFTER_FAILURE_NS = Duration.ofMillis(200).toNanos();

    /** What goes into the topic {@code slots}. */
    interface Claims {
        /** Answered by onClaimed or onClaimFailed with the same attempt. */
        void claim(int slot, long attempt);

        void onHeld(int slot, long epoch);

        void release(int slot, long epoch);
    }

    /** @param attempt 0: no claim under way; @param epoch 0: not held; @param notBeforeNs of the next claim */
    private record Slot(long attempt, long epoch, long notBeforeNs) {}

    private final Claims claims;
    private final SlotListener listener;
    private final long sessionNs;
    private final Map<Integer, Slot> slots = new TreeMap<>();
    /** The highest claim of others that was seen, by slot. */
    private final Map<Integer, Long> others = new HashMap<>();
    private long attempts;

    OwnedSlots(Claims claims, SlotListener listener, Duration session) {
        this.claims = claims;
        this.listener = listener;
        this.sessionNs = session.toNanos();
    }

    void onAssigned(Collection<Integer> assigned, long nowNs) {
        assigned.forEach(slot -> slots.putIfAbsent(slot, new Slot(0, 0, nowNs)));
    }

    /** Claims what is assigned and not held. Called while the host may take slots. */
    void claim(long nowNs) {
        for (Map.Entry<Integer, Slot> entry : slots.entrySet()) {
            Slot slot = entry.getValue();
            if (slot.epoch() == 0 && slot.attempt() == 0 && nowNs - slot.notBeforeNs() >= 0) {
                entry.setValue(new Slot(++attempts, 0, 0));
                claims.claim(entry.getKey(), attempts);
            }
        }
    }

    /** @param mayAct whether the lease is held: else the claim may have come too late */
    void onClaimed(int number, long attempt, long epoch, boolean mayAct, long nowNs) {
        Slot slot = slots.get(number);
        if (slot == null || slot.attempt() != attempt) {
            claims.release(number, epoch);
        } else if (!mayAct) {
            claims.release(number, epoch);
            slots.put(number, new Slot(0, 0, nowNs));
        } else if (others.getOrDefault(number, 0L) > epoch) {
            slots.put(number, new Slot(0, 0, nowNs + sessionNs));
        } else {
            slots.put(number, new Slot(0, epoch, 0));
            claims.onHeld(number, epoch);
            call(() -> listener.onAcquired(number, epoch));
        }
    }

    void onClaimFailed(int number, long attempt, long nowNs) {
        Slot slot = slots.get(number);
        if (slot != null && slot.attempt() == attempt) {
            slots.put(number, new Slot(0, 0, nowNs + AGAIN_AFTER_FAILURE_NS));
        }
    }

    /** Somebody else has claimed the slot. */
    void onOtherClaim(int number, long epoch, long nowNs) {
        others.merge(number, epoch, Math::max);
        Slot slot = slots.get(number);
        if (slot != null && slot.epoch() > 0 && slot.epoch() < epoch) {
            slots.put(number, new Slot(0, 0, nowNs + sessionNs));
            call(() -> listener.onLost(number, slot.epoch()));
        }
    }

    /** The claim that stands in the way is taken back: no need to wait. */
    void onRelease(int number, long epoch, long nowNs) {
        Slot slot = slots.get(number);
        if (slot != null && slot.epoch() == 0 && slot.attempt() == 0 && others.getOrDefault(number, 0L) == epoch) {
            slots.put(number, new Slot(0, 0, nowNs));
        }
    }

    /** Goes to another host, which waits for this to return. */
    void onRevoked(Collection<Integer> revoked) {
        for (int number : List.copyOf(revoked)) {
            Slot slot = slots.remove(number);
            if (slot != null && slot.epoch() > 0) {
                call(() -> listener.onReleased(number, slot.epoch()));
                claims.release(number, slot.epoch());
            }
        }
    }

    /**
     * After a while without the group: what is held and not among those is lost. When the group leaves it here all the same, it
     * was given again meanwhile, and is claimed again.
     *
     * @return how many slots are still held
     */
    int onStillAssigned(Set<Integer> assigned, long nowNs) {
        int kept = 0;
        for (Map.Entry<Integer, Slot> entry : slots.entrySet()) {
            Slot slot = entry.getValue();
            if (slot.epoch() > 0 && assigned.contains(entry.getKey())) {
                kept++;
            } else if (slot.epoch() > 0) {
                entry.setValue(new Slot(0, 0, nowNs + sessionNs));
                call(() -> listener.onLost(entry.getKey(), slot.epoch()));
            }
        }
        return kept;
    }

    /** The group has given them to others, or may have. */
    void onLost(Collection<Integer> lost) {
        for (int number : List.copyOf(lost)) {
            Slot slot = slots.remove(number);
            if (slot != null && slot.epoch() > 0) {
                call(() -> listener.onLost(number, slot.epoch()));
            }
        }
    }

    /** The lease is gone: nothing is held, whatever the group says later. */
    void onLapsed(long nowNs) {
        for (Map.Entry<Integer, Slot> entry : slots.entrySet()) {
            Slot slot = entry.getValue();
            entry.setValue(new Slot(0, 0, nowNs));
            if (slot.epoch() > 0) {
                call(() -> listener.onLost(entry.getKey(), slot.epoch()));
            }
        }
    }

    Collection<Integer> all() {
        return List.copyOf(slots.keySet());
    }

    private static void call(Runnable listenerCall) {
        try {
            listenerCall.run();
        } catch (RuntimeException e) {
            LOG.error("membership: the slots' listener failed", e);
        }
    }
}
