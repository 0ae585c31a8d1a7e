package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.asl.StateMachine;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.trial.Trial;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What recovery rests on, over random workflows: the same signals give the same commands, and every step comes once. */
@Tag("slow")
class ReplayTest {
    private static final int SEEDS = 3_000;

    private static StateMachine machine(String definition) {
        return switch (Definitions.parse(definition)) {
            case Definitions.Parsed.Valid valid -> valid.machine();
            case Definitions.Parsed.Invalid invalid -> throw new AssertionError(invalid.diagnostics() + " in " + definition);
        };
    }

    private static Execution execution(StateMachine machine, long seed) {
        return Executions.of(machine, "app", "flow", "execution-" + seed, Trial.START);
    }

    @Test
    void aReplayGivesTheSameCommandsAndEveryStepOpensOnce() {
        int succeeded = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            RandomWorkflows random = new RandomWorkflows(seed);
            String definition = Json.text(random.definition());
            StateMachine machine = machine(definition);
            int redrives = (int) (seed % 4);
            String from = seed % 8 < 4 ? null : machine.startAt();
            Trial.Outcome outcome = Trial.run(execution(machine, seed), random.input(), random.grains(), redrives, from);
            succeeded += outcome.status() == Trial.Status.SUCCEEDED ? 1 : 0;

            // A second reading of the definition, as after a restart.
            Execution replay = execution(machine(definition), seed);
            replay.expect(outcome.signals());
            for (int i = 0; i < outcome.signals().size(); i++) {
                assertSame(replay.on(outcome.signals().get(i)), outcome.commands().get(i), seed);
            }
            assertThat(replay.isEnded()).isTrue();
            assertStepsOpenOnce(outcome, seed);
        }
        assertThat(succeeded).as("random workflows are worth running").isBetween(SEEDS / 4, SEEDS * 3 / 4);
    }

    private static void assertSame(List<Command> actual, List<Command> expected, long seed) {
        assertThat(actual.stream().map(ReplayTest::text).toList()).as("seed %s", seed)
                .isEqualTo(expected.stream().map(ReplayTest::text).toList());
    }

    private static void assertStepsOpenOnce(Trial.Outcome outcome, long seed) {
        Set<String> opened = new HashSet<>();
        for (List<Command> commands : outcome.commands()) {
            for (Command command : commands) {
                switch (command) {
                    case Command.RunTask task -> assertThat(opened.add(task.step())).as("%s, seed %s", task.step(), seed).isTrue();
                    case Command.StartTimer timer -> assertThat(opened.add(timer.step())).as("%s, seed %s", timer.step(), seed).isTrue();
                    case Command.CallObjects call -> assertThat(opened.add(call.step())).as("%s, seed %s", call.step(), seed).isTrue();
                    case Command.AwaitCallback await -> assertThat(opened.add(await.step())).as("%s, seed %s", await.step(), seed).isTrue();
                    default -> { }
                }
            }
        }
    }

    /** Payloads hold arrays, which are compared by identity. */
    private static String text(Command command) {
        return switch (command) {
            case Command.RunTask task -> "run " + task.step() + " " + task.resource() + " " + text(task.input()) + " " + task.timeoutMs();
            case Command.Succeed succeed -> "succeed " + text(succeed.output());
            default -> command.toString();
        };
    }

    private static String text(Payload payload) {
        return new String(payload.bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void lateAndDoubledSignalsChangeNothing() {
        for (long seed = 0; seed < 500; seed++) {
            RandomWorkflows random = new RandomWorkflows(seed);
            StateMachine machine = machine(Json.text(random.definition()));
            Trial.Outcome outcome = Trial.run(execution(machine, seed), random.input(), random.grains());
            Execution again = execution(machine, seed);
            for (int i = 0; i < outcome.signals().size(); i++) {
                assertSame(again.on(outcome.signals().get(i)), outcome.commands().get(i), seed);
                for (int late = 0; late <= i; late++) {
                    if (outcome.signals().get(late) instanceof Signal.Heartbeat) {
                        continue; // One more is one more sign of life.
                    }
                    assertThat(again.on(outcome.signals().get(late))).as("seed %s, signal %s again", seed, late).isEmpty();
                }
            }
        }
    }

    @Test
    void stoppingAbandonsExactlyWhatIsOpen() {
        for (long seed = 0; seed < 500; seed++) {
            RandomWorkflows random = new RandomWorkflows(seed);
            StateMachine machine = machine(Json.text(random.definition()));
            Trial.Outcome outcome = Trial.run(execution(machine, seed), random.input(), random.grains());
            int half = outcome.signals().size() / 2;
            Execution stopped = execution(machine, seed);
            Set<String> open = new HashSet<>();
            for (int i = 0; i <= half && !stopped.isEnded(); i++) {
                Signal signal = outcome.signals().get(i);
                switch (signal) {
                    case Signal.TaskSucceeded s -> open.remove(s.step());
                    case Signal.TaskFailed s -> open.remove(s.step());
                    case Signal.TimerFired s -> open.remove(s.step());
                    default -> { }
                }
                track(stopped.on(signal), open);
            }
            if (!stopped.isEnded()) {
                List<Command> end = stopped.on(new Signal.Stopped("Sand.Cancelled", "asked"));
                assertThat(end.getLast()).isEqualTo(new Command.Fail("Sand.Cancelled", "asked"));
                track(end, open);
            }
            assertThat(open).as("seed %s", seed).isEmpty();
        }
    }

    private static void track(List<Command> commands, Set<String> open) {
        for (Command command : commands) {
            switch (command) {
                case Command.RunTask task -> open.add(task.step());
                case Command.StartTimer timer -> open.add(timer.step());
                case Command.CallObjects call -> open.add(call.step());
                case Command.AwaitCallback await -> open.add(await.step());
                case Command.Abandon abandon -> assertThat(open.remove(abandon.step())).as(abandon.step()).isTrue();
                default -> { }
            }
        }
    }
}
