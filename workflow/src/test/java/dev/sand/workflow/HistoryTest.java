package dev.sand.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.asl.Definitions;
import dev.sand.workflow.data.Json;
import dev.sand.workflow.trial.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The history that kept signals give. Expected orders: AWS Step Functions API Reference, GetExecutionHistory. */
class HistoryTest {
    private static final String ID = "01HZZZZZZZZZZZZZZZZZZZZZZZ";

    private static Execution execution(String definition, History history) {
        return Executions.of(((Definitions.Parsed.Valid) Definitions.parse(definition)).machine(), "app", "flow", ID, Trial.START, history);
    }

    private static History history(String definition, String input, String grains) throws IOException {
        List<Signal> signals = Trial.run(execution(definition, null), Json.read(input), Json.read(grains)).signals();
        History history = new History();
        Execution again = execution(definition, history);
        KeptSignals.decode(KeptSignals.encode(signals, payload -> payload)).forEach(again::on);
        return history;
    }

    @Test
    void whatIsTriedAgainForEverEndsThoughNoHistoryIsFull() throws IOException {
        Execution execution = execution("""
                {"StartAt": "S", "States": {"S": {"Type": "Task", "Resource": "g", "Retry": [
                  {"ErrorEquals": ["States.ALL"], "MaxAttempts": 99999999, "BackoffRate": 1}], "End": true}}}""", null);
        Trial.Outcome outcome = Trial.run(execution, Json.read("{}"), Json.read("{\"g\": {\"raise\": {\"error\": \"E\"}}}"));
        assertThat(outcome.error()).isEqualTo("States.Runtime");
        assertThat(outcome.cause()).endsWith("states that it may enter (250000).");
    }

    private static List<String> types(History history, String run) {
        List<String> types = new ArrayList<>();
        for (JsonNode event : history.page(run, 0, 1000, false)) {
            assertThat(event.get("id").longValue()).as("ids have no gap").isEqualTo(types.size() + 1L);
            types.add(event.get("type").textValue());
        }
        return types;
    }

    @Test
    void eachAttemptOfATaskIsScheduledAgain() throws IOException {
        History history = history("""
                {"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "g", "Retry": [{"ErrorEquals": ["E"]}], "End": true}}}""",
                "{}", "{\"g\": [{\"raise\": {\"error\": \"E\", \"cause\": \"c\"}}, {\"return\": 1}]}");
        assertThat(types(history, "")).containsExactly("ExecutionStarted", "TaskStateEntered", "LambdaFunctionScheduled",
                "LambdaFunctionStarted", "LambdaFunctionFailed", "LambdaFunctionScheduled", "LambdaFunctionStarted",
                "LambdaFunctionSucceeded", "TaskStateExited", "ExecutionSucceeded");
        JsonNode failed = history.page("", 4, 1, false).get(0);
        assertThat(failed.get("lambdaFunctionFailedEventDetails")).isEqualTo(Json.read("{\"error\": \"E\", \"cause\": \"c\"}"));
        assertThat(failed.get("timestamp").textValue()).startsWith("2024-01-01T00:00:00");
    }

    @Test
    void aTimeOutOfTheWholeHasAnErrorAndNoCause() throws IOException {
        History history = history("""
                {"TimeoutSeconds": 3, "StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": 25, "End": true}}}""", "{}", "{}");
        assertThat(history.page("", 2, 1, false).get(0).get("executionTimedOutEventDetails"))
                .isEqualTo(Json.read("{\"error\": \"States.Timeout\"}"));
    }

    /** localstack/localstack, v2/credentials/test_credentials_base, test_cross_account_lambda_task, as recorded on AWS on 2024-12-04. */
    @Test
    void aTaskThatIsScheduledHasTheRoleOfItsCredentials() throws IOException {
        History history = history("""
                {"StartAt": "S", "States": {"S": {"Type": "Task", "Resource": "g", "Credentials": {"RoleArn.$": "$.role"}, "End": true}}}""",
                "{\"role\": \"arn:x\"}", "{}");
        assertThat(history.page("", 2, 1, false).get(0).at("/lambdaFunctionScheduledEventDetails/taskCredentials"))
                .isEqualTo(Json.read("{\"roleArn\": \"arn:x\"}"));
    }

    @Test
    void aLongCauseIsTheSameForAllWhoAreToldOfIt() throws IOException {
        History history = history("""
                {"StartAt": "P", "States": {"P": {"Type": "Parallel", "Branches": [{"StartAt": "T",
                    "States": {"T": {"Type": "Task", "Resource": "g", "End": true}}}], "End": true}}}""", "{}",
                "{\"g\": {\"raise\": {\"error\": \"" + "E".repeat(300) + "\", \"cause\": \"" + "c".repeat(40_000) + "\"}}}");
        List<JsonNode> told = new ArrayList<>();
        for (JsonNode event : history.page("", 0, 1000, false)) {
            event.properties().stream().filter(member -> member.getKey().endsWith("FailedEventDetails")).forEach(member -> told.add(member.getValue()));
        }
        assertThat(told).hasSize(2).allMatch(details -> details.get("error").textValue().equals("E".repeat(256) + "…")
                && details.get("cause").textValue().equals("c".repeat(32_768) + "…"));
    }

    @Test
    void aMapTellsItsIterations() throws IOException {
        History history = history("""
                {"StartAt": "M", "States": {"M": {"Type": "Map", "MaxConcurrency": 1, "ItemProcessor": {"StartAt": "P",
                    "States": {"P": {"Type": "Pass", "End": true}}}, "End": true}}}""", "[1, 2]", "{}");
        assertThat(types(history, "")).containsExactly("ExecutionStarted", "MapStateEntered", "MapStateStarted", "MapIterationStarted",
                "PassStateEntered", "PassStateExited", "MapIterationSucceeded", "MapIterationStarted", "PassStateEntered",
                "PassStateExited", "MapIterationSucceeded", "MapStateSucceeded", "MapStateExited", "ExecutionSucceeded");
        assertThat(history.page("", 2, 1, false).get(0).at("/mapStateStartedEventDetails/length").intValue()).isEqualTo(2);
    }

    @Test
    void anIterationOfADistributedMapHasAHistoryOfItsOwn() throws IOException {
        History history = history("""
                {"StartAt": "M", "States": {"M": {"Type": "Map", "ItemProcessor": {"ProcessorConfig": {"Mode": "DISTRIBUTED",
                    "ExecutionType": "STANDARD"}, "StartAt": "P", "States": {"P": {"Type": "Pass", "End": true}}}, "End": true}}}""", "[1, 2]", "{}");
        assertThat(types(history, "")).containsExactly("ExecutionStarted", "MapStateEntered", "MapStateStarted", "MapRunStarted",
                "MapRunSucceeded", "MapStateSucceeded", "MapStateExited", "ExecutionSucceeded");
        assertThat(types(history, "M[1]")).containsExactly("ExecutionStarted", "PassStateEntered", "PassStateExited", "ExecutionSucceeded");
    }

    @Test
    void oneThatWasStoppedIsAborted() throws IOException {
        History history = new History();
        Execution execution = execution("""
                {"StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": 60, "End": true}}}""", history);
        execution.on(new Signal.Started(Payload.json(new byte[] {'1'}), Trial.START_MS));
        execution.on(new Signal.Stopped("Enough", "asked", Trial.START_MS + 5));
        assertThat(types(history, "")).containsExactly("ExecutionStarted", "WaitStateEntered", "ExecutionAborted");
        assertThat(history.page("", 2, 1, false).get(0).get("executionAbortedEventDetails"))
                .isEqualTo(Json.read("{\"error\": \"Enough\", \"cause\": \"asked\"}"));
    }

    @Test
    void aValueThatIsTooLargeToKeepIsSaidToBeTruncated() throws IOException {
        Payload large = Payload.json(Json.bytes(Json.NODES.textNode("x".repeat(KeptSignals.VALUE_BYTES))));
        List<Signal> kept = KeptSignals.decode(KeptSignals.encode(List.of(new Signal.Started(large, 1)), payload -> payload));
        History history = new History();
        execution("{\"StartAt\": \"S\", \"States\": {\"S\": {\"Type\": \"Succeed\"}}}", history).on(kept.getFirst());
        assertThat(history.page("", 0, 1, false).get(0).at("/executionStartedEventDetails/inputDetails/truncated").booleanValue()).isTrue();
    }

    /** The vectors of event/vectors/history, which the Python engine runs too. */
    @TestFactory
    Stream<DynamicTest> eventsFollowEachOtherAsOnAws() throws IOException {
        List<JsonNode> vectors = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("..", "event", "vectors", "history"))) {
            for (Path file : files.sorted().toList()) {
                Json.read(Files.readAllBytes(file)).get("vectors").forEach(vectors::add);
            }
        }
        return vectors.stream().map(vector -> DynamicTest.dynamicTest(vector.get("name").textValue(), () -> {
            JsonNode grains = vector.path("grains");
            History history = history(vector.get("definition").toString(), vector.get("input").toString(),
                    grains.isMissingNode() ? "{}" : grains.toString());
            List<String> lines = new ArrayList<>();
            for (JsonNode event : history.page("", 0, 1000, false)) {
                String location = event.at("/evaluationFailedEventDetails/location").asText("");
                lines.add(event.get("previousEventId").asText() + " " + event.get("type").textValue() + (location.isEmpty() ? "" : " " + location));
            }
            assertThat(lines).containsExactlyElementsOf(vector.get("events").valueStream().map(JsonNode::textValue).toList());
        }));
    }

    @Test
    void theExitOfAStateHasItsVariables() throws IOException {
        History history = history("{\"StartAt\": \"S\", \"States\": {\"S\": {\"Type\": \"Pass\", \"Assign\": {\"a\": {\"b\": 1}}, \"End\": true}}}",
                "{}", "{}");
        JsonNode details = history.page("", 2, 1, false).get(0).get("stateExitedEventDetails");
        assertThat(details.get("assignedVariables")).isEqualTo(Json.read("{\"a\": \"{\\\"b\\\":1}\"}"));
    }
}
