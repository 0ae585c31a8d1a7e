package dev.sand.globalbus;

import static dev.sand.globalbus.MembershipRecord.HOSTS;
import static dev.sand.globalbus.MembershipRecord.SLOTS;

import dev.sand.globalbus.GlobalBus.Tail;
import dev.sand.globalbus.Membership.View;
import dev.sand.globalbus.MembershipRecord.Card;
import dev.sand.globalbus.MembershipRecord.Claim;
import dev.sand.globalbus.MembershipRecord.Joining;
import dev.sand.globalbus.MembershipRecord.Reads;
import dev.sand.globalbus.MembershipRecord.Release;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the topics {@code hosts} and {@code slots} say, kept up to date on a thread of its own: frontends know the owners by
 * it, and hosts learn of claims that are higher than theirs.
 */
final class ClusterView implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);
    private static final int TICKS_A_SESSION = 10;

    /** Told on the view's thread; only enqueues. */
    interface ClaimListener {
        /** @param incarnation whose claim it is, null when it is not understood */
        void onClaim(int slot, long epoch, String incarnation);

        /** The claim of that epoch counts no more. */
        void onRelease(int slot, long epoch);
    }

    private final KafkaBus bus;
    private final ClaimListener claims;
    private final HostsState hosts;
    private final BusClock clock = new BusClock(System.currentTimeMillis(), System.nanoTime());
    private final SlotsState slots;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("membership-view").factory());
    private final Watchers watchers = new Watchers(thread);
    private final List<Tail> tails = new ArrayList<>();
    private final long hostsEnd;
    /** An answer that takes longer may have waited for the bus to come back. */
    private final long slowNs;
    /** By slot: the offset that the next record will have. */
    private final long[] next;
    private final CatchUps catchUps;
    private volatile View view;
    private boolean caughtUp;
    private boolean asking;
    private boolean foreignSaid;

    /** The topics must be there; blocks for a moment. */
    ClusterView(KafkaBus bus, int slotCount, Duration session, ClaimListener claims) {
        this.bus = bus;
        this.claims = claims;
        this.slots = new SlotsState(slotCount);
        this.view = new View(Collections.nCopies(slotCount, null), Map.of());
        long begin = bus.beginOffset(HOSTS, 0);
        this.hosts = new HostsState(session, begin);
        this.hostsEnd = bus.endOffset(HOSTS, 0);
        tails.add(bus.tailWithTimes(HOSTS, 0, begin, records -> run(() -> onHosts(records))));
        this.next = new long[slotCount];
        this.catchUps = new CatchUps(bus, slotCount);
        for (int slot = 0; slot < slotCount; slot++) {
            int of = slot;
            next[slot] = bus.beginOffset(SLOTS, slot);
            tails.add(bus.tailWithTimes(SLOTS, slot, next[slot], records -> run(() -> onSlots(of, records))));
        }
        this.slowNs = session.toNanos() / 3;
        long tickNs = session.toNanos() / TICKS_A_SESSION;
        thread.scheduleWithFixedDelay(this::onTick, 0, tickNs, TimeUnit.NANOSECONDS);
    }

    /** By the bus's clock. */
    long nowMs() {
        return clock.nowMs(System.nanoTime());
    }

    View view() {
        return view;
    }

    AutoCloseable watch(Consumer<View> onChange) {
        return watchers.add(onChange, () -> view);
    }

    /** Runs the question on the view's thread, when the hosts' records up to now were read. */
    void ask(Consumer<HostsState> question) {
        run(() -> question.accept(hosts));
    }

    /**
     * Reads both topics up to where they end now; claims found there were told before it is done.
     *
     * @return the live hosts then; fails when the bus does not say where that is
     */
    CompletableFuture<Map<String, Membership.HostCard>> catchUp() {
        return catchUps.begin(this::run, () -> catchUps.tell(next, hosts));
    }

    private void onHosts(List<ConsumerRecord<byte[], byte[]>> records) {
        long nowNs = System.nanoTime();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            switch (decode(record).orElse(null)) {
                case Card card -> hosts.onCard(record.offset(), record.timestamp(), nowNs, card);
                case Reads reads -> hosts.onReads(record.offset(), record.timestamp(), nowNs, reads);
                case Joining joining -> hosts.onJoining(record.offset(), record.timestamp(), nowNs, joining);
                case null, default -> hosts.onTime(record.offset(), record.timestamp(), nowNs);
            }
            if (caughtUp) {
                clock.onAppended(record.timestamp(), nowNs);
            }
        }
        publish();
    }

    private void onSlots(int slot, List<ConsumerRecord<byte[], byte[]>> records) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            long epoch = record.offset() + 1;
            next[slot] = epoch;
            try {
                switch (MembershipCodec.decode(value(record)).orElse(null)) {
                    case Claim claim -> {
                        slots.onClaim(slot, epoch, claim);
                        claims.onClaim(slot, epoch, claim.incarnation());
                    }
                    case Release release -> {
                        slots.onRelease(slot, release);
                        claims.onRelease(slot, release.epoch());
                    }
                    case null, default -> sayForeign(record, "no record of this platform");
                }
            } catch (MembershipCodec.NewerSchemaException e) {
                sayForeign(record, e.getMessage());
                slots.onNotUnderstood(slot, epoch);
                claims.onClaim(slot, epoch, null);
            }
        }
        publish();
    }

    private Optional<MembershipRecord> decode(ConsumerRecord<byte[], byte[]> record) {
        try {
            Optional<MembershipRecord> decoded = MembershipCodec.decode(value(record));
            if (decoded.isEmpty()) {
                sayForeign(record, "no record of this platform");
            }
            return decoded;
        } catch (MembershipCodec.NewerSchemaException e) {
            sayForeign(record, e.getMessage());
            return Optional.empty();
        }
    }

    private static byte[] value(ConsumerRecord<byte[], byte[]> record) {
        return KafkaReads.record(record).value();
    }

    private void sayForeign(ConsumerRecord<byte[], byte[]> record, String why) {
        if (!foreignSaid) {
            LOG.warn("membership: not understood, as may be others after it: {}-{} at {}: {}", record.topic(), record.partition(),
                    record.offset(), why);
            foreignSaid = true;
        }
    }

    private void onTick() {
        long nowNs = System.nanoTime();
        if (!caughtUp && hosts.next() >= hostsEnd) {
            caughtUp = true;
            hosts.onCaughtUp(nowNs);
        }
        if (hosts.isSilent(nowNs) && !asking) {
            asking = true;
            bus.offsetLater(HOSTS, 0, OffsetSpec.latest()).whenComplete((end, failure) -> run(() -> {
                asking = false;
                long answeredNs = System.nanoTime();
                if (failure != null || answeredNs - nowNs > slowNs) {
                    hosts.onAway(answeredNs);
                } else if (end <= hosts.next()) {
                    hosts.onSilence(nowNs);
                    publish();
                }
            }));
        }
    }

    private void publish() {
        Map<String, Membership.HostCard> live = hosts.live();
        View now = new View(slots.owners(live), Collections.unmodifiableMap(live));
        if (!now.equals(view)) {
            view = now;
            watchers.tell(now);
        }
        catchUps.tell(next, hosts);
    }

    private void run(Runnable work) {
        try {
            thread.execute(() -> {
                try {
                    work.run();
                } catch (RuntimeException e) {
                    LOG.error("membership: the view could not be brought up to date", e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("membership: closed", e);
        }
    }

    @Override
    public void close() {
        tails.forEach(Tail::close);
        thread.shutdown();
    }
}
