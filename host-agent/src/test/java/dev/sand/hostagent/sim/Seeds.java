package dev.sand.hostagent.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.function.LongFunction;

/** Runs of a simulation by their seeds. */
final class Seeds {
    /** One run: the same seed makes the same one. */
    interface Run {
        /** @throws Violation when something happens that must not */
        void run();

        Trace trace();
    }

    private static final long FIRST = Long.getLong("sand.sim.first", 1);

    private Seeds() {}

    /** @return null when nothing is violated */
    static Violation violation(Run run) {
        try {
            run.run();
            return null;
        } catch (Violation violation) {
            return violation;
        }
    }

    /** The first violation of the runs with {@code count} seeds from {@code first} on, or null. */
    static Violation firstViolation(long first, int count, LongFunction<Run> runs) {
        Violation found = null;
        for (long seed = first; seed < first + count && found == null; seed++) {
            found = violation(runs.apply(seed));
        }
        return found;
    }

    /** @param test whose {@code replay} shows a seed with its trace */
    static void holds(int count, LongFunction<Run> runs, Class<?> test) {
        for (long seed = FIRST; seed < FIRST + count; seed++) {
            Violation violation = violation(runs.apply(seed));
            if (violation != null) {
                fail("seed " + seed + ": " + violation.getMessage() + "\nreplay with its trace: mvn -q -pl host-agent -am test"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Dtest=" + test.getSimpleName() + "#replay -Dsand.sim.seed=" + seed,
                        violation);
            }
        }
    }

    /** The seed of {@code -Dsand.sim.seed}, with its trace's end when it violates something. */
    static void replay(LongFunction<Run> runs) {
        Long seed = Long.getLong("sand.sim.seed");
        if (seed == null) {
            return;
        }
        Run run = runs.apply(seed);
        Violation violation = violation(run);
        if (violation != null) {
            run.trace().tail().forEach(System.out::println);
            throw violation;
        }
    }

    static void areTheSameTwice(int count, LongFunction<Run> runs) {
        for (long seed = 1; seed <= count; seed++) {
            Run first = runs.apply(seed);
            Run second = runs.apply(seed);
            first.run();
            second.run();
            assertThat(second.trace().hash()).as("trace of seed " + seed).isEqualTo(first.trace().hash());
            assertThat(second.trace().steps()).isEqualTo(first.trace().steps());
        }
    }
}
