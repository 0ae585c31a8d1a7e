package dev.sand.hostagent.sim;

import static org.assertj.core.api.Assertions.assertThat;

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

    @Test
    void replay() {
        Seeds.replay(SimulatorTest::sound);
    }

    @Test
    void theSameSeedIsTheSameRun() {
        Seeds.areTheSameTwice(20, SimulatorTest::sound);
    }

    /** That of cloud processes is {@code ProcessSimulationTest}'s. */
    static Set<Rule> rulesOfOneHost() {
        Set<Rule> rules = EnumSet.complementOf(EnumSet.copyOf(ClusterTest.RULES_OF_SEVERAL_HOSTS));
        rules.remove(Rule.SEEN_IS_DURABLE_OUTSIDE);
        return rules;
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
