package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.KeptSignals;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Histories of executions, as far as what is kept of them tells. */
class HistoryTest extends WithDemo {
    private static final String ID = "01JD0Z5W3M8Q6T1R4V7X9YB2C3";
    private static final Signal STARTED = new Signal.Started(Payload.nullJson(), 1);
    private static final Signal DONE = new Signal.TaskSucceeded("Echo", Payload.nullJson(), List.of(), 2);

    private HttpResponse<byte[]> history(Status status, Signal... signals) throws Exception {
        return history(status, 1, signals);
    }

    private HttpResponse<byte[]> history(Status status, long startedMs, Signal... signals) throws Exception {
        return history("demo", status, startedMs, signals);
    }

    private HttpResponse<byte[]> history(String application, Status status, long startedMs, Signal... signals) throws Exception {
        platform.records.record(new InvocationRecord((short) 1, ID, application, 1, "main", status, Payload.nullJson(), null, null, startedMs,
                status == Status.RUNNING ? 0 : 9, 0, 0, List.of()), 0, null,
                signals.length == 0 ? null : () -> KeptSignals.encode(List.of(signals), payload -> payload));
        return platform.get("/api/v1/applications/" + application + "/invocations/" + ID + "/history");
    }

    @Test
    void whatIsKeptIsGivenToTheDefinitionAgain() throws Exception {
        HttpResponse<byte[]> answer = history(Status.SUCCEEDED, STARTED, DONE);
        assertThat(answer.statusCode()).as(Platform.text(answer)).isEqualTo(200);
        assertThat(Platform.json(answer).path("events")).extracting(event -> event.path("type").asText())
                .startsWith("ExecutionStarted").endsWith("ExecutionSucceeded");
    }

    @Test
    void anExecutionThatWasCutShortHasItsEnd() throws Exception {
        assertThat(Platform.json(history(Status.TIMED_OUT, STARTED)).path("events"))
                .extracting(event -> event.path("type").asText()).endsWith("ExecutionTimedOut");
    }

    @Test
    void whatIsKeptOfATimeWhenItRanIsNotShownAsTheHistoryOfOneThatSucceeded() throws Exception {
        HttpResponse<byte[]> answer = history(Status.SUCCEEDED, STARTED);
        assertThat(answer.statusCode()).isEqualTo(410);
        assertThat(Platform.json(answer).path("type").asText()).endsWith("history-gone");
    }

    /** It is kept beside the signals, which have its size alone. */
    @Test
    void whatTheWorkflowLookedIntoIsLookedIntoAgain() throws Exception {
        deployLooking();
        byte[] large = ("{\"n\": 7, \"text\": \"" + "x".repeat(300_000) + "\"}").getBytes(StandardCharsets.UTF_8);
        platform.records.keepValue("looks", ID, "1", Payload.JSON, large.length, out -> out.write(large));
        HttpResponse<byte[]> answer = history("looks", Status.SUCCEEDED, 1, STARTED, given(large.length));
        assertThat(answer.statusCode()).as(Platform.text(answer)).isEqualTo(200);
        JsonNode events = Platform.json(answer).path("events");
        assertThat(events).extracting(event -> event.path("type").asText()).endsWith("PassStateExited", "ExecutionSucceeded");
        assertThat(events.get(events.size() - 1).at("/executionSucceededEventDetails/output").asText()).isEqualTo("{\"n\":7}");
        assertThat(events.get(4).at("/lambdaFunctionSucceededEventDetails/outputDetails/truncated").asBoolean()).isTrue();
    }

    @Test
    void withoutWhatTheWorkflowLookedIntoThereIsNone() throws Exception {
        deployLooking();
        HttpResponse<byte[]> answer = history("looks", Status.SUCCEEDED, 1, STARTED, given(300_000));
        assertThat(answer.statusCode()).isEqualTo(410);
        assertThat(Platform.json(answer).path("type").asText()).endsWith("history-gone");
    }

    private void deployLooking() throws Exception {
        HttpResponse<byte[]> answer = platform.deploy(Map.of("sand.yaml", "name: looks", "grains/work/handler.py", "def handle(*_): pass",
                "workflows/main.asl.json", """
                {"StartAt": "Work", "States": {"Work": {"Type": "Task", "Resource": "work", "Next": "Look"},
                 "Look": {"Type": "Pass", "Parameters": {"n.$": "$.n"}, "End": true}}}"""));
        assertThat(answer.statusCode()).as(Platform.text(answer)).isEqualTo(201);
    }

    private static Signal given(int bytes) {
        return new Signal.TaskSucceeded("Work", new Payload(Payload.JSON, null, new Payload.Reference("", bytes)), List.of(), 2);
    }

    @Test
    void ofOneThatHasJustBegunItIsEmpty() throws Exception {
        HttpResponse<byte[]> answer = history(Status.RUNNING, System.currentTimeMillis());
        assertThat(answer.statusCode()).as(Platform.text(answer)).isEqualTo(200);
        assertThat(Platform.json(answer).path("events")).isEmpty();
        assertThat(Platform.json(answer).path("status").asText()).isEqualTo("RUNNING");
        assertThat(Platform.json(answer).path("next").isNull()).isTrue();
    }

    @Test
    void whileItRunsAndNothingIsKeptItIsToBeAskedForAgain() throws Exception {
        HttpResponse<byte[]> answer = history(Status.RUNNING);
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(Platform.json(answer).path("retryable").asBoolean()).isTrue();
    }
}
