package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.Redrive;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.objects.ItemChunk;
import dev.sand.workflow.trial.Trial;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Executions that ended without success run on from the state that failed (AWS Step Functions, RedriveExecution). */
class RedriveTest {
    private static final long START = Trial.START_MS;
    private final List<Signal> given = new ArrayList<>();
    private final History history = new History();
    private Execution execution;

    private static Execution execution(String definition, History history) {
        return Executions.of(((Definitions.Parsed.Valid) Definitions.parse(definition)).machine(), "app", "flow",
                "01HZZZZZZZZZZZZZZZZZZZZZZZ", Trial.START, history);
    }

    private List<Command> start(String definition) {
        execution = execution(definition, history);
        return on(new Signal.Started(json("{\"n\": 1}"), START));
    }

    private List<Command> on(Signal signal) {
        given.add(signal);
        return execution.on(signal);
    }

    private List<Command> done(String step, String output) {
        return on(new Signal.TaskSucceeded(step, json(output), List.of(), START + 1));
    }

    private List<Command> failed(String step) {
        return on(new Signal.TaskFailed(step, "E", "because", START + 2));
    }

    private List<Command> redrive(int count, Status endedAs) {
        return on(new Signal.Redriven(new Redrive(count, endedAs, "E", "because", START + 10, START + 20)));
    }

    private static Payload json(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode output(List<Command> commands) throws IOException {
        return Json.read(((Command.Succeed) commands.getLast()).output().bytes());
    }

    private static List<String> steps(List<Command> commands) {
        return commands.stream().filter(Command.RunTask.class::isInstance).map(each -> ((Command.RunTask) each).step()).toList();
    }

    private List<String> types() {
        List<String> types = new ArrayList<>();
        history.page("", 0, 1000, false).forEach(event -> types.add(event.get("type").textValue()));
        return types;
    }

    private static final String TWO = """
            {"StartAt": "A", "States": {
              "A": {"Type": "Task", "Resource": "g", "ResultPath": "$.a", "Assign": {"v.$": "$"}, "Next": "B"},
              "B": {"Type": "Task", "Resource": "g", "ResultPath": "$.b", "Next": "C",
                "Retry": [{"ErrorEquals": ["E"], "MaxAttempts": 1}]},
              "C": {"Type": "Pass", "Parameters": {"a.$": "$.a", "b.$": "$.b", "v.$": "$v", "n.$": "$$.Execution.RedriveCount",
                "at.$": "$$.Execution.RedriveTime"}, "End": true}}}""";

    @Test
    void itRunsOnFromTheStateThatFailedWithTheResultsBeforeItAndRetriersAnew() throws IOException {
        start(TWO);
        done("A", "1");
        failed("B");
        on(new Signal.TimerFired("B>retry", START + 3));
        assertThat(failed("B#2").getLast()).isEqualTo(new Command.Fail("E", "because"));
        assertThat(execution.isEnded()).isTrue();
        assertThat(steps(redrive(1, Status.FAILED))).containsExactly("B#3");
        assertThat(failed("B#3")).containsExactly(new Command.StartTimer("B#3>retry", 1000));
        on(new Signal.TimerFired("B#3>retry", START + 21));
        JsonNode output = output(done("B#4", "2"));
        assertThat(output).isEqualTo(Json.read("{\"a\": 1, \"b\": 2, \"v\": 1, \"n\": 1, \"at\": \"2024-01-01T00:00:00.020Z\"}"));
        assertThat(types()).containsSubsequence("ExecutionFailed", "ExecutionRedriven", "LambdaFunctionScheduled", "ExecutionSucceeded");
        assertThat(types().stream().filter("TaskStateEntered"::equals)).hasSize(2);
    }

    private List<Command> redriveFrom(String state, int count) {
        return on(new Signal.Redriven(new Redrive(count, Status.FAILED, "E", "because", START + 10, START + 20, state)));
    }

    /** As a host replays it: what will be given is known from the beginning. */
    private void expect(String... states) {
        execution.expect(Stream.of(states).<Signal>map(state -> new Signal.Redriven(new Redrive(1, Status.FAILED, null, null, 0, 0, state)))
                .toList());
    }

    @Test
    void fromAStateThatIsNamedItIsEnteredAgainAndAReplayGivesTheSame() throws IOException {
        execution = execution(TWO, history);
        expect("A");
        on(new Signal.Started(json("{\"n\": 1}"), START));
        done("A", "1");
        on(new Signal.TaskFailed("B", "Other", null, START + 2));
        assertThat(steps(redriveFrom("A", 1))).containsExactly("A#2");
        assertThat(steps(done("A#2", "7"))).containsExactly("B#2");
        assertThat(on(new Signal.TaskFailed("B#2", "Other", null, START + 21))).contains(new Command.Fail("Other", null));
        assertThat(steps(redrive(2, Status.FAILED))).as("from the state that failed, of the second run").containsExactly("B#3");
        List<Command> end = done("B#3", "2");
        assertThat(output(end).path("a").intValue()).isEqualTo(7);
        assertThat(types().stream().filter("TaskStateEntered"::equals)).hasSize(4);
        List<Signal> kept = KeptSignals.decode(KeptSignals.encode(given, payload -> payload));
        assertThat(kept).usingRecursiveComparison().isEqualTo(given);
        Execution again = execution(TWO, null);
        again.expect(kept);
        List<Command> last = List.of();
        for (Signal signal : kept) {
            last = again.on(signal);
        }
        assertThat(output(last)).isEqualTo(output(end));
    }

    @Test
    void fromAStateThatItHasNotEnteredItFailsWithThatCause() {
        execution = execution(TWO, history);
        expect("C");
        on(new Signal.Started(json("{}"), START));
        on(new Signal.TaskFailed("A", "Other", null, START + 2));
        assertThat(redriveFrom("C", 1)).singleElement().isInstanceOfSatisfying(Command.Fail.class,
                fail -> assertThat(fail.cause()).contains("'C'"));
        assertThat(steps(redrive(2, Status.FAILED))).as("and is where it was").containsExactly("A#2");
    }

    @Test
    void statesThatMayBeBegunFromAreThoseOfTheWorkflowItself() throws IOException {
        String definition = """
                {"StartAt": "I", "States": {"I": {"Type": "Pass", "Next": "P"}, "P": {"Type": "Parallel", "Next": "Z", "Branches": [
                  {"StartAt": "X", "States": {"X": {"Type": "Task", "Resource": "g", "End": true}}}]},
                  "Z": {"Type": "Succeed"}}}""";
        start(definition);
        failed("P[0]/X");
        var machine = ((Definitions.Parsed.Valid) Definitions.parse(definition)).machine();
        assertThat(Executions.entered(machine, "e", START, given, PayloadSource.NONE)).containsExactly("I", "P");
    }

    @Test
    void ofPublishedEventsThoseOfStatesThatRunAgainAreNotSentAgain() {
        execution = execution("""
                {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "g", "Next": "B"}, "B": {"Type": "Task", "Resource": "g", "End": true}}}""",
                history);
        expect("B");
        on(new Signal.Started(json("{}"), START));
        on(new Signal.TaskSucceeded("A", json("1"), List.of(new Published("p", json("1"))), START + 1));
        on(new Signal.TaskSucceeded("B", json("1"), List.of(new Published("q", json("2"))), START + 1));
        assertThat(failed("B>publish[0]")).contains(new Command.Fail("E", "because"));
        List<Command> commands = redriveFrom("B", 1);
        assertThat(steps(commands)).containsExactly("A>publish[0]>redrive#1", "B#2");
        done("A>publish[0]>redrive#1", "null");
        assertThat(done("B#2", "3").getLast()).as("it had ended, and ends again").isInstanceOf(Command.Succeed.class);
    }

    @Test
    void aReplayOfWhatIsKeptGivesTheSame() throws IOException {
        start(TWO);
        done("A", "1");
        on(new Signal.TaskFailed("B", "Other", null, START + 2));
        redrive(1, Status.FAILED);
        List<Command> end = done("B#2", "2");
        List<Signal> kept = KeptSignals.decode(KeptSignals.encode(given, payload -> payload));
        assertThat(kept).usingRecursiveComparison().isEqualTo(given);
        Execution again = execution(TWO, null);
        List<Command> last = List.of();
        for (Signal signal : kept) {
            last = again.on(signal);
        }
        assertThat(output(last)).isEqualTo(output(end));
        assertThat(KeptSignals.before(1, kept, NOTHING)).isEqualTo(kept.subList(0, 3));
        assertThat(KeptSignals.before(2, kept, NOTHING)).isEqualTo(kept);
    }

    @Test
    void whatIsNotKeptWholeIsNoBeginning() {
        Payload large = Payload.json(Json.bytes(Json.NODES.textNode("x".repeat(KeptSignals.VALUE_BYTES))));
        List<Signal> signals = List.of(new Signal.Started(json("1"), 1), new Signal.TaskSucceeded("A", large, List.of(), 2));
        assertThat(KeptSignals.before(1, signals, NOTHING)).isEqualTo(signals);
        Payload size = new Payload(large.contentType(), null, new Payload.Reference("", large.size()));
        assertThat(KeptSignals.before(1, List.of(signals.getFirst(), new Signal.TaskSucceeded("A", size, List.of(), 2)), NOTHING)).isNull();
    }

    @Test
    void aLargeValueThatIsKeptBesideIsFoundByItsPlace() throws IOException {
        List<Signal> signals = List.of(new Signal.Started(large("in"), 1), new Signal.TimerFired("W", 2),
                new Signal.TaskSucceeded("A", json("1"), List.of(new Published("p", json("2")), new Published("q", large("q"))), 3));
        Map<String, Payload> large = KeptSignals.large(signals);
        assertThat(large).containsExactly(Map.entry("0", large("in")), Map.entry("2.1", large("q")));
        List<Signal> kept = KeptSignals.decode(KeptSignals.encode(signals, payload -> payload));
        assertThat(KeptSignals.before(1, kept, (name, size) -> large.get(name))).usingRecursiveComparison().isEqualTo(signals);
        assertThat(KeptSignals.before(1, kept, (name, size) -> name.equals("0") ? large.get(name) : null)).isNull();
    }

    private static final KeptSignals.LargeValues NOTHING = (name, size) -> null;

    private static Payload large(String object) {
        return new Payload(Payload.JSON, null, new Payload.Reference(object, KeptSignals.VALUE_BYTES + 1));
    }

    @Test
    void ofAParallelTheBranchesThatHadNotSucceededRunOn() throws IOException {
        start("""
                {"StartAt": "P", "States": {"P": {"Type": "Parallel", "End": true, "Branches": [
                  {"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "g", "End": true}}},
                  {"StartAt": "U", "States": {"U": {"Type": "Task", "Resource": "g", "Assign": {"u.$": "$"}, "Next": "V"},
                    "V": {"Type": "Task", "Resource": "g", "Next": "X"}, "X": {"Type": "Pass", "Parameters": {"u.$": "$u"}, "End": true}}},
                  {"StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": 9, "End": true}}}]}}}""");
        done("P[0]/T", "1");
        done("P[1]/U", "2");
        failed("P[1]/V");
        List<Command> commands = redrive(1, Status.FAILED);
        assertThat(steps(commands)).containsExactly("P[1]/V#2");
        assertThat(commands).contains(new Command.StartTimer("P[2]/W#2", 9000));
        assertThat(done("P[1]/V", "0")).as("its first attempt is over").isEmpty();
        done("P[1]/V#2", "3");
        assertThat(output(on(new Signal.TimerFired("P[2]/W#2", START + 30)))).isEqualTo(Json.read("[1, {\"u\": 2}, {\"n\": 1}]"));
        assertThat(types().stream().filter(type -> type.startsWith("ParallelState"))).containsExactly("ParallelStateEntered",
                "ParallelStateStarted", "ParallelStateFailed", "ParallelStateSucceeded", "ParallelStateExited");
    }

    @Test
    void ofAMapTheIterationsThatHadNotSucceededOrBegunDo() throws IOException {
        execution = execution("""
                {"StartAt": "M", "States": {"M": {"Type": "Map", "End": true, "MaxConcurrency": 2, "ItemProcessor": {"StartAt": "T",
                  "States": {"T": {"Type": "Task", "Resource": "g", "End": true}}}}}}""", history);
        on(new Signal.Started(json("[1, 2, 3, 4]"), START));
        done("M[0]/T", "10");
        failed("M[1]/T");
        assertThat(steps(redrive(1, Status.FAILED))).containsExactly("M[1]/T#2", "M[2]/T#2");
        failed("M[2]/T#2");
        assertThat(steps(redrive(2, Status.FAILED))).containsExactly("M[1]/T#3", "M[2]/T#3");
        done("M[2]/T#3", "30");
        done("M[1]/T#3", "20");
        assertThat(output(done("M[3]/T", "40"))).isEqualTo(Json.read("[10, 20, 30, 40]"));
    }

    private static String distributed(String type, String more) {
        return """
                {"StartAt": "M", "States": {"M": {"Type": "Map", "End": true, %s "ItemProcessor": {
                  "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "%s"}, "StartAt": "T", "States": {
                  "T": {"Type": "Task", "Resource": "g", "Next": "U"}, "U": {"Type": "Task", "Resource": "g", "End": true}}}}}}""".formatted(more, type);
    }

    @Test
    void ofADistributedMapTheIterationsThatFailedWereGivenUpOrHadNotBegunDo() throws IOException {
        execution = execution(distributed("STANDARD", "\"MaxConcurrency\": 2, \"ToleratedFailureCount\": 1,"), history);
        on(new Signal.Started(json("[1, 2, 3, 4, 5]"), START));
        done("M[0]/T", "10");
        done("M[0]/U", "11");
        failed("M[1]/T");
        done("M[2]/T", "30");
        done("M[3]/T", "40");
        assertThat(failed("M[3]/U").getLast()).isInstanceOf(Command.Fail.class);
        assertThat(steps(redrive(1, Status.FAILED))).as("two at once, those that ran first").containsExactly("M[2]/U#2", "M[1]/T#2");
        assertThat(steps(done("M[2]/U#2", "31"))).containsExactly("M[3]/U#2");
        done("M[1]/T#2", "20");
        assertThat(steps(done("M[1]/U", "21"))).as("it had not begun before").containsExactly("M[4]/T");
        done("M[3]/U#2", "41");
        done("M[4]/T", "50");
        assertThat(output(done("M[4]/U", "51"))).isEqualTo(Json.read("[11, 21, 31, 41, 51]"));
        assertThat(types()).containsSubsequence("MapRunFailed", "ExecutionRedriven", "MapRunRedriven", "MapRunSucceeded");
        assertThat(history.page("M[1]", 0, 100, false).findValuesAsText("type")).containsSubsequence("ExecutionFailed", "ExecutionRedriven",
                "ExecutionSucceeded");
        assertThat(history.page("M[2]", 0, 100, false).findValuesAsText("type")).containsSubsequence("ExecutionAborted", "ExecutionRedriven",
                "ExecutionSucceeded");
    }

    @Test
    void itsExpressIterationsBeginAnew() throws IOException {
        execution = execution(distributed("EXPRESS", ""), history);
        on(new Signal.Started(json("[1]"), START));
        done("M[0]/T", "10");
        failed("M[0]/U");
        assertThat(steps(redrive(1, Status.FAILED))).containsExactly("M[0]/T#2");
        done("M[0]/T#2", "11");
        assertThat(output(done("M[0]/U#2", "12"))).isEqualTo(Json.read("[12]"));
    }

    @Test
    void aFailureThatIsRedrivenCountsNoMoreUntilItFailsAgain() {
        execution = execution(distributed("STANDARD", "\"ToleratedFailureCount\": 1,"), history);
        on(new Signal.Started(json("[1, 2, 3]"), START));
        failed("M[0]/T");
        failed("M[1]/T");
        redrive(1, Status.FAILED);
        assertThat(failed("M[0]/T#2")).isEmpty();
        assertThat(failed("M[2]/T#2").getLast()).isInstanceOf(Command.Fail.class);
        assertThat(steps(redrive(2, Status.FAILED))).containsExactlyInAnyOrder("M[0]/T#3", "M[1]/T#3", "M[2]/T#3");
    }

    @Test
    void whatWasBeingReadOrWrittenIsReadAndWrittenAgain() {
        execution = execution(distributed("STANDARD", """
                "ItemReader": {"Resource": "sand:object:get", "Parameters": {"Key": "k"}, "ReaderConfig": {"InputType": "JSON"}},
                "ResultWriter": {"Resource": "sand:object:put", "Parameters": {"Prefix": "out"}},"""), history);
        List<Command> first = on(new Signal.Started(json("{}"), START));
        Command.CallObjects read = (Command.CallObjects) first.getFirst();
        List<Command> again = redrive(1, Status.CANCELLED);
        assertThat(again.stream().filter(Command.CallObjects.class::isInstance).map(each -> ((Command.CallObjects) each).call()))
                .containsExactly(read.call());
        Command.CallObjects second = (Command.CallObjects) again.stream().filter(Command.CallObjects.class::isInstance).findFirst().orElseThrow();
        ItemChunk chunk = new ItemChunk(1, 3, null, null, true, List.of(), List.of(Json.NODES.numberNode(7)));
        done(second.step(), Json.text(chunk.json()));
        done("M[0]/T", "1");
        Command.CallObjects write = (Command.CallObjects) done("M[0]/U", "2").getLast();
        on(new Signal.TaskFailed(write.step(), "E", "full", START + 5));
        Command.CallObjects rewrite = (Command.CallObjects) redrive(2, Status.FAILED).getLast();
        assertThat(rewrite.step()).isNotEqualTo(write.step());
        assertThat(rewrite.call()).usingRecursiveComparison().isEqualTo(write.call());
    }

    @Test
    void aParallelWhoseRetriersGaveUpBeginsItsRetriesAnew() {
        start("""
                {"StartAt": "P", "States": {"P": {"Type": "Parallel", "End": true, "Retry": [{"ErrorEquals": ["E"], "MaxAttempts": 1}],
                  "Branches": [{"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "g", "End": true}}}]}}}""");
        failed("P[0]/T");
        on(new Signal.TimerFired("P>retry", START + 3));
        failed("P#2[0]/T");
        assertThat(steps(redrive(1, Status.FAILED))).containsExactly("P#2[0]/T#2");
        assertThat(failed("P#2[0]/T#2")).containsExactly(new Command.StartTimer("P#2>retry", 1000));
    }

    @Test
    void oneThatItsDriverEndedAbandonsWhatWasOpenAndWaitsAnew() {
        start("""
                {"StartAt": "P", "TimeoutSeconds": 60, "States": {"P": {"Type": "Parallel", "End": true, "Branches": [
                  {"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "g", "End": true}}},
                  {"StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": 9, "End": true}}}]}}}""");
        List<Command> commands = redrive(1, Status.CANCELLED);
        assertThat(commands).contains(new Command.Abandon("P[0]/T"), new Command.Abandon("P[1]/W"), new Command.Abandon(">timeout"),
                new Command.StartTimer(">timeout#1", 60_000), new Command.StartTimer("P[1]/W#2", 9000));
        assertThat(commands).noneMatch(Command.Fail.class::isInstance);
        assertThat(types()).containsSubsequence("ExecutionAborted", "ExecutionRedriven", "LambdaFunctionScheduled");
        assertThat(history.page("", 0, 1000, false).findValue("executionAbortedEventDetails")).isEqualTo(
                Json.NODES.objectNode().put("error", "E").put("cause", "because"));
    }

    @Test
    void itsOwnTimeBeginsAnew() {
        start("{\"StartAt\": \"W\", \"TimeoutSeconds\": 60, \"States\": {\"W\": {\"Type\": \"Wait\", \"Seconds\": 90, \"End\": true}}}");
        on(new Signal.TimerFired(">timeout", START + 60_000));
        assertThat(execution.isTimedOut()).isTrue();
        assertThat(redrive(1, Status.TIMED_OUT)).containsExactly(new Command.StartTimer(">timeout#1", 60_000),
                new Command.StartTimer("W#2", 90_000));
        assertThat(execution.isEnded() || execution.isTimedOut()).isFalse();
    }

    @Test
    void publishedEventsThatHadNotSucceededRunAgain() throws IOException {
        start("{\"StartAt\": \"T\", \"States\": {\"T\": {\"Type\": \"Task\", \"Resource\": \"g\", \"End\": true}}}");
        on(new Signal.TaskSucceeded("T", json("1"), List.of(new Published("p", json("2")), new Published("q", json("3"))), START));
        done("T>publish[0]", "null");
        failed("T>publish[1]");
        assertThat(steps(redrive(1, Status.FAILED))).containsExactly("T>publish[1]>redrive#1");
        assertThat(output(done("T>publish[1]>redrive#1", "null"))).isEqualTo(Json.read("1"));
    }

    @Test
    void oneThatSucceededOrWasRedrivenAlreadyIsNot() {
        start("{\"StartAt\": \"T\", \"States\": {\"T\": {\"Type\": \"Task\", \"Resource\": \"g\", \"End\": true}}}");
        failed("T");
        redrive(1, Status.FAILED);
        assertThat(redrive(1, Status.FAILED)).isEmpty();
        done("T#2", "1");
        assertThat(redrive(2, Status.FAILED)).isEmpty();
        assertThat(execution.isEnded()).isTrue();
    }
}
