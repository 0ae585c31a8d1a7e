package dev.sand.globalbus;

import static dev.sand.globalbus.MembershipRecord.HOSTS;

import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.MembershipRecord.Card;
import dev.sand.globalbus.MembershipRecord.Reads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends this host's card about once a second, and trims what nobody needs any more of the cards. */
final class HostCards {
    private static final Logger LOG = LoggerFactory.getLogger(HostCards.class);
    private static final long TRIM_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long LAST_WORD_SECONDS = 2;
    private static final int CARDS_A_READS = 20;

    private final GlobalBus bus;
    private final long intervalNs;
    private volatile HostCard card;
    /** One card under way at most: while the bus is away they would pile up. */
    private volatile boolean underWay;
    private volatile long lastOffset = -1;
    private int cardsUntilReads;
    private long dueNs;
    private long trimNs;
    private long trimTo = -1;

    HostCards(GlobalBus bus, HostCard card, Duration interval) {
        this.bus = bus;
        this.card = card;
        this.intervalNs = interval.toNanos();
        this.trimNs = System.nanoTime() + TRIM_NS;
    }

    void report(HostCard now) {
        card = now;
    }

    void sendNow(long nowNs) {
        dueNs = nowNs;
        sendWhenDue(nowNs);
    }

    void sendWhenDue(long nowNs) {
        if (nowNs - dueNs < 0 || underWay) {
            return;
        }
        dueNs = nowNs + intervalNs;
        underWay = true;
        sendReads();
        bus.append(HOSTS, 0, Card.of(card, false).encode(), new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long offset) {
                lastOffset = offset;
                underWay = false;
            }

            @Override
            public void onFailed(BusException failure) {
                LOG.warn("membership: this host's card was not sent: {}", failure.getMessage());
                underWay = false;
            }
        });
        trimWhenDue(nowNs);
    }

    /** Before the first card, and so often that what is not trimmed has it; one that the bus does not take, as it does not the card, comes again. */
    private void sendReads() {
        if (cardsUntilReads-- == 0) {
            cardsUntilReads = CARDS_A_READS - 1;
            bus.appendInBackground(HOSTS, 0, Reads.of(card).encode(), AppendFuture.completing(new CompletableFuture<>()));
        }
    }

    /** Cards of a minute ago say nothing any more. */
    private void trimWhenDue(long nowNs) {
        if (nowNs - trimNs < 0) {
            return;
        }
        trimNs = nowNs + TRIM_NS;
        if (trimTo >= 0) {
            bus.trim(HOSTS, 0, trimTo);
        }
        trimTo = lastOffset;
    }

    /** The last word, so that the id is free at once; waited for a moment. */
    void leave(boolean wasMember) {
        if (!wasMember) {
            return;
        }
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.append(HOSTS, 0, Card.of(card, true).encode(), AppendFuture.completing(offset));
        try {
            AppendFuture.join(offset.orTimeout(LAST_WORD_SECONDS, TimeUnit.SECONDS), "say that this host leaves");
        } catch (BusException e) {
            LOG.warn("membership: {}", e.getMessage());
        }
    }
}
