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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementPolicyTest {
    private static final Placement GPU = new Placement(Set.of(), Set.of("gpu"));

    private final PlacementPolicy policy = new PlacementPolicy("a", 2);

    private Map<String, Integer> choose(int events, Placement placement) {
        Map<String, Integer> chosen = new HashMap<>();
        for (int i = 0; i < events; i++) {
            String host = policy.choose(placement);
            chosen.merge(host, 1, Integer::sum);
            policy.began(host, 0);
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
            policy.onHosts(List.of(card("a", busy), card("b", 0), card("c", 0)), 0);
            assertThat(policy.keepsAll()).isTrue();
        }
    }

    @Test
    void aLittleAboveTheMeanStaysToo() {
        policy.onHosts(List.of(card("a", 0.66), card("b", 0.6), card("c", 0.6)), 0);
        assertThat(policy.keepsAll()).isTrue();
    }

    @Test
    void anOverloadedHostSendsToWhereThereIsLeast() {
        policy.onHosts(List.of(card("a", 9), card("b", 0), card("c", 1), card("d", 8)), 0);
        Map<String, Integer> chosen = choose(16, Placement.ANYWHERE);
        assertThat(chosen).containsOnlyKeys("b", "c");
        assertThat(chosen.get("b")).isEqualTo(9);
        assertThat(choose(40, Placement.ANYWHERE)).as("until others have as much").containsKeys(PlacementPolicy.HERE, "d");
    }

    @Test
    void aDrainingHostGetsNothingNew() {
        policy.onHosts(List.of(card("a", 2), new HostCard("b", "1", null, Set.of("gpu"), 0, true, 0), card("c", 1)), 0);
        assertThat(choose(100, Placement.ANYWHERE)).doesNotContainKey("b");
        assertThat(policy.choose(GPU)).as("but there is no other").isEqualTo("b");
    }

    @Test
    void whatMayNotRunHereGoesToTheLeastBusyThatMay() {
        policy.onHosts(List.of(card("a", 0), card("b", 0.5, "gpu", "big"), card("c", 0.2, "gpu"), card("d", 0)), 0);
        assertThat(policy.choose(GPU)).isEqualTo("c");
        assertThat(choose(100, GPU)).as("not all of them, until it is heard of again").containsKeys("b", "c");
        assertThat(policy.choose(new Placement(Set.of("b", "x"), Set.of()))).isEqualTo("b");
        assertThat(policy.choose(new Placement(Set.of("b"), Set.of("small")))).isNull();
    }

    @Test
    void whatMayRunHereAndElsewhereIsSentOnlyWhereItMay() {
        policy.onHosts(List.of(card("a", 3, "gpu"), card("b", 0), card("c", 0.5, "gpu")), 0);
        assertThat(choose(200, GPU)).containsOnlyKeys(PlacementPolicy.HERE, "c");
    }

    @Test
    void itSaysWhichHostsThereAre() {
        policy.onHosts(List.of(card("a", 0), card("b", 0, "gpu")), 0);
        assertThat(policy.inWords()).isEqualTo("a (no labels), b (gpu)");
    }

    /** All work is owned by one host: it shares it out, whatever events take, and does not swing. */
    @ParameterizedTest
    @ValueSource(longs = {20, 200, 1_000, 5_000, 20_000})
    void skewedLoadIsSharedOutAndALateHostTakesWork(long eventMs) {
        PlacementSimulation hosts = new PlacementSimulation(3, 3, eventMs);
        long settles = 10 + 3 * eventMs / 1_000;
        hosts.run(settles);
        for (int i = 0; i < 30; i++) {
            hosts.run(5);
            assertThat(hosts.shares(5)).as("five seconds after %d", settles + 5 * i).allMatch(share -> share > 0.5 && share < 1.5);
        }
        hosts.join();
        hosts.run(settles);
        for (int i = 0; i < 10; i++) {
            hosts.run(5);
            assertThat(hosts.shares(5)).hasSize(4).allMatch(share -> share > 0.5 && share < 1.5);
        }
    }

    @Test
    void whatIsSentCountsBeforeItsHostReportsIt() {
        policy.onHosts(List.of(card("a", 3), card("b", 0), card("c", 0.4)), 0);
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sent.add(policy.choose(Placement.ANYWHERE));
            policy.began(sent.getLast(), 0);
        }
        assertThat(sent).as("an event weighs a half on two processors").containsExactly("b", "c", "b", "c");
        policy.ended("b", 0);
        policy.ended("b", 0);
        assertThat(policy.choose(Placement.ANYWHERE)).isEqualTo("b");
    }

    @Test
    void oncePlacedWorkFitsHereAgainAllStays() {
        policy.onHosts(List.of(card("a", 3), card("b", 0), card("c", 0)), 0);
        assertThat(policy.keepsAll()).isFalse();
        policy.onHosts(List.of(card("a", 0.2), card("b", 0), card("c", 0)), 1_000);
        assertThat(policy.keepsAll()).isTrue();
    }
}
