package dev.sand.hostagent.sim;

import dev.sand.hostagent.core.Rule;
import java.util.EnumSet;
import java.util.Set;

/** Runs seeds, one after the other: {@code SimulatorMain FIRST COUNT}; the first that fails is printed with its trace's end. */
public final class SimulatorMain {
    private SimulatorMain() {}

    public static void main(String[] arguments) {
        long first = arguments.length > 0 ? Long.parseLong(arguments[0]) : 0;
        long count = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        Set<Rule> rules = EnumSet.allOf(Rule.class);
        for (int i = 2; i < arguments.length; i++) {
            rules.remove(Rule.valueOf(arguments[i]));
        }
        long steps = 0;
        long startNs = System.nanoTime();
        for (long seed = first; seed < first + count; seed++) {
            Simulation simulation = new Simulation(seed, rules);
            try {
                simulation.run();
            } catch (Violation violation) {
                simulation.trace().tail().forEach(System.out::println);
                violation.printStackTrace(System.out);
                System.out.println("seed " + seed + ": " + violation.getMessage());
                System.exit(1);
            }
            steps += simulation.trace().steps();
        }
        System.out.println(count + " seeds, " + steps + " steps, " + (System.nanoTime() - startNs) / 1_000_000 + " ms: no violation");
    }
}
