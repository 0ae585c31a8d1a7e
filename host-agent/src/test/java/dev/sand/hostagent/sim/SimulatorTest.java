package dev.sand.hostagent.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.hostagent.core.Allowance;
import dev.sand.hostagent.core.Rule;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The core under every fault that we know. {@code -Dsand.sim.seeds=100000} runs longer, {@code -Dsand.sim.first=N} begins
 * elsewhere; a failure prints its seed and the command that replays it with its trace.
 */
class SimulatorTest {
    private static final int SEEDS = Integer.getInteger("sand.sim.seeds", 400);
    /** A broken rule is found within so many seeds, wherever one begins. */
    private static final int SEEDS_TO_FIND = 200;

    private static Seeds.Run sound(long seed) {
        return new Simulation(seed, Rule.ALL);
    }

    @Test
    void nothingThatMustNotHappenHappens() {
        Seeds.holds(SEEDS, SimulatorTest::sound, SimulatorTest.class);
    }

    /** Requests are refused, and what was accepted waits for its turn. */
    @Test
    void norWhenATenantHasLimits() {
        Seeds.holds(SEEDS / 2, SimulatorTest::limited, SimulatorTest.class);
    }

    private static Seeds.Run limited(long seed) {
        return new Simulation(seed, Rule.ALL, new Allowance.Limits(1 + (int) (seed % 3), 3L << 30));
    }

    @Test
    void callbacksAreAmongWhatHappens() {
        int taken = 0;
        for (long seed = 1; seed <= 40; seed++) {
            Simulation simulation = new Simulation(seed, Rule.ALL);
            simulation.run();
            taken += simulation.taken();
        }
        assertThat(taken).isGreaterThan(40);
    }

    /** Whichever of the two found it. */
    @Test
    void replay() {
        Seeds.replay(SimulatorTest::sound);
        Seeds.replay(SimulatorTest::limited);
    }

    @Test
    void theSameSeedIsTheSameRun() {
        Seeds.areTheSameTwice(20, SimulatorTest::sound);
    }

    /** Those of cloud processes are {@code ProcessSimulationTest}'s. */
    static Set<Rule> rulesOfOneHost() {
        Set<Rule> rules = EnumSet.complementOf(EnumSet.copyOf(ClusterTest.RULES_OF_SEVERAL_HOSTS));
        rules.remove(Rule.RECOVERED_BEFORE_LEAVING);
        rules.remove(Rule.NAMED_VALUES_BROUGHT);
        rules.remove(Rule.BROUGHT_IN_THEIR_ORDER);
        rules.remove(Rule.FOLLOW_UPS_BEFORE_END);
        rules.remove(Rule.TOLD_RUNS_ALONE);
        rules.remove(Rule.INSTANCE_QUOTA);
        return rules;
    }

    @Test
    void moreInstancesThanATenantMayRunAreNoticed() {
        Set<Rule> rules = EnumSet.complementOf(EnumSet.of(Rule.INSTANCE_QUOTA));
        assertThat(Seeds.firstViolation(1, SEEDS_TO_FIND, seed -> new Simulation(seed, rules, new Allowance.Limits(1, null)))).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("rulesOfOneHost")
    void aRuleSwitchedOffIsNoticed(Rule rule) {
        Set<Rule> rules = EnumSet.complementOf(EnumSet.of(rule));
        for (long from : new long[] {1, 10_001, 20_001}) {
            Violation found = Seeds.firstViolation(from, SEEDS_TO_FIND, seed -> new Simulation(seed, rules));
            assertThat(found).as("violation within " + SEEDS_TO_FIND + " seeds from " + from + " without " + rule).isNotNull();
        }
    }
}
