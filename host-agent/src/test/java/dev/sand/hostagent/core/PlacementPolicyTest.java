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
        assertThat(chosen.get(PlacementPolicy.HERE)).isBetween(450, 650);
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

    /** All work is owned by one host: by and by it shares it out; a host that joins late takes its part. */
    @Test
    void skewedLoadIsSharedOutAndALateHostTakesWork() {
        double offered = 1.8;
        for (int hosts : new int[] {3, 4}) {
            double[] busy = new double[hosts];
            double[] later = new double[hosts];
            busy[0] = offered;
            for (int second = 0; second < 30; second++) {
                List<HostCard> cards = new ArrayList<>();
                for (int i = 0; i < hosts; i++) {
                    cards.add(card(String.valueOf((char) ('a' + i)), busy[i]));
                }
                policy.onHosts(cards);
                Map<String, Integer> chosen = choose(1000, Placement.ANYWHERE);
                for (int i = 0; i < hosts; i++) {
                    String name = i == 0 ? PlacementPolicy.HERE : cards.get(i).host();
                    double now = offered * chosen.getOrDefault(name, 0) / 1000;
                    busy[i] = (later[i] + now) / 2; // a card tells of the second before, too
                    later[i] = now;
                }
            }
            double mean = offered / hosts;
            for (double each : busy) {
                assertThat(each).as(hosts + " hosts").isBetween(mean / 1.5, mean * 1.5);
            }
        }
    }
}
