package dev.sand.hostagent.core;

import dev.sand.event.Placement;
import dev.sand.globalbus.Membership.HostCard;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where an event is run, from what the hosts say of themselves and what this one has in progress there (SAND 3.2, 4.1): no clock,
 * no chance, the same calls give the same answers. Used by {@link Placing}.
 *
 * <p>What {@code placement} forbids here goes to the least busy host that it allows. What may run here stays, until there is
 * clearly more work of this host's own than its part of all; from then on each event goes to wherever there is least. How much
 * there is of it is known at once and not only with the next report: {@link Work}. So it makes no difference whether events
 * take milliseconds or minutes: a share that is corrected by reports swings for ever when events outlast several of them.
 */
final class PlacementPolicy {
    /** Answer of {@link #choose}: here. */
    static final String HERE = "";
    /** Below this share of its capacity in use, a host keeps everything. */
    static final double LIGHT = 0.25;
    /** How far above its part a host's own work must be before it begins to send events away; at its part it ends. */
    private static final double BEGINS_ABOVE = 1.25;

    private final String self;
    private final int processors;
    private final Map<String, Work> works = new HashMap<>();
    /** By host: when the report was made that was seen last. */
    private final Map<String, Long> seenMs = new HashMap<>();
    private List<HostCard> cards = List.of();
    private Set<String> ownLabels = Set.of();
    private boolean sends;
    private boolean draining;

    /** @param processors of this host, and of the others for want of a better guess: events at once that make it busy */
    PlacementPolicy(String self, int processors) {
        this.self = self;
        this.processors = processors;
    }

    // --- what is known

    void onHosts(List<HostCard> now, long nowNs) {
        cards = List.copyOf(now);
        HostCard own = null;
        double sum = 0;
        int hosts = 0;
        for (HostCard card : cards) {
            own = card.host().equals(self) ? card : own;
            if (isNews(card)) {
                work(card.host()).onReport(card.busy(), nowNs);
            }
            if (!card.draining()) {
                sum += card.busy();
                hosts++;
            }
        }
        forgetGone();
        draining = own != null && own.draining();
        if (own == null || hosts < 2 && (hosts == 0 || !own.draining())) {
            sends = false;
            return;
        }
        ownLabels = own.labels();
        double part = Math.max(sum / hosts, LIGHT);
        sends = ownWork(own) > (sends ? part : part * BEGINS_ABOVE);
    }

    /** All cards are given again with each report of any host. */
    private boolean isNews(HostCard card) {
        Long before = seenMs.put(card.host(), card.seenMs());
        return before == null || before != card.seenMs() || card.seenMs() == 0;
    }

    private void forgetGone() {
        works.entrySet().removeIf(entry -> entry.getValue().isNone() && cards.stream().noneMatch(card -> card.host().equals(entry.getKey())));
        seenMs.keySet().removeIf(host -> cards.stream().noneMatch(card -> card.host().equals(host)));
    }

    /** What would run here if nothing were sent away. */
    private double ownWork(HostCard own) {
        double away = 0;
        for (HostCard card : cards) {
            away += card == own ? 0 : work(card.host()).reportedOfOurs();
        }
        return own.busy() + away;
    }

    /** An event is in progress, in a queue here or in another host's hands. @param host HERE or an id */
    void began(String host, long nowNs) {
        work(host).change(1, nowNs);
    }

    void ended(String host, long nowNs) {
        work(host).change(-1, nowNs);
    }

    private Work work(String host) {
        return works.computeIfAbsent(host.equals(HERE) ? self : host, h -> new Work(processors));
    }

    // --- choices

    /** Whether what may run anywhere stays here: known without asking for each event. */
    boolean keepsAll() {
        return !sends;
    }

    boolean mayRunHere(Placement placement) {
        return placement.allows(self, ownLabels);
    }

    /** Whether it may run here, and this host stays. */
    boolean mayStay(Placement placement) {
        return !draining && mayRunHere(placement);
    }

    /** @return {@link #HERE}, a host's id, or null: no live host may run it */
    String choose(Placement placement) {
        boolean here = mayRunHere(placement);
        if (here && !sends) {
            return HERE;
        }
        HostCard least = null;
        double leastLoad = Double.MAX_VALUE;
        for (HostCard card : cards) {
            boolean allowed = placement.allows(card.host(), card.labels()) && !(here && (card.draining() || card.host().equals(self)));
            double load = allowed ? load(card) : Double.MAX_VALUE;
            if (load < leastLoad) {
                least = card;
                leastLoad = load;
            }
        }
        if (here) {
            return least == null || leastLoad >= work(HERE).load() ? HERE : least.host();
        }
        return least == null ? null : least.host();
    }

    /** A host that is draining only when there is no other. */
    private double load(HostCard card) {
        return work(card.host()).load() + (card.draining() ? 1e6 : 0);
    }

    /** The live hosts, for an error. */
    String inWords() {
        if (cards.isEmpty()) {
            return self + " (no labels known)";
        }
        Set<String> words = new TreeSet<>();
        for (HostCard card : cards) {
            words.add(card.host() + " (" + (card.labels().isEmpty() ? "no labels" : String.join(", ", new TreeSet<>(card.labels())))
                    + (card.draining() ? ", draining" : "") + ")");
        }
        return String.join(", ", words);
    }

    /**
     * How busy a host is now: what it reported, and by how much what we have in progress there differs from its mean since the
     * report before, which that report has in it. On its way through the bus an event is in progress and keeps nobody busy, so a
     * host may report less than we have there: then each of ours weighs so much less.
     */
    private static final class Work {
        private final int processors;
        private double reported;
        private double mean;
        private long inProgress;
        private long changedNs;
        private long reportedNs;
        /** In progress by time, since the last report. */
        private double area;
        private boolean known;

        Work(int processors) {
            this.processors = processors;
        }

        boolean isNone() {
            return inProgress == 0;
        }

        void change(int by, long nowNs) {
            area += (double) inProgress * (nowNs - changedNs);
            changedNs = nowNs;
            inProgress += by;
        }

        void onReport(double busy, long nowNs) {
            change(0, nowNs);
            mean = known && nowNs > reportedNs ? area / (nowNs - reportedNs) : inProgress;
            known = true;
            reported = busy;
            reportedNs = nowNs;
            area = 0;
        }

        double reportedOfOurs() {
            return Math.min(reported, mean / processors);
        }

        double load() {
            double weight = mean <= 0 ? 1 : Math.clamp(reported * processors / mean, 0.001, 1);
            return reported + weight * (inProgress - mean) / processors;
        }
    }
}
