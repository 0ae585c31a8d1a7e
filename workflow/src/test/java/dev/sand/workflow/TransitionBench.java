package dev.sand.workflow;

import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.trial.Trial;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a transition costs the engine: from a task's signal to the next task's command. Prints median and p99 in microseconds,
 * by kind of state. {@code ./sand bench workflow-transition} runs it; with {@code --rows} it prints id, nanoseconds (median,
 * p99, most) and name with tabs between.
 */
final class TransitionBench {
    private static final int ROUNDS = 40_000;
    private static final int WARM_UP = 20_000;
    /** The longest of many is measured in CPU time: a busy machine's scheduler is not what is asked for. */
    private static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();

    private record Case(String id, String name, String definition, String input, String output) {}

    private static final List<Case> CASES = List.of(
            new Case("transition-opaque", "opaque: Task to Task, default paths", chain(""), "{\"a\":1}", "{\"a\":2}"),
            new Case("transition-small", "small: Task to Task, InputPath, ResultPath", chain(", \"InputPath\": \"$.order\", \"ResultPath\": \"$.total\""),
                    "{\"order\":{\"id\":7,\"items\":[1,2,3]}}", "42"),
            new Case("transition-template", "template: Task to Task, Parameters with an intrinsic function",
                    chain(", \"Parameters\": {\"id.$\": \"$.order.id\", \"text.$\": \"States.Format('order {}', $.order.id)\"},"
                            + " \"ResultPath\": \"$.total\""), "{\"order\":{\"id\":7,\"items\":[1,2,3]}}", "42"),
            new Case("transition-choice", "choice: Task, Choice of four rules, Task", """
                    {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "a", "Next": "C"},
                     "C": {"Type": "Choice", "Default": "A", "Choices": [
                       {"Variable": "$.n", "NumericGreaterThan": 100, "Next": "B"},
                       {"Variable": "$.s", "StringMatches": "x*y*z", "Next": "B"},
                       {"And": [{"Variable": "$.n", "IsNumeric": true}, {"Variable": "$.n", "NumericLessThan": 0}], "Next": "B"},
                       {"Variable": "$.done", "BooleanEquals": true, "Next": "B"}]},
                     "B": {"Type": "Succeed"}}}""", "{}", "{\"n\":1,\"s\":\"xy\",\"done\":false}"));

    private TransitionBench() {}

    private static String chain(String fields) {
        return "{\"StartAt\":\"A\",\"States\":{\"A\":{\"Type\":\"Task\",\"Resource\":\"a\",\"Next\":\"B\"" + fields
                + "},\"B\":{\"Type\":\"Task\",\"Resource\":\"b\",\"Next\":\"A\"" + fields + "},\"C\":{\"Type\":\"Succeed\"}}}";
    }

    private static StateMachine machine(String definition) {
        // The chain is a circle on purpose: the diagnostics about its end are not what is measured here.
        String closed = definition.contains("\"C\":{\"Type\":\"Succeed\"}") ? definition.replace("\"Resource\":\"b\",\"Next\":\"A\"",
                "\"Resource\":\"b\",\"Catch\":[{\"ErrorEquals\":[\"never\"],\"Next\":\"C\"}],\"Next\":\"A\"") : definition;
        return switch (Definitions.parse(closed)) {
            case Definitions.Parsed.Valid valid -> valid.machine();
            case Definitions.Parsed.Invalid invalid -> throw new IllegalStateException(invalid.diagnostics().toString());
        };
    }

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    public static void main(String[] arguments) {
        boolean rows = List.of(arguments).contains("--rows");
        if (!rows) {
            System.out.printf("%s, Java %s, %d processors%n", System.getProperty("os.name"), Runtime.version(),
                    Runtime.getRuntime().availableProcessors());
        }
        for (Case one : CASES) {
            print(rows, one.id, one.name, transitions(one));
        }
        print(rows, "transition-map", "1,000-way Map: CPU time of the longest signal that a shard takes itself, over 1,000 runs", wideMap());
    }

    private static void print(boolean row, String id, String name, long[] times) {
        Arrays.sort(times);
        if (row) {
            System.out.printf("%s\t%d\t%d\t%d\t%s%n", id, times[times.length / 2], times[times.length * 99 / 100], times[times.length - 1],
                    name);
            return;
        }
        System.out.printf("%-70s p50 %7.2f µs   p99 %7.2f µs   most %7.2f µs%n", name, times[times.length / 2] / 1000.0,
                times[times.length * 99 / 100] / 1000.0, times[times.length - 1] / 1000.0);
    }

    private static long[] transitions(Case one) {
        StateMachine machine = machine(one.definition);
        long[] times = new long[ROUNDS];
        Payload output = json(one.output);
        int round = -WARM_UP;
        while (round < ROUNDS) {
            Execution execution = Executions.of(machine, "app", "flow", "bench", Trial.START);
            List<Command> commands = execution.on(new Signal.Started(json(one.input)));
            for (int i = 0; i < 100 && round < ROUNDS; i++) {
                Signal signal = new Signal.TaskSucceeded(((Command.RunTask) commands.getFirst()).step(), output, List.of());
                long begin = System.nanoTime();
                commands = execution.on(signal);
                long took = System.nanoTime() - begin;
                if (round >= 0) {
                    times[round] = took;
                }
                round++;
            }
        }
        return times;
    }

    private static long[] wideMap() {
        StateMachine machine = machine("""
                {"StartAt": "M", "States": {"M": {"Type": "Map", "End": true, "ItemSelector": {"i.$": "$$.Map.Item.Index"},
                 "ItemProcessor": {"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "t", "End": true}}}}}}""");
        Payload items = json(IntStream.range(0, 1000).mapToObj(String::valueOf).collect(Collectors.joining(",", "[", "]")));
        long[] longest = new long[1000];
        for (int run = -1000; run < longest.length; run++) {
            Execution execution = Executions.of(machine, "app", "flow", "bench", Trial.START);
            Signal signal = new Signal.Started(items);
            long worst = 0;
            while (signal != null) {
                boolean isHeavy = execution.isHeavy(signal);
                long begin = THREAD.getCurrentThreadCpuTime();
                List<Command> commands = execution.on(signal);
                worst = isHeavy ? worst : Math.max(worst, THREAD.getCurrentThreadCpuTime() - begin);
                signal = !commands.isEmpty() && commands.getLast() instanceof Command.StartTimer timer
                        ? new Signal.TimerFired(timer.step()) : null;
            }
            for (int i = 0; i < 1000; i++) {
                Signal end = new Signal.TaskSucceeded("M[" + i + "]/T", json("1"), List.of());
                boolean isHeavy = execution.isHeavy(end);
                long begin = THREAD.getCurrentThreadCpuTime();
                execution.on(end);
                worst = isHeavy ? worst : Math.max(worst, THREAD.getCurrentThreadCpuTime() - begin);
            }
            if (run >= 0) {
                longest[run] = worst;
            }
        }
        return longest;
    }
}
