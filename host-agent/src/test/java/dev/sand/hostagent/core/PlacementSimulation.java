package dev.sand.hostagent.core;

import dev.sand.event.Placement;
import dev.sand.globalbus.Membership.HostCard;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Hosts of which one owns all the work: events of one length come at one rate, each host tells every second of the mean of the last
 * one, at a moment of its own, and what is sent away is on its way for some milliseconds in both directions.
 */
final class PlacementSimulation {
    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000 * MS;
    private static final long ON_ITS_WAY_NS = 8 * MS;
    private static final long SEEN_AFTER_NS = 30 * MS;
    private static final int PROCESSORS = 8;

    private record Step(long atNs, long number, Runnable what) {}

    private final PriorityQueue<Step> steps = new PriorityQueue<>(Comparator.comparingLong(Step::atNs).thenComparing(Step::number));
    private final PlacementPolicy policy = new PlacementPolicy("a", PROCESSORS);
    private final List<HostCard> cards = new ArrayList<>();
    private final List<Integer> running = new ArrayList<>();
    /** By host: events in progress by time, in all and at the end of each second. */
    private final List<Double> busyNs = new ArrayList<>();
    private final List<List<Double>> seconds = new ArrayList<>();
    private final long lengthNs;
    private final long everyNs;
    private long nowNs;
    private long numbers;

    /** @param offered work in progress, as a multiple of what makes one host busy */
    PlacementSimulation(int hosts, double offered, long lengthMs) {
        lengthNs = lengthMs * MS;
        everyNs = Math.round(lengthNs / (offered * PROCESSORS));
        for (int host = 0; host < hosts; host++) {
            join();
        }
        at(0, this::arrive);
        at(SECOND, this::endOfSecond);
    }

    void join() {
        int host = running.size();
        running.add(0);
        busyNs.add(0.0);
        at(nowNs + SECOND * (1 + host % 4) / 5, () -> report(host, 0));
    }

    void run(long forSeconds) {
        long untilNs = nowNs + forSeconds * SECOND;
        while (steps.peek().atNs <= untilNs) {
            Step step = steps.poll();
            for (int host = 0; host < running.size(); host++) {
                busyNs.set(host, busyNs.get(host) + (double) running.get(host) * (step.atNs - nowNs));
            }
            nowNs = step.atNs;
            step.what.run();
        }
    }

    /** By host, its share of the mean of all over the last seconds, 1: it had as much as each. */
    List<Double> shares(int lastSeconds) {
        List<Double> from = seconds.get(seconds.size() - 1 - lastSeconds);
        List<Double> shares = new ArrayList<>();
        for (int host = 0; host < running.size(); host++) {
            shares.add(seconds.getLast().get(host) - (host < from.size() ? from.get(host) : 0));
        }
        double mean = shares.stream().mapToDouble(share -> share).average().orElseThrow();
        shares.replaceAll(share -> share / mean);
        return shares;
    }

    private void at(long atNs, Runnable what) {
        steps.add(new Step(atNs, numbers++, what));
    }

    private void arrive() {
        at(nowNs + everyNs, this::arrive);
        String chosen = policy.choose(Placement.ANYWHERE);
        policy.began(chosen, nowNs);
        int host = chosen.equals(PlacementPolicy.HERE) ? 0 : chosen.charAt(0) - 'a';
        long wayNs = host == 0 ? 0 : ON_ITS_WAY_NS;
        at(nowNs + wayNs, () -> running.set(host, running.get(host) + 1));
        at(nowNs + wayNs + lengthNs, () -> running.set(host, running.get(host) - 1));
        at(nowNs + 2 * wayNs + lengthNs, () -> policy.ended(chosen, nowNs));
    }

    private void report(int host, double busyBefore) {
        double busy = busyNs.get(host);
        at(nowNs + SECOND, () -> report(host, busy));
        HostCard card = new HostCard(String.valueOf((char) ('a' + host)), "1", null, Set.of(), (busy - busyBefore) / SECOND / PROCESSORS,
                false, 1 + nowNs / MS);
        at(nowNs + SEEN_AFTER_NS, () -> {
            cards.removeIf(before -> before.host().equals(card.host()));
            cards.add(card);
            cards.sort(Comparator.comparing(HostCard::host));
            policy.onHosts(cards, nowNs);
        });
    }

    private void endOfSecond() {
        at(nowNs + SECOND, this::endOfSecond);
        seconds.add(List.copyOf(busyNs));
    }
}
