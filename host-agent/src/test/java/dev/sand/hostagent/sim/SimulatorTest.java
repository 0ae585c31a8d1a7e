package dev.sand.hostagent.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sand.hostagent.core.Rule;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The core under every fault that we know. {@code -Dsand.sim.seeds=100000} runs longer, {@code -Dsand.sim.first=N} begins
 * elsewhere; a failure prints its seed and the command that replays it with its trace.
 */
class SimulatorTest {
    private static final int SEEDS = Integer.getInteger("sand.sim.seeds", 400);
    private static final long FIRST = Long.getLong("sand.sim.first", 1);
    /** A broken rule is found within so many seeds, wherever one begins. */
    private static final int SEEDS_TO_FIND = 200;

    private static Violation run(long seed, Set<Rule> rules) {
        Simulation simulation = new Simulation(seed, rules);
        try {
            simulation.run();
            return null;
        } catch (Violation violation) {
            return violation;
        }
    }

    @Test
    void nothingThatMustNotHappenHappens() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            Violation violation = run(seed, Rule.ALL);
            if (violation != null) {
                fail("seed " + seed + ": " + violation.getMessage() + "\nreplay with its trace: mvn -q -pl host-agent -am test"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Dtest=SimulatorTest#replay -Dsand.sim.seed=" + seed, violation);
            }
        }
    }

    @Test
    void replay() {
        Long seed = Long.getLong("sand.sim.seed");
        if (seed == null) {
            return;
        }
        Simulation simulation = new Simulation(seed, Rule.ALL);
        try {
            simulation.run();
        } catch (Violation violation) {
            simulation.trace().tail().forEach(System.out::println);
            throw violation;
        }
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 20; seed++) {
            Simulation first = new Simulation(seed, Rule.ALL);
            Simulation second = new Simulation(seed, Rule.ALL);
            first.run();
            second.run();
            assertThat(second.trace().hash()).as("trace of seed " + seed).isEqualTo(first.trace().hash());
            assertThat(second.trace().steps()).isEqualTo(first.trace().steps());
        }
    }

    @ParameterizedTest
    @EnumSource(Rule.class)
    void aRuleSwitchedOffIsNoticed(Rule rule) {
        Set<Rule> rules = EnumSet.complementOf(EnumSet.of(rule));
        for (long from : new long[] {1, 10_001, 20_001}) {
            Violation found = null;
            for (long seed = from; seed < from + SEEDS_TO_FIND && found == null; seed++) {
                found = run(seed, rules);
            }
            assertThat(found).as("violation within " + SEEDS_TO_FIND + " seeds from " + from + " without " + rule).isNotNull();
        }
    }
}
