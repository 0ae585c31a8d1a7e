package dev.sand.globalbus;

import static dev.sand.globalbus.MembershipRecord.HOSTS;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.HostsState.Verdict;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.MembershipRecord.Joining;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Whether this host may take part: it says that it joins, and hears for up to a session whether another live host has its id.
 * Its methods, and its calls to others, are on the member's thread.
 *
 * <pre>
 * JOINING ──nobody else──▶ ADMITTED ──asked again──▶ JOINING
 *    └──another lives, or the bus is away──▶ REFUSED ──after a while──▶ JOINING
 * </pre>
 */
final class Admission {
    private static final long ASK_AGAIN_MS = 20;
    private static final int SESSIONS_REFUSED = 3;

    private enum Phase { JOINING, ADMITTED, REFUSED }

    private final HostCard self;
    private final ClusterView clusterView;
    private final MemberOutbox outbox;
    private final Duration session;
    private final Runnable onAdmitted;
    private final Consumer<BusException> onConflict;
    private Phase phase = Phase.JOINING;
    private long attempt;
    private long askAgainNs;

    Admission(HostCard self, ClusterView clusterView, MemberOutbox outbox, Duration session, Runnable onAdmitted,
            Consumer<BusException> onConflict) {
        this.self = self;
        this.clusterView = clusterView;
        this.outbox = outbox;
        this.session = session;
        this.onAdmitted = onAdmitted;
        this.onConflict = onConflict;
    }

    boolean isAdmitted() {
        return phase == Phase.ADMITTED;
    }

    void ask() {
        phase = Phase.JOINING;
        long asked = ++attempt;
        outbox.append(HOSTS, 0, Joining.of(self).encode(), offset -> askForOthers(asked, offset), failure -> {
            if (asked == attempt) {
                refuse(session);
            }
        });
    }

    void onTime(long nowNs) {
        if (phase == Phase.REFUSED && nowNs - askAgainNs >= 0) {
            ask();
        }
    }

    private void askForOthers(long asked, long offset) {
        clusterView.ask(hosts -> {
            Verdict verdict = hosts.others(self.host(), self.incarnation(), offset);
            outbox.onThread(() -> onVerdict(asked, offset, verdict));
        });
    }

    private void onVerdict(long asked, long offset, Verdict verdict) {
        if (asked != attempt || phase != Phase.JOINING) {
            return;
        }
        switch (verdict) {
            case WAIT -> CompletableFuture.delayedExecutor(ASK_AGAIN_MS, TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> askForOthers(asked, offset));
            case CLEAR -> {
                phase = Phase.ADMITTED;
                onAdmitted.run();
            }
            case CONFLICT -> {
                refuse(session.multipliedBy(SESSIONS_REFUSED));
                onConflict.accept(new BusException(Kind.CONFLICT, "another live host has the id " + self.host()
                        + ": give each host an id of its own", null));
            }
        }
    }

    private void refuse(Duration time) {
        phase = Phase.REFUSED;
        askAgainNs = System.nanoTime() + time.toNanos();
    }
}
