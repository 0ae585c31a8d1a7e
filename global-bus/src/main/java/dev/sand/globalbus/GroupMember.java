package dev.sand.globalbus;

import static dev.sand.globalbus.MembershipRecord.SLOTS;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.Membership.Interruptions;
import dev.sand.globalbus.Membership.SlotListener;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This host as a member of the group: one thread that polls the group's consumer, whose callbacks come on it, and does
 * everything else in between. While the lease is suspended, slots are kept; when it lapses, all are lost. The host stays in the
 * group either way, and claims what the group leaves it once it was admitted again. One that withdraws leaves the group, and
 * goes on sending its card.
 */
final class GroupMember implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupMember.class);
    private static final Duration POLL = Duration.ofMillis(50);
    /** A thread that serves the group no more leaves it after this time. */
    private static final Duration MOST_BETWEEN_POLLS = Duration.ofSeconds(30);
    private static final Duration LEAVING = Duration.ofSeconds(5);
    private static final int SAMPLES_A_SESSION = 30;

    private final HostCard self;
    private final String topic;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Lease lease;
    private final LeaseWatch leaseWatch;
    private final HostCards cards;
    private final MemberOutbox outbox;
    private final Admission admission;
    private final OwnedSlots owned;
    private final Suspension suspension;
    private final SlotListener listener;
    private final CompletableFuture<Void> joined = new CompletableFuture<>();
    private final Thread thread = Thread.ofPlatform().daemon().name("membership").unstarted(this);
    private volatile boolean closing;
    private volatile boolean withdrawn;
    private volatile boolean subscribed;
    private String lastFailure;

    GroupMember(KafkaBus bus, KafkaMembership.Options options, ClusterView clusterView, HostCard self, SlotListener listener) {
        this.self = self;
        this.listener = listener;
        this.topic = bus.options().prefix() + SLOTS;
        // Two thirds of a session after an answer came, and a third at most since its heartbeat was sent: see Lease.
        this.consumer = bus.clients().member(topic, options.session().dividedBy(3), MOST_BETWEEN_POLLS);
        this.lease = new Lease(options.session());
        this.leaseWatch = new LeaseWatch(lease, consumer, options.session().dividedBy(SAMPLES_A_SESSION),
                MOST_BETWEEN_POLLS.dividedBy(2));
        this.cards = new HostCards(bus, self, options.session().dividedBy(3));
        this.outbox = new MemberOutbox(bus);
        this.admission = new Admission(self, clusterView, outbox, options.session(), this::onAdmitted, this::onConflict);
        this.suspension = new Suspension(bus, consumer, clusterView, outbox, self, topic, options.session(), this::onStillMember);
        this.owned = new OwnedSlots(new SlotClaims(bus, outbox, self, this::onClaimed, this::onClaimFailed), listener,
                options.session());
    }

    /** Done when this host takes part, or is refused. */
    CompletableFuture<Void> start() {
        thread.start();
        return joined;
    }

    boolean mayAct(long nowNs) {
        return lease.mayAct(nowNs);
    }

    boolean mayGoOn(long nowNs) {
        return lease.mayGoOn(nowNs);
    }

    Interruptions interruptions() {
        return lease.interruptions();
    }

    void report(HostCard card) {
        cards.report(card);
    }

    /** Blocks until the slots are given up. @throws BusException when that takes too long; it is done all the same, once it can be */
    void withdraw() {
        withdrawn = true;
        CompletableFuture<Void> done = new CompletableFuture<>();
        outbox.onThread(() -> {
            followWish();
            done.complete(null);
        });
        AppendFuture.join(done.orTimeout(LEAVING.multipliedBy(3).toSeconds(), TimeUnit.SECONDS), "give up the slots of host " + self.host());
    }

    void takePart() {
        withdrawn = false; // its thread sees it with its next turn
    }

    boolean isWithdrawn() {
        return withdrawn && !subscribed;
    }

    /** On the view's thread. */
    void onClaim(int slot, long epoch, String incarnation) {
        if (!self.incarnation().equals(incarnation)) {
            outbox.onThread(() -> owned.onOtherClaim(slot, epoch, System.nanoTime()));
        }
    }

    void onRelease(int slot, long epoch) {
        outbox.onThread(() -> owned.onRelease(slot, epoch, System.nanoTime()));
    }

    @Override
    public void run() {
        RuntimeException broken = null;
        try {
            leaseWatch.start();
            admission.ask();
            while (!closing) {
                turn();
            }
        } catch (RuntimeException e) {
            if (!joined.completeExceptionally(e)) {
                broken = e;
            }
        } catch (InterruptedException e) {
            LOG.warn("membership: interrupted, host {} leaves the cluster", self.host());
        } finally {
            leave(broken);
        }
    }

    private void turn() throws InterruptedException {
        outbox.runAll();
        leaseWatch.onServing();
        if (subscribed) {
            poll();
        } else {
            outbox.runOne(POLL);
        }
        long nowNs = System.nanoTime();
        if (lease.isSuspended(nowNs)) {
            suspension.onSuspended(lease.isHeard(nowNs));
        } else {
            suspension.onOver();
        }
        if (lease.isLapsed(nowNs)) {
            onLapsed(nowNs);
        }
        admission.onTime(nowNs);
        if (admission.isAdmitted()) {
            followWish();
            cards.sendWhenDue(nowNs);
            if (lease.mayAct(nowNs)) {
                owned.claim(nowNs);
            }
        }
    }

    private void poll() throws InterruptedException {
        try {
            consumer.poll(POLL); // everything assigned is paused: no records, only the group's news
            lastFailure = null;
        } catch (AuthorizationException | AuthenticationException | UnsupportedVersionException e) {
            throw e; // nothing that time would mend
        } catch (KafkaException e) {
            if (!e.toString().equals(lastFailure)) {
                lastFailure = e.toString();
                LOG.warn("membership: the group cannot be reached, tried again: {}", lastFailure);
            }
            outbox.runOne(POLL);
        }
    }

    private void onLapsed(long nowNs) {
        LOG.warn("membership: the slots of host {} may be others' by now: they are lost", self.host());
        if (admission.isAdmitted()) {
            admission.ask();
        }
        owned.onLapsed(nowNs);
        lease.onAllTold();
    }

    /** After a while without the group. */
    private void onStillMember(Set<Integer> assigned, boolean twin) {
        if (twin) {
            lease.lapse();
            return;
        }
        int kept = owned.onStillAssigned(assigned, System.nanoTime());
        if (lease.resume(System.nanoTime())) {
            LOG.info("membership: host {} hears the group again, and goes on with {} slots", self.host(), kept);
        }
    }

    private void onClaimed(int slot, long attempt, long epoch) {
        long nowNs = System.nanoTime();
        owned.onClaimed(slot, attempt, epoch, admission.isAdmitted() && lease.mayAct(nowNs), nowNs);
    }

    private void onClaimFailed(int slot, long attempt) {
        owned.onClaimFailed(slot, attempt, System.nanoTime());
    }

    private void onAdmitted() {
        cards.sendNow(System.nanoTime());
        followWish();
        joined.complete(null);
    }

    /** A member of the group, or one that has left it on purpose. */
    private void followWish() {
        if (withdrawn && subscribed) {
            try {
                consumer.unsubscribe(); // its callbacks release the slots
            } catch (KafkaException e) {
                LOG.warn("membership: the group was not left in order, it will see for itself: {}", e.getMessage());
            }
            owned.onLost(owned.all());
            lease.rest();
            subscribed = false;
        } else if (!withdrawn && !subscribed && admission.isAdmitted()) {
            lease.wake();
            subscribed = true;
            consumer.subscribe(List.of(topic), new Rebalances(consumer, lease, owned));
        }
    }

    private void onConflict(BusException conflict) {
        if (joined.completeExceptionally(conflict)) {
            closing = true;
            return;
        }
        LOG.error("membership: {}; this one takes no part until that one is gone", conflict.getMessage());
        if (subscribed) {
            consumer.unsubscribe();
            owned.onLost(owned.all());
            subscribed = false;
        }
    }

    private void leave(RuntimeException broken) {
        boolean wasMember = admission.isAdmitted();
        try {
            consumer.close(CloseOptions.timeout(LEAVING)); // its callbacks release the slots
        } catch (KafkaException e) {
            LOG.warn("membership: the group was not left in order, it will see for itself: {}", e.getMessage());
        }
        owned.onLost(owned.all());
        leaseWatch.close();
        lease.end();
        cards.leave(wasMember);
        joined.completeExceptionally(new BusException(Kind.CLOSED, "the membership is closed", null));
        if (broken != null) {
            LOG.error("membership: host {} takes part in the cluster no more", self.host(), broken);
            listener.onBroken(new BusException(Kind.BROKEN, "host " + self.host() + " takes part in the cluster no more: "
                    + broken.getMessage(), broken));
        }
    }

    void close() {
        closing = true;
        try {
            thread.join(LEAVING.multipliedBy(3).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
