package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.card;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Placement;
import dev.sand.globalbus.Membership.HostCard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlacementPolicyTest {
    private static final Placement GPU = new Placement(Set.of(), Set.of("gpu"));

    private final PlacementPolicy policy = new PlacementPolicy("a");

    private Map<String, Integer> choose(int events, Placement placement) {
        Map<String, Integer> chosen = new HashMap<>();
        for (int i = 0; i < events; i++) {
            chosen.merge(String.valueOf(policy.choose(placement)), 1, Integer::sum);
        }
        return chosen;
    }

    @Test
    void withoutKnowledgeOfOthersAllStaysHere() {
        assertThat(policy.choose(Placement.ANYWHERE)).isEqualTo(PlacementPolicy.HERE);
        assertThat(policy.keepsAll()).isTrue();
        assertThat(policy.choose(GPU)).isNull();
    }

    @Test
    void lightLoadNeverLeavesTheHost() {
        for (double busy = 0; busy <= PlacementPolicy.LIGHT; busy += 0.01) {
            policy.onHosts(List.of(card("a", busy), card("b", 0), card("c", 0)));
            assertThat(policy.keepsAll()).isTrue();
        }
    }

    @Test
    void aLittleAboveTheMeanStaysToo() {
        policy.onHosts(List.of(card("a", 0.66), card("b", 0.6), card("c", 0.6)));
        assertThat(policy.keepsAll()).isTrue();
    }

    @Test
    void anOverloadedHostSendsToThoseBelowTheMeanByHowFarTheyAre() {
        policy.onHosts(List.of(card("a", 1.8), card("b", 0), card("c", 0.3), card("d", 0.9)));
        Map<String, Integer> chosen = choose(1000, Placement.ANYWHERE);
        assertThat(chosen).doesNotContainKey("d");
        assertThat(chosen.get("b")).isGreaterThan(chosen.get("c"));
        assertThat(chosen.get(PlacementPolicy.HERE)).isBetween(750, 950);
    }

    @Test
    void aDrainingHostGetsNothingNew() {
        policy.onHosts(List.of(card("a", 2), new HostCard("b", "1", null, Set.of("gpu"), 0, true, 0), card("c", 1)));
        assertThat(choose(100, Placement.ANYWHERE)).doesNotContainKey("b");
        assertThat(policy.choose(GPU)).as("but there is no other").isEqualTo("b");
    }

    @Test
    void whatMayNotRunHereGoesToTheLeastBusyThatMay() {
        policy.onHosts(List.of(card("a", 0), card("b", 0.5, "gpu", "big"), card("c", 0.2, "gpu"), card("d", 0)));
        assertThat(policy.choose(GPU)).isEqualTo("c");
        assertThat(choose(100, GPU)).as("not all of them, until it is heard of again").containsKeys("b", "c");
        assertThat(policy.choose(new Placement(Set.of("b", "x"), Set.of()))).isEqualTo("b");
        assertThat(policy.choose(new Placement(Set.of("b"), Set.of("small")))).isNull();
    }

    @Test
    void whatMayRunHereAndElsewhereIsSentOnlyWhereItMay() {
        policy.onHosts(List.of(card("a", 3, "gpu"), card("b", 0), card("c", 0.5, "gpu")));
        assertThat(choose(200, GPU)).containsOnlyKeys(PlacementPolicy.HERE, "c");
    }

    @Test
    void itSaysWhichHostsThereAre() {
        policy.onHosts(List.of(card("a", 0), card("b", 0, "gpu")));
        assertThat(policy.inWords()).isEqualTo("a (no labels), b (gpu)");
    }

    /**
     * All work is owned by one host: by and by it shares it out; a host that joins late takes its part. Each host tells of
     * the last second at a moment of its own, and each time all cards are given again.
     */
    @Test
    void skewedLoadIsSharedOutAndALateHostTakesWork() {
        double offered = 1.8;
        for (int hosts : new int[] {3, 4}) {
            HostCard[] cards = new HostCard[hosts];
            for (int i = 0; i < hosts; i++) {
                cards[i] = told(hosts, i, i == 0 ? offered : 0, 1);
            }
            List<double[]> moments = new ArrayList<>();
            for (int moment = 0; moment < 30 * hosts; moment++) {
                int reports = moment % hosts;
                if (moment >= 2 * hosts) {
                    // A card is a moment old before it is seen, and an event runs on for a while.
                    cards[reports] = told(hosts, reports, busy(moments, moment - 1 - hosts, moment - 1, reports), 2 + moment);
                }
                policy.onHosts(List.of(cards));
                Map<String, Integer> chosen = choose(300, Placement.ANYWHERE);
                double[] now = new double[hosts];
                for (int i = 0; i < hosts; i++) {
                    now[i] = offered * chosen.getOrDefault(i == 0 ? PlacementPolicy.HERE : cards[i].host(), 0) / 300;
                }
                moments.add(now);
            }
            for (int second = 15; second < 30; second++) {
                for (int i = 0; i < hosts; i++) {
                    double mean = offered / hosts;
                    assertThat(busy(moments, second * hosts - hosts, second * hosts, i)).as("%d hosts, second %d", hosts, second)
                            .isBetween(mean / 1.3, mean * 1.3);
                }
            }
        }
    }

    private static HostCard told(int hosts, int place, double busy, long seenMs) {
        return new HostCard(String.valueOf((char) ('a' + place)), "1", null, Set.of(), busy, false, hosts * 100_000L + seenMs);
    }

    private static double busy(List<double[]> moments, int from, int to, int place) {
        return moments.subList(from, to).stream().mapToDouble(each -> each[place]).average().orElseThrow();
    }
}
