package dev.sand.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Signal;
import dev.sand.workflow.KeptSignals;
import java.net.http.HttpResponse;
import java.util.List;
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
        platform.records.record(new InvocationRecord((short) 1, ID, "demo", 1, "main", status, Payload.nullJson(), null, null, startedMs,
                status == Status.RUNNING ? 0 : 9, 0, 0, List.of()), 0, null,
                signals.length == 0 ? null : () -> KeptSignals.encode(List.of(signals), payload -> payload));
        return platform.get("/api/v1/applications/demo/invocations/" + ID + "/history");
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
