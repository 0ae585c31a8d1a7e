package dev.sand.hostagent.core;

import dev.sand.event.Placement;
import dev.sand.globalbus.Membership.HostCard;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where an event is run, from what the hosts say of themselves (SAND 3.2, 4.1): no clock, no chance, the same calls give the
 * same answers. Used by {@link Placing}.
 *
 * <p>What {@code placement} forbids here goes to the least busy host that it allows. What may run here stays, as long as this
 * host is not much busier than the mean: then it keeps such a share of its events that it would come to the mean, and the
 * rest goes to hosts below the mean, to each by how far it is below. A host's share is corrected with each report of that
 * host, by the quotient of what should be and what is, so that foreign work and events of unlike weight need not be known.
 */
final class PlacementPolicy {
    /** Answer of {@link #choose}: here. */
    static final String HERE = "";
    /** Below this share of its capacity in use, a host keeps everything. */
    static final double LIGHT = 0.25;
    /** How far above its goal a host must be before it begins to send events away. */
    private static final double BEGINS_ABOVE = 1.25;
    /** How far from its goal a host that sends events away may be before it corrects its share. */
    private static final double TOLERANCE = 0.1;
    /**
     * An exponent. Reports lag behind, and so does the load behind the shares, by what events take: corrected by more, shares
     * of events of some seconds swing for ever.
     */
    private static final double CORRECTION = 0.2;
    private static final double LEAST_KEPT = 0.05;
    /** How far above the goal a host may be that work is still sent to, less of it than before. */
    private static final double TAKES_BELOW = 2;
    /** What an event may add to a host's load until its next report, for choosing among several. */
    private static final double EVENT_LOAD = 1.0 / 64;

    private final String self;
    private List<HostCard> cards = List.of();
    private Set<String> ownLabels = Set.of();
    private double kept = 1;
    private double due;
    /** The shares at the last report; empty when nothing was sent away. */
    private final Map<String, Double> shares = new HashMap<>();
    /** By host: when the report was made that was last corrected by. */
    private final Map<String, Long> correctedMs = new HashMap<>();
    /** By card: share of what is sent away that it is to get, what it is owed of that, and load sent to it since its report. */
    private double[] share = {};
    private double[] owed = {};
    private double[] sent = {};

    PlacementPolicy(String self) {
        this.self = self;
    }

    void onHosts(List<HostCard> now) {
        cards = List.copyOf(now);
        share = new double[cards.size()];
        owed = new double[cards.size()];
        sent = new double[cards.size()];
        HostCard own = null;
        double sum = 0;
        int hosts = 0;
        for (HostCard card : cards) {
            own = card.host().equals(self) ? card : own;
            if (!card.draining()) {
                sum += card.busy();
                hosts++;
            }
        }
        if (own == null || hosts < 2 && (hosts == 0 || !own.draining())) {
            kept = 1;
            shares.clear();
            correctedMs.clear();
            return;
        }
        ownLabels = own.labels();
        double goal = Math.max(sum / hosts, LIGHT);
        if (isNews(own)) {
            correct(own.busy(), goal);
        }
        share(own, goal);
    }

    /** All cards are given again with each report of any host. */
    private boolean isNews(HostCard card) {
        Long before = correctedMs.put(card.host(), card.seenMs());
        return before == null || before != card.seenMs() || card.seenMs() == 0;
    }

    /** What is sent away is shared out by how far hosts are below the goal, and from then on by the quotient. */
    private void share(HostCard own, double goal) {
        double sum = 0;
        for (int i = 0; i < share.length; i++) {
            HostCard card = cards.get(i);
            double room = Math.max(0, 1 - card.busy() / goal) / share.length;
            double before = shares.getOrDefault(card.host(), 0.0);
            boolean takes = card != own && !card.draining() && card.busy() < goal * TAKES_BELOW;
            boolean news = card != own && isNews(card);
            share[i] = !takes ? 0 : before == 0 ? room : !news ? before
                    : before * Math.clamp(Math.pow(goal / Math.max(card.busy(), 0.01), CORRECTION), 0.5, 2);
            sum += share[i];
        }
        shares.clear();
        for (int i = 0; i < share.length && sum > 0; i++) {
            share[i] /= sum;
            if (kept < 1) {
                shares.put(cards.get(i).host(), share[i]);
            }
        }
    }

    private void correct(double busy, double goal) {
        if (kept == 1 ? busy > goal * BEGINS_ABOVE : Math.abs(busy - goal) > goal * TOLERANCE) {
            kept = Math.clamp(kept * Math.pow(goal / Math.max(busy, 0.01), CORRECTION), LEAST_KEPT, 1);
        }
    }

    /** Whether what may run anywhere stays here: known without asking for each event. */
    boolean keepsAll() {
        return kept == 1;
    }

    /** Part of its own events that this host runs itself. */
    double kept() {
        return kept;
    }

    boolean mayRunHere(Placement placement) {
        return placement.allows(self, ownLabels);
    }

    /** @return {@link #HERE}, a host's id, or null: no live host may run it */
    String choose(Placement placement) {
        if (!mayRunHere(placement)) {
            return leastBusy(placement);
        }
        if (kept == 1) {
            return HERE;
        }
        due += 1 - kept;
        if (due < 1) {
            return HERE;
        }
        int most = -1;
        for (int i = 0; i < share.length; i++) {
            if (share[i] > 0 && allows(placement, i)) {
                owed[i] += share[i];
                most = most < 0 || owed[i] > owed[most] ? i : most;
            }
        }
        if (most < 0) {
            due = 1;
            return HERE;
        }
        due--;
        owed[most]--;
        return cards.get(most).host();
    }

    private String leastBusy(Placement placement) {
        int least = -1;
        for (int i = 0; i < cards.size(); i++) {
            if (allows(placement, i) && (least < 0 || load(i) < load(least))) {
                least = i;
            }
        }
        if (least < 0) {
            return null;
        }
        sent[least] += EVENT_LOAD;
        return cards.get(least).host();
    }

    private boolean allows(Placement placement, int place) {
        return placement.allows(cards.get(place).host(), cards.get(place).labels());
    }

    /** A host that is draining only when there is no other. */
    private double load(int place) {
        return cards.get(place).busy() + sent[place] + (cards.get(place).draining() ? 1e6 : 0);
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
}
