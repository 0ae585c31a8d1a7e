package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is on a disk today is read by every platform to come: the golden vectors and the code agree to the byte. */
class JournalRecordTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final JsonNode VECTORS = read();

    private static JsonNode read() {
        try {
            return JSON.readTree(Path.of("../event/vectors/journal/records.json").toFile());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<Backup> backups() {
        Payload payload = Payload.json("{}".getBytes(StandardCharsets.UTF_8));
        return Stream.of(
                new Backup.Accepted(new InvocationRequest("e", "app", 1, "g", payload, 10, true, null)),
                new Backup.Advanced(new Signal.Started(payload, 1)),
                new Backup.Advanced(new Signal.TaskSucceeded("Root", payload, List.of(new Published("h", payload)), 2)),
                new Backup.Advanced(new Signal.TaskFailed("Root", "E", "c", 3)),
                new Backup.Advanced(new Signal.TimerFired("Wait", 4)),
                new Backup.Advanced(new Signal.Stopped("E", null, 5)),
                new Backup.Ended(Status.FAILED));
    }

    @ParameterizedTest
    @MethodSource("backups")
    void everyBackupComesBackAsItWas(Backup backup) {
        JournalRecord read = JournalRecord.decode(JournalRecord.of("e", 7, backup).encode());
        assertThat(read.executionId()).isEqualTo("e");
        assertThat(read.sequence()).isEqualTo(7);
        assertThat(read.backup()).usingRecursiveComparison().isEqualTo(backup);
    }

    @Test
    void everySignalHasAVector() {
        List<String> types = new ArrayList<>();
        VECTORS.get("records").forEach(each -> types.add(each.at("/record/signal/type").asText()));
        assertThat(types).contains("started", "taskSucceeded", "taskFailed", "timerFired", "stopped");
        assertThat(Signal.class.getPermittedSubclasses()).hasSize(5);
        assertThat(Backup.class.getPermittedSubclasses()).hasSize(3);
    }

    @TestFactory
    List<DynamicTest> theVectorsAreReadAndWrittenToTheByte() {
        List<DynamicTest> tests = new ArrayList<>();
        VECTORS.get("records").forEach(each -> tests.add(DynamicTest.dynamicTest(each.get("name").asText(), () -> {
            byte[] stored = JSON.writeValueAsBytes(each.get("record"));
            JournalRecord read = JournalRecord.decode(stored);
            JournalRecord again = JournalRecord.of(read.executionId(), read.sequence(), read.backup());
            assertThat(new String(again.encode(), StandardCharsets.UTF_8))
                    .isEqualTo(new String(stored, StandardCharsets.UTF_8));
        })));
        return tests;
    }

    @TestFactory
    List<DynamicTest> whatIsNotUnderstoodIsRefused() {
        List<DynamicTest> tests = new ArrayList<>();
        VECTORS.get("refused").forEach(each -> tests.add(DynamicTest.dynamicTest(each.get("name").asText(), () ->
                assertThatThrownBy(() -> JournalRecord.decode(JSON.writeValueAsBytes(each.get("record"))).backup())
                        .isInstanceOfAny(JournalRecord.NewerSchemaException.class, java.io.UncheckedIOException.class))));
        return tests;
    }

    @TestFactory
    List<DynamicTest> anExecutionsPartitionIsTheSameEverywhere() {
        List<DynamicTest> tests = new ArrayList<>();
        VECTORS.get("partitions").forEach(each -> {
            String id = each.get("executionId").asText();
            tests.add(DynamicTest.dynamicTest(id, () -> {
                assertThat(JournalTopics.partition(id, 16)).isEqualTo(each.get("of16").asInt());
                assertThat(JournalTopics.partition(id, 7)).isEqualTo(each.get("of7").asInt());
            }));
        });
        return tests;
    }
}
