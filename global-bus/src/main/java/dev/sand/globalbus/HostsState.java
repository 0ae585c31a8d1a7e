package dev.sand.globalbus;

import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.MembershipRecord.Card;
import dev.sand.globalbus.MembershipRecord.Joining;
import dev.sand.globalbus.MembershipRecord.Reads;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which hosts live, from the records of topic {@code hosts}: those whose card is not older than a session, by the bus's own
 * clock. No two hosts' clocks are compared: the newest append time is what time it is. When it jumps, because another broker
 * with another clock appends now, all that live get a new session; when nobody writes any more, the bus is asked whether that
 * is so, and then the time passes by the reader's clock. Pure: time is given.
 */
final class HostsState {
    /** An incarnation of a host. */
    private static final class Seen {
        final long firstOffset;
        long lastOffset;
        long lastMs;
        boolean left;
        int reads;
        HostCard card;

        Seen(long firstOffset) {
            this.firstOffset = firstOffset;
        }
    }

    /** What is known of others that have the id of a host that joins. */
    enum Verdict { CLEAR, WAIT, CONFLICT }

    private final long sessionMs;
    /** By host, then by incarnation in the order of their first records. */
    private final Map<String, LinkedHashMap<String, Seen>> hosts = new HashMap<>();
    private boolean caughtUp;
    private long newestMs;
    private long newestNs;
    private long silentMs;
    private long next;

    /** @param begin offset of the first record that will be read */
    HostsState(Duration session, long begin) {
        this.sessionMs = session.toMillis();
        this.next = begin;
    }

    /** What was there when the reading began has been read. */
    void onCaughtUp(long nowNs) {
        caughtUp = true;
        newestNs = nowNs;
    }

    /** The offset that the next record will have. */
    long next() {
        return next;
    }

    void onCard(long offset, long appendedMs, long nowNs, Card record) {
        Seen seen = onRecord(offset, appendedMs, nowNs, record.host(), record.incarnation());
        seen.left = record.left();
        seen.card = record.card(appendedMs, seen.reads);
    }

    void onReads(long offset, long appendedMs, long nowNs, Reads record) {
        Seen seen = onRecord(offset, appendedMs, nowNs, record.host(), record.incarnation());
        seen.reads = record.journal();
    }

    void onJoining(long offset, long appendedMs, long nowNs, Joining record) {
        onRecord(offset, appendedMs, nowNs, record.host(), record.incarnation());
    }

    private Seen onRecord(long offset, long appendedMs, long nowNs, String host, String incarnation) {
        onTime(offset, appendedMs, nowNs);
        Seen seen = hosts.computeIfAbsent(host, h -> new LinkedHashMap<>()).computeIfAbsent(incarnation, i -> new Seen(offset));
        seen.lastOffset = offset;
        seen.lastMs = appendedMs;
        return seen;
    }

    /** Any record tells what time it is; called for one that is not understood. */
    void onTime(long offset, long appendedMs, long nowNs) {
        next = offset + 1;
        if (!caughtUp) {
            newestMs = appendedMs;
            return;
        }
        long expectedMs = newestMs + (nowNs - newestNs) / 1_000_000;
        if (Math.abs(appendedMs - expectedMs) > sessionMs) {
            hosts.values().forEach(incarnations -> incarnations.values().forEach(seen -> {
                if (isLive(seen)) {
                    seen.lastMs = appendedMs;
                }
            }));
            newestMs = appendedMs;
        }
        newestMs = Math.max(newestMs, appendedMs);
        newestNs = nowNs;
        silentMs = 0;
        forgetTheDead();
    }

    /** @return whether nobody has written for a session, so that the bus should be asked */
    boolean isSilent(long nowNs) {
        return caughtUp && hosts.values().stream().flatMap(i -> i.values().stream()).anyMatch(this::isLive)
                && (nowNs - newestNs) / 1_000_000 > sessionMs;
    }

    /** Up to {@code nowNs} there was nothing but what is known here. */
    void onSilence(long nowNs) {
        silentMs = Math.max(silentMs, (nowNs - newestNs) / 1_000_000);
    }

    /** The bus did not answer for a while: nobody could write either, and everyone gets a new session from here. */
    void onAway(long nowNs) {
        newestNs = nowNs;
    }

    private boolean isLive(Seen seen) {
        return !seen.left && newestMs + silentMs - seen.lastMs <= sessionMs;
    }

    /** Live hosts by id; of two incarnations the one that came later. */
    Map<String, HostCard> live() {
        Map<String, HostCard> live = new TreeMap<>();
        hosts.forEach((host, incarnations) -> incarnations.values().forEach(seen -> {
            if (seen.card != null && isLive(seen)) {
                live.put(host, seen.card);
            }
        }));
        return live;
    }

    /**
     * Whether another incarnation of the host lives: it wrote before {@code joined}, the offset of the Joining record, and
     * again after it. The answer is WAIT while one may live of which nothing came since.
     */
    Verdict others(String host, String incarnation, long joined) {
        if (next <= joined) {
            return Verdict.WAIT;
        }
        Map<String, Seen> incarnations = hosts.getOrDefault(host, new LinkedHashMap<>());
        Verdict verdict = Verdict.CLEAR;
        for (Map.Entry<String, Seen> entry : incarnations.entrySet()) {
            Seen other = entry.getValue();
            if (entry.getKey().equals(incarnation) || other.left || other.firstOffset > joined) {
                continue;
            }
            if (other.lastOffset > joined) {
                return Verdict.CONFLICT;
            }
            if (isLive(other)) {
                verdict = Verdict.WAIT;
            }
        }
        return verdict;
    }

    private void forgetTheDead() {
        hosts.values().removeIf(incarnations -> {
            incarnations.values().removeIf(seen -> seen.left || newestMs - seen.lastMs > 10 * sessionMs);
            return incarnations.isEmpty();
        });
    }
}
