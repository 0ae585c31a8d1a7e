package dev.sand.globalbus;

import dev.sand.globalbus.Membership.Interruptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Until when a member of the group may act. The group gives its slots to others one session after the member's last heartbeat
 * came in, and a request waits a third of a session for its answer at most; so two thirds of a session after an answer was
 * seen, the slots are still the member's. Time is given.
 *
 * <pre>
 * NEW ──an answer──▶ until … ──nothing heard for ⅔ session──▶ SUSPENDED ──heard, and still a member──▶ until …
 *  ▲                 │     ▲                                   │
 *  │                 └─────┘ an answer                         │ this process did not run for ⅔ session
 *  └──all slots were told── LAPSED ◀── the same, of a lease ───┘
 * any ──this host has left the group on purpose──▶ RESTING ──it is a member again──▶ NEW
 * </pre>
 * A member that ran all the while was cut off: perhaps nobody can reach the group, and then nobody can take its slots. One that
 * did not run, because it was stopped or its machine was, is to blame itself: others were there all the time. Whoever first
 * reads the clock after the end decides which it was.
 */
final class Lease {
    private static final long NEW = Long.MIN_VALUE;
    private static final long LAPSED = Long.MIN_VALUE + 1;
    private static final long SUSPENDED = Long.MIN_VALUE + 2;
    private static final long RESTING = Long.MIN_VALUE + 3;

    private final long limitNs;
    /** NEW, LAPSED, SUSPENDED, RESTING or the end by System.nanoTime. */
    private final AtomicLong state = new AtomicLong(NEW);
    private final AtomicLong suspensions = new AtomicLong();
    private final AtomicLong lapses = new AtomicLong();
    private volatile boolean sampled;
    private volatile long lastSampleNs;
    /** Until when the lease would be held, were it not suspended. */
    private volatile long heardUntilNs;
    private double lastAnswers;

    Lease(Duration session) {
        this.limitNs = session.toNanos() * 2 / 3;
    }

    boolean mayAct(long nowNs) {
        long until = settle(nowNs);
        return until != NEW && until != LAPSED && until != SUSPENDED && until != RESTING;
    }

    /** Whether what the receivers check themselves may go on: as mayAct, and while suspended or at rest. */
    boolean mayGoOn(long nowNs) {
        long until = settle(nowNs);
        return until != NEW && until != LAPSED;
    }

    boolean isLapsed(long nowNs) {
        return settle(nowNs) == LAPSED;
    }

    boolean isSuspended(long nowNs) {
        return settle(nowNs) == SUSPENDED;
    }

    /** Whether a suspended member hears the group again. */
    boolean isHeard(long nowNs) {
        return isSuspended(nowNs) && nowNs - heardUntilNs < 0;
    }

    /** The state as it is at that time. */
    private long settle(long nowNs) {
        while (true) {
            long until = state.get();
            boolean over = until == SUSPENDED || nowNs - until >= 0;
            if (until == NEW || until == LAPSED || until == RESTING || !over) {
                return until;
            }
            long next = nowNs - lastSampleNs >= limitNs ? LAPSED : SUSPENDED;
            if (until == next) {
                return next;
            }
            if (state.compareAndSet(until, next)) {
                (next == LAPSED ? lapses : suspensions).incrementAndGet();
                return next;
            }
        }
    }

    /**
     * Called by one thread, often.
     *
     * @param nowNs read before {@code answers}
     * @param answers of the group to heartbeats so far
     * @param serving whether the member's own thread serves the group; a stuck one leaves it without a word
     */
    void sample(long nowNs, double answers, boolean serving) {
        long before = settle(nowNs);
        // The answer came after the sample before this one: from there on, to be safe.
        long until = lastSampleNs + limitNs;
        if (sampled && answers > lastAnswers && serving && nowNs - until < 0) {
            if (before == SUSPENDED) {
                heardUntilNs = until;
            } else if (before != LAPSED && before != RESTING) {
                state.compareAndSet(before, until);
            }
        }
        lastAnswers = answers;
        lastSampleNs = nowNs;
        if (!sampled) {
            heardUntilNs = nowNs;
            sampled = true;
        }
    }

    /** The group says that this is still its member. @return whether the lease is held again */
    boolean resume(long nowNs) {
        long until = heardUntilNs;
        return isHeard(nowNs) && nowNs - until < 0 && state.compareAndSet(SUSPENDED, until);
    }

    /** Every slot's listener was told that it is lost: with the next answer the lease is held again. */
    void onAllTold() {
        state.compareAndSet(LAPSED, NEW);
    }

    /** Everything is lost: as after a pause. */
    void lapse() {
        long was = state.getAndUpdate(now -> now == NEW ? NEW : LAPSED);
        if (was != NEW && was != LAPSED) {
            lapses.incrementAndGet();
        }
    }

    /** No slot is this host's, and none is given to it: it asks the group for nothing, and hears nothing. */
    void rest() {
        state.set(RESTING);
    }

    /** With the next answer the lease is held again. */
    void wake() {
        state.compareAndSet(RESTING, NEW);
    }

    /** How often it was suspended and how often it lapsed, each time counted once, whoever noticed. */
    Interruptions interruptions() {
        return new Interruptions(suspensions.get(), lapses.get());
    }

    void end() {
        state.set(LAPSED);
    }
}
