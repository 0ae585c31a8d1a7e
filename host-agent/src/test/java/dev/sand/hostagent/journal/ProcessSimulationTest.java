package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.hostagent.core.Rule;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Cloud processes under every fault that we know: no state write lost or half applied, no message lost, doubled or out of order.
 * {@code -Dsand.sim.seeds=100000} runs longer, {@code -Dsand.sim.first=N} begins elsewhere.
 */
@Tag("slow")
class ProcessSimulationTest {
    private static final int SEEDS = Integer.getInteger("sand.sim.seeds", 200);
    /** Of two hosts. */
    private static final int PAIRS = Integer.getInteger("sand.sim.seeds", 300);
    private static int migrations;
    private static int steadyMigrations;
    private static int killed;
    private static int fired;
    private static int refused;
    private static int told;
    private static int early;
    private static int passed;
    private static int brought;
    private static int nothings;
    private static final long FIRST = Long.getLong("sand.sim.first", 1);

    /** @return what is wrong, or null */
    private static String violation(long seed, Set<Rule> rules, int hosts) {
        return violation(seed, new ProcessWorld(seed, rules, hosts));
    }

    private static String violation(long seed, ProcessWorld world) {
        try {
            world.run();
        } catch (RuntimeException e) {
            return "seed " + seed + ": " + e;
        }
        migrations += world.migrations;
        steadyMigrations += world.steadyMigrations;
        killed += world.killed;
        fired += world.fired;
        refused += world.refused;
        told += world.told;
        early += world.early;
        passed += world.passed;
        brought += world.brought;
        nothings += world.nothings;
        String wrong = new WorldCheck(world).violation();
        return wrong == null ? null : "seed " + seed + ": " + wrong;
    }

    @Test
    void nothingIsLostDoubledOrHalfDone() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            assertThat(violation(seed, Rule.ALL, 1)).isNull();
        }
        assertThat(List.of(killed, fired, refused, told)).as("kills, invocations by messages, refused sends, reads of what came with the event").allMatch(times -> times > SEEDS / 4);
        assertThat(early).as("results that came with the answer to who awaited them").isGreaterThan(SEEDS / 20);
        assertThat(passed).as("messages that no record has but the end of who received them").isGreaterThan(SEEDS / 20);
        assertThat(nothings).as("requests whose input was left out for an end that did not get there").isGreaterThan(SEEDS / 40);
    }

    @Test
    void stateOverflowsInSomeOfThem() {
        int loaded = 0;
        for (long seed = 1; seed <= 20; seed++) {
            ProcessWorld world = new ProcessWorld(seed, Rule.ALL, 1);
            world.run();
            loaded += world.loaded;
        }
        assertThat(loaded).isGreaterThan(100);
    }

    @Test
    void anAnswerBeforeTheJournalHasItIsFound() {
        assertThat(LongStream.rangeClosed(1, 200).mapToObj(seed -> {
            ProcessWorld world = new ProcessWorld(seed, Rule.ALL, 1);
            world.answersEarly = true;
            return violation(seed, world);
        }).anyMatch(Objects::nonNull)).isTrue();
    }

    @Test
    void norWhenProcessesGoFromHostToHost() {
        migrations = 0;
        steadyMigrations = 0;
        brought = 0;
        for (long seed = FIRST; seed < FIRST + PAIRS; seed++) {
            assertThat(violation(seed, Rule.ALL, 2)).isNull();
        }
        assertThat(migrations).as("processes that were moved by hand").isGreaterThan(PAIRS / 4);
        assertThat(steadyMigrations).as("of those, to which somebody sent all the time").isGreaterThan(PAIRS / 20);
        assertThat(brought).as("large messages that an earlier owner's journal had").isGreaterThan(PAIRS / 40);
    }

    @Test
    void aProcessThatLeavesBeforeAllThatRanInItIsKnownIsFound() {
        assertThat(isFoundWithout(Rule.RECOVERED_BEFORE_LEAVING, 2)).isTrue();
    }

    @Test
    void aMessageThatIsGivenWithTheNameThatItsSendersJournalHasIsFound() {
        assertThat(isFoundWithout(Rule.NAMED_VALUES_BROUGHT, 2)).isTrue();
    }

    @Test
    void aMessageThatANewOwnerTakesBeforeAnEarlierOneIsFound() {
        assertThat(isFoundWithout(Rule.BROUGHT_IN_THEIR_ORDER, 2, 300, 1200)).isTrue(); // in one of some hundred
    }

    @Test
    void anEndBeforeWhatItInvokedIsSafeIsFound() {
        assertThat(isFoundWithout(Rule.FOLLOW_UPS_BEFORE_END, 1)).isTrue();
    }

    @Test
    void aFunctionThatIsToldWhatAnotherOneChangesIsFound() {
        assertThat(isFoundWithout(Rule.TOLD_RUNS_ALONE, 1, 300, 1200)).isTrue(); // in one of some hundred
    }

    private static boolean isFoundWithout(Rule rule, int hosts) {
        return isFoundWithout(rule, hosts, FIRST, FIRST + SEEDS);
    }

    private static boolean isFoundWithout(Rule rule, int hosts, long first, long end) {
        Set<Rule> others = EnumSet.complementOf(EnumSet.of(rule));
        return LongStream.range(first, end).mapToObj(seed -> violation(seed, others, hosts)).anyMatch(Objects::nonNull);
    }
}
