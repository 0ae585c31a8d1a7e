package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.event.Errors;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.trial.Trial;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AslExecutionTest {
    private static final String TWO_TASKS = """
            {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "a", "Next": "B"},
             "B": {"Type": "Task", "Resource": "b", "End": true}}}""";

    private static AslExecution execution(String definition, PayloadSource source) {
        return switch (Definitions.parse(definition)) {
            case Definitions.Parsed.Valid valid ->
                    new AslExecution(valid.machine(), "app", "flow", "id", Trial.START_MS, source, TaskTokens.ofTrial(), null, Quotas.NONE);
            case Definitions.Parsed.Invalid invalid -> throw new AssertionError(invalid.diagnostics().toString());
        };
    }

    private static AslExecution execution(String definition) {
        return execution(definition, PayloadSource.NONE);
    }

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Payload reference() {
        return new Payload(Payload.JSON, null, new Payload.Reference("object-1", 100_000));
    }

    private static Signal succeeded(String step, String output, Published... published) {
        return new Signal.TaskSucceeded(step, json(output), List.of(published));
    }

    @Test
    void aValueThatNoPathLooksIntoIsNeverParsed() {
        AslExecution execution = execution(TWO_TASKS);
        Payload noJson = new Payload("image/png", new byte[] {(byte) 0x89, 'P'}, null);
        assertThat(execution.on(new Signal.Started(noJson))).containsExactly(new Command.RunTask("A", "a", noJson, 0));
        Payload broken = json("{not json");
        assertThat(execution.on(new Signal.TaskSucceeded("A", broken, List.of())))
                .containsExactly(new Command.RunTask("B", "b", broken, 0));
        assertThat(execution.on(new Signal.TaskSucceeded("B", noJson, List.of()))).containsExactly(new Command.Succeed(noJson));
    }

    /** A service's answer is JSON around what the function gave. */
    @Test
    void whatCannotStandInAServicesAnswerFailsTheState() {
        String definition = """
                {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke",
                 "Parameters": {"FunctionName": "f"}, "End": true}}}""";
        for (Payload result : List.of(new Payload("application/octet-stream", new byte[] {0, -1}, null), json("{not json"))) {
            AslExecution execution = execution(definition);
            execution.on(new Signal.Started(json("{}")));
            Command last = execution.on(new Signal.TaskSucceeded("A", result, List.of())).getLast();
            assertThat(((Command.Fail) last).error()).isEqualTo("States.Runtime");
        }
    }

    @Test
    void whatAnExecutionEndsWithIsNoLongerThanOthersCanBear() {
        String definition = """
                {"StartAt": "F", "States": {"F": {"Type": "Fail", "ErrorPath": "$.e", "CausePath": "$.c"}}}""";
        String input = "{\"e\": \"" + "E".repeat(300) + "\", \"c\": \"" + "\uD83D\uDE48".repeat(40_000) + "\"}";
        Command.Fail end = (Command.Fail) execution(definition).on(new Signal.Started(json(input))).getLast();
        assertThat(end.error()).isEqualTo("E".repeat(256) + "…");
        assertThat(end.cause()).isEqualTo("\uD83D\uDE48".repeat(32_768) + "…");
    }

    @Test
    void aNumberWhoseExponentNoEngineReckonsWithIsNoJson() {
        for (String text : List.of("1e1000000000", "[-1E-1000000001]", "{\"a\": 1e99999999999999999999}")) {
            assertThatThrownBy(() -> Json.read(text)).isInstanceOf(IOException.class).hasMessageContaining("more than 9 digits");
        }
        assertThatCode(() -> Json.read("1e999999999")).doesNotThrowAnyException();
    }

    @Test
    void aValueNestedTooDeepIsToldTheLimitAndItsDepth() {
        String definition = """
                {"StartAt": "A", "States": {"A": {"Type": "Pass", "InputPath": "$.x", "End": true}}}""";
        Command last = execution(definition).on(new Signal.Started(json("[".repeat(300) + "]".repeat(300)))).getLast();
        assertThat(((Command.Fail) last).error()).isEqualTo("States.DataLimitExceeded");
        assertThat(((Command.Fail) last).cause()).contains("300 levels deep", "the limit is 200").doesNotContain("Stream");
    }

    /** Each round puts the whole document below itself; a tree of a thousand levels could not even be written. */
    @Test
    void aDocumentThatGrowsDownwardsEndsAtTheLimit() {
        String place = """
                {"StartAt": "A", "States": {"A": {"Type": "Pass", "ResultPath": "$.a", "Next": "C"},
                  "C": {"Type": "Choice", "Default": "A", "Choices": [
                    {"Variable": "$.never", "IsPresent": true, "Next": "E"}]}, "E": {"Type": "Succeed"}}}""";
        assertThat(failure(execution(place), json("{}"))).contains("201 levels deep", "limit of 200");
        String join = """
                {"StartAt": "P", "States": {"P": {"Type": "Parallel", "Next": "P", "Branches": [
                  {"StartAt": "B", "States": {"B": {"Type": "Pass", "End": true}}}],
                  "Catch": [{"ErrorEquals": ["never"], "Next": "E"}]}, "E": {"Type": "Succeed"}}}""";
        assertThat(failure(execution(join), json("{}"))).contains("201 levels deep", "limit of 200");
    }

    private static String failure(AslExecution execution, Payload input) {
        List<Command> commands = execution.on(new Signal.Started(input));
        for (int i = 0; i < 1_000 && commands.getLast() instanceof Command.StartTimer timer; i++) {
            commands = execution.on(new Signal.TimerFired(timer.step()));
        }
        return ((Command.Fail) commands.getLast()).cause();
    }

    @Test
    void aReferencePassesThroughWhole() {
        AslExecution execution = execution(TWO_TASKS);
        Payload reference = reference();
        execution.on(new Signal.Started(json("1")));
        assertThat(execution.on(new Signal.TaskSucceeded("A", reference, List.of())))
                .containsExactly(new Command.RunTask("B", "b", reference, 0));
    }

    @Test
    void aPathIntoAReferenceFailsClearlyUnlessItsBytesCanBeHad() {
        String definition = """
                {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "a", "InputPath": "$.x", "End": true}}}""";
        Command last = execution(definition).on(new Signal.Started(reference())).getLast();
        assertThat(((Command.Fail) last).error()).isEqualTo("States.DataLimitExceeded");
        assertThat(((Command.Fail) last).cause()).contains("100000 bytes", "by reference");

        AslExecution resolving = execution(definition, payload -> "{\"x\": 7}".getBytes(StandardCharsets.UTF_8));
        assertThat(resolving.isHeavy(new Signal.Started(reference()))).isTrue();
        Command.RunTask run = (Command.RunTask) resolving.on(new Signal.Started(reference())).getFirst();
        assertThat(new String(run.input().bytes(), StandardCharsets.UTF_8)).isEqualTo("7");
    }

    @Test
    void aSignalIsHeavyWhenALargeDocumentMayBeParsed() {
        String looking = """
                {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "a", "ResultPath": "$.r", "End": true}}}""";
        Payload large = json("\"" + "x".repeat(20_000) + "\"");
        assertThat(execution(looking).isHeavy(new Signal.Started(large))).isTrue();
        assertThat(execution(looking).isHeavy(new Signal.Started(json("1")))).isFalse();
        assertThat(execution(TWO_TASKS).isHeavy(new Signal.Started(large))).isFalse();
        AslExecution execution = execution(looking);
        execution.on(new Signal.Started(json("{}")));
        assertThat(execution.isHeavy(new Signal.TaskSucceeded("A", large, List.of()))).isTrue();
        assertThat(execution.isHeavy(succeeded("A", "1"))).isFalse();
    }

    @Test
    void aPublishedEventJoinsWithoutHoldingTheMachineUp() {
        AslExecution execution = execution(TWO_TASKS);
        execution.on(new Signal.Started(json("1")));
        List<Command> next = execution.on(succeeded("A", "2", new Published("audit", json("3"))));
        assertThat(next).extracting(Object::toString).hasSize(2).allMatch(text -> text.startsWith("RunTask"));
        assertThat(((Command.RunTask) next.get(0)).step()).isEqualTo("A>publish[0]");
        assertThat(((Command.RunTask) next.get(1)).step()).isEqualTo("B");
        assertThat(execution.on(succeeded("B", "4"))).isEmpty();
        Command end = execution.on(succeeded("A>publish[0]", "5")).getFirst();
        assertThat(new String(((Command.Succeed) end).output().bytes(), StandardCharsets.UTF_8)).isEqualTo("4");
    }

    @Test
    void aPublishedEventThatFailsFailsTheExecution() {
        AslExecution execution = execution(TWO_TASKS);
        execution.on(new Signal.Started(json("1")));
        execution.on(succeeded("A", "2", new Published("audit", json("3"))));
        assertThat(execution.on(new Signal.TaskFailed("A>publish[0]", "Boom", "why")))
                .contains(new Command.Abandon("B"), new Command.Fail("Boom", "why"));
        assertThat(execution.isEnded()).isTrue();
    }

    @Test
    void thePlatformsTimeoutIsTheLanguagesWhichTellsNoCause() {
        AslExecution execution = execution(TWO_TASKS);
        execution.on(new Signal.Started(json("1")));
        assertThat(execution.on(new Signal.TaskFailed("A", Errors.TIMEOUT, "too long")))
                .containsExactly(new Command.Fail("States.Timeout", null));
    }

    @Test
    void aFailedBranchAbandonsTheOthersAtAnyDepth() {
        AslExecution execution = execution("""
                {"StartAt": "P", "States": {"P": {"Type": "Parallel", "End": true, "Branches": [
                  {"StartAt": "X", "States": {"X": {"Type": "Task", "Resource": "x", "End": true}}},
                  {"StartAt": "Q", "States": {"Q": {"Type": "Parallel", "End": true, "Branches": [
                    {"StartAt": "Y", "States": {"Y": {"Type": "Task", "Resource": "y", "End": true}}},
                    {"StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": 9, "End": true}}}]}}}]}}}""");
        assertThat(execution.on(new Signal.Started(json("1")))).hasSize(3);
        assertThat(execution.on(new Signal.TaskFailed("P[0]/X", "E", "c"))).containsExactly(
                new Command.Abandon("P[1]/Q[0]/Y"), new Command.Abandon("P[1]/Q[1]/W"), new Command.Fail("E", "c"));
    }

    @Test
    void aWideMapIsStartedInPartsThatHoldNobodyUp() {
        AslExecution execution = execution("""
                {"StartAt": "M", "States": {"M": {"Type": "Map", "End": true, "ItemProcessor":
                  {"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "t", "End": true}}}}}}""");
        String items = IntStream.range(0, 1000).mapToObj(String::valueOf).collect(Collectors.joining(",", "[", "]"));
        List<Command> commands = execution.on(new Signal.Started(json(items)));
        int started = 0;
        while (!execution.isEnded()) {
            assertThat(commands.size()).isLessThanOrEqualTo(33);
            started += (int) commands.stream().filter(Command.RunTask.class::isInstance).count();
            if (commands.isEmpty() || !(commands.getLast() instanceof Command.StartTimer timer)) {
                break;
            }
            assertThat(timer.delayMs()).isZero();
            commands = execution.on(new Signal.TimerFired(timer.step()));
        }
        assertThat(started).isEqualTo(1000);
        for (int i = 999; i > 0; i--) {
            assertThat(execution.on(succeeded("M[" + i + "]/T", String.valueOf(i)))).isEmpty();
        }
        Command end = execution.on(succeeded("M[0]/T", "0")).getLast();
        assertThat(new String(((Command.Succeed) end).output().bytes(), StandardCharsets.UTF_8)).isEqualTo(items);
    }

    @Test
    void aLoopWithoutAnEndIsEnded() {
        AslExecution execution = execution("""
                {"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Choice", "Default": "A",
                  "Choices": [{"Variable": "$.x", "IsPresent": true, "Next": "C"}]}, "C": {"Type": "Succeed"}}}""");
        List<Command> commands = execution.on(new Signal.Started(json("{}")));
        while (!execution.isEnded()) {
            commands = execution.on(new Signal.TimerFired(((Command.StartTimer) commands.getLast()).step()));
        }
        assertThat(((Command.Fail) commands.getLast()).error()).isEqualTo("States.Runtime");
    }

    @Test
    void templatesThatMultiplyTheirInputAreStoppedAndLeaveTheShard() {
        String states = IntStream.range(0, 12).mapToObj(i -> "\"S" + i + "\": {\"Type\": \"Pass\", \"Parameters\": {"
                + IntStream.range(0, 10).mapToObj(j -> "\"f" + j + ".$\": \"$\"").collect(Collectors.joining(","))
                + "}, " + (i == 11 ? "\"End\": true" : "\"Next\": \"S" + (i + 1) + "\"") + "}").collect(Collectors.joining(","));
        AslExecution execution = execution("{\"StartAt\": \"S0\", \"States\": {" + states + "}}");
        Signal signal = new Signal.Started(json("{\"a\": \"some text\"}"));
        boolean wasHeavy = false;
        List<Command> commands = List.of();
        while (!execution.isEnded()) {
            wasHeavy |= execution.isHeavy(signal);
            commands = execution.on(signal);
            if (commands.getLast() instanceof Command.StartTimer timer) {
                signal = new Signal.TimerFired(timer.step());
            }
        }
        assertThat(wasHeavy).isTrue();
        assertThat(((Command.Fail) commands.getLast()).error()).isEqualTo("States.DataLimitExceeded");
    }

    @Test
    void deeplyNestedInputFailsOnlyWhereItIsLookedInto() {
        Payload deep = json("[".repeat(100_000) + "]".repeat(100_000));
        assertThat(execution(TWO_TASKS).on(new Signal.Started(deep))).hasSize(1);
        Command last = execution("""
                {"StartAt": "A", "States": {"A": {"Type": "Pass", "InputPath": "$.x", "End": true}}}""")
                .on(new Signal.Started(deep)).getLast();
        assertThat(((Command.Fail) last).error()).isEqualTo("States.DataLimitExceeded");
    }
}
