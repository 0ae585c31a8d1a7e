package dev.sand.hostagent.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.hostagent.core.Rule;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several cores that share slots, under every fault that we know; see {@link ClusterSimulation}. {@code
 * -Dsand.sim.cluster.seeds=100000} runs longer, {@code -Dsand.sim.first=N} begins elsewhere; a failure prints its seed and the
 * command that replays it with its trace.
 */
@Tag("slow")
class ClusterTest {
    private static final int SEEDS = Integer.getInteger("sand.sim.cluster.seeds",
            "1".equals(System.getProperty("sand.quick")) ? 300 : 2_000);
    private static final int SEEDS_TO_FIND = 10_000;
    /** What one host alone cannot show. */
    static final Set<Rule> RULES_OF_SEVERAL_HOSTS = EnumSet.of(Rule.ONLY_OWN_SLOTS, Rule.HELD_WHILE_RECOVERING,
            Rule.HELD_JOINS_RECOVERED, Rule.LOST_SLOT_LOST_EFFECTS, Rule.GLOBAL_BEFORE_LOCAL, Rule.RECOVERED_IS_STRICT,
            Rule.RESUMED_BEFORE_RERUN, Rule.HOME_WHILE_BUS_IS_SILENT, Rule.EARLIER_RECORDS_FIRST, Rule.STALE_RETURN_DROPPED, Rule.REMOTE_RUN_ONCE,
            Rule.TAKEN_OVER_WORK_IS_LOST);
    private static final Set<Rule> RULES_OF_BOTH = EnumSet.of(Rule.SAME_ID_JOINS, Rule.RETRY_LIMIT);

    private static Seeds.Run sound(long seed) {
        return new ClusterSimulation(seed, Rule.ALL, Protocol.ALL);
    }

    @Test
    void executionsAreStoppedInThem() {
        long stopped = 0;
        for (long seed = 1; seed <= 40; seed++) {
            ClusterSimulation run = new ClusterSimulation(seed, Rule.ALL, Protocol.ALL);
            run.run();
            stopped += run.stops().stopped();
        }
        assertThat(stopped).isGreaterThan(40);
    }

    @Test
    void nothingThatMustNotHappenHappens() {
        Seeds.holds(SEEDS, ClusterTest::sound, ClusterTest.class);
    }

    @Test
    void replay() {
        Seeds.replay(ClusterTest::sound);
    }

    @Test
    void theSameSeedIsTheSameRun() {
        Seeds.areTheSameTwice(20, ClusterTest::sound);
    }

    /** All of {@link Protocol}, and of {@link Rule} those that several hosts need: the others are one host's test to find. */
    static List<String> rules() {
        Stream<Rule> core = Stream.concat(RULES_OF_SEVERAL_HOSTS.stream(), RULES_OF_BOTH.stream());
        return Stream.concat(Stream.of(Protocol.values()), core).map(Enum::name).toList();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void aRuleSwitchedOffIsNoticed(String name) {
        Set<Rule> rules = EnumSet.allOf(Rule.class);
        Set<Protocol> protocol = EnumSet.allOf(Protocol.class);
        boolean known = rules.removeIf(rule -> rule.name().equals(name)) | protocol.removeIf(rule -> rule.name().equals(name));
        assertThat(known).isTrue();
        Violation found = Seeds.firstViolation(1, SEEDS_TO_FIND, seed -> new ClusterSimulation(seed, rules, protocol));
        assertThat(found).as("violation within " + SEEDS_TO_FIND + " seeds without " + name).isNotNull();
    }
}
