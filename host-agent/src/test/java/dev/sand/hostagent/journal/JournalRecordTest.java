package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.event.BusRecords;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Payload;
import dev.sand.event.Redrive;
import dev.sand.event.Slots;
import dev.sand.globalbus.SqliteBus;
import dev.sand.hostagent.core.Action.Await;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.Change.Outgoing;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.RecordBytes;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.workflow.Execution.Command;
import dev.sand.workflow.Execution.Published;
import dev.sand.workflow.Execution.Signal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
                new Backup.Accepted(new InvocationRequest("e", "app", 1, "w", payload, 10, true, null,
                        new Redrive(2, Status.CANCELLED, "E", null, 4, 5))),
                new Backup.Accepted(new InvocationRequest("e", "app", 1, "w", payload, 10, true, null,
                        new Redrive(2, Status.FAILED, "E", null, 4, 5, "Resize"))),
                new Backup.Accepted(new InvocationRequest("e", "app", 1, "g", payload, 10, true, null).inProcess("p")),
                new Backup.Finished(new Signal.Started(payload, 1), List.of()),
                new Backup.Finished(new Signal.TaskSucceeded("Root", payload, List.of(new Published("h", payload)), 2), List.of()),
                new Backup.Finished(new Signal.TaskFailed("Root", "E", "c", 3), List.of()),
                new Backup.Finished(new Signal.TimerFired("Wait", 4), List.of()),
                new Backup.Finished(new Signal.Heartbeat("Ask>token", 5), List.of()),
                new Backup.Finished(new Signal.Stopped("E", null, 5), List.of()),
                new Backup.Resumed(Map.of("Tag", 2)),
                new Backup.Ended(Status.FAILED));
    }

    @ParameterizedTest
    @MethodSource("backups")
    void everyBackupComesBackAsItWas(Backup backup) {
        JournalRecord read = JournalRecord.decode(JournalRecord.of(3, "e", 7, backup, null).encode());
        assertThat(read.executionId()).isEqualTo("e");
        assertThat(read.sequence()).isEqualTo(7);
        assertThat(read.backup()).usingRecursiveComparison().isEqualTo(backup);
    }

    /** The bounds of {@link RecordBytes} are what a record has room for, whatever the shape of what fills them. */
    @ParameterizedTest
    @CsvSource({"0, k", "100, k", "4096, k", "5000, k", "5000, \1\1\1\1\1\1\1\1"})
    void theEndOfAFunctionThatWritesAndSendsAsMuchAsItMayFits(int size, String key) {
        Payload value = size <= RecordBytes.SMALL_BYTES ? Payload.json(new byte[size])
                : new Payload(Payload.OCTETS, null, new Payload.Reference("01JM0000000000000000000000/0000000123", size));
        String process = "p".repeat(128);
        List<StateWrite> writes = new ArrayList<>();
        for (long bytes = RecordBytes.of(key, value); RecordBytes.refusal(bytes) == null; bytes += RecordBytes.of(key, value)) {
            writes.add(new StateWrite(key, value));
        }
        List<Outgoing> sends = new ArrayList<>();
        Outgoing send = new Outgoing("01JM0000000000000000000000/Root", 1_000_000, process, process, key, value);
        for (long bytes = RecordBytes.ofSend(process, key, value); RecordBytes.refusal(bytes) == null; bytes += RecordBytes.ofSend(process, key, value)) {
            sends.add(send);
        }
        ProcessChange change = new ProcessChange(process, 1, 2, 3, new Change.Done(writes, List.of(), sends));
        byte[] record = JournalRecord.of(3, "e", 7, new Backup.Finished(new Signal.TaskSucceeded("Root", Payload.nullJson(), List.of(), 2),
                List.of()), change).encode();
        assertThat(record.length).as(writes.size() + " writes, " + sends.size() + " sends").isLessThan(SqliteBus.Options.DEFAULT.maxRecordBytes());
    }

    /** Where no host of an earlier version reads it. */
    @Test
    void largeValuesOfAProcessAreBehindTheRecordsJson() {
        Payload large = new Payload("application/x-npy", bytes(70_000), null);
        Payload other = new Payload(Payload.OCTETS, bytes(1024), null);
        Payload small = new Payload(Payload.OCTETS, bytes(1023), null);
        Payload named = new Payload(Payload.OCTETS, null, new Payload.Reference("e/o", 1 << 20));
        ProcessChange change = new ProcessChange("p", 1, 2, 3, new Change.Done(List.of(new StateWrite("a", large), new StateWrite("b", null),
                new StateWrite("c", small), new StateWrite("d", named)), List.of(4L), List.of(new Outgoing("e/g", 0, "p", "q", "k", other))));
        Given given = given(change);
        byte[] record = given.encode(true);
        assertThat(record.length).isLessThan(70_000 + 1024 + 1023 * 4 / 3 + 1500);
        assertThat(BusRecords.schema(record)).isEqualTo(8);
        assertThat(JournalRecord.decode(record).change().change()).usingRecursiveComparison().isEqualTo(change);
        assertThat(JournalRecord.decode(given.encode(false)).change().change()).as("for others").usingRecursiveComparison().isEqualTo(change);
        assertThat(BusRecords.schema(given.encode(false))).isEqualTo(4);
        for (byte[] torn : List.of(Arrays.copyOf(record, record.length - 1), Arrays.copyOf(record, 800), Arrays.copyOf(record, record.length + 1))) {
            assertThatThrownBy(() -> JournalRecord.decode(torn)).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void aRecordWithoutLargeValuesIsOneOfTheSchemaBefore() {
        Payload small = new Payload(Payload.OCTETS, bytes(1023), null);
        Given given = given(new ProcessChange("p", 1, 2, 3, new Change.Done(List.of(new StateWrite("a", small)), List.of(), List.of())));
        assertThat(given.encode(true)).isEqualTo(given.encode(false));
    }

    private static Given given(ProcessChange change) {
        return new Given(new JournalAdapter.Entry("app", "e", 0, 3, 7, new Backup.Finished(new Signal.TaskSucceeded("Root", Payload.nullJson(),
                List.of(), 2), List.of()), Await.IN_BUS, "p", change), 0, null, null, false);
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @TestFactory
    List<DynamicTest> recordsWithValuesBehindThemAreReadAndWrittenToTheByte() {
        List<DynamicTest> tests = new ArrayList<>();
        VECTORS.get("behind").forEach(each -> tests.add(DynamicTest.dynamicTest(each.get("name").asText(), () -> {
            ByteArrayOutputStream stored = new ByteArrayOutputStream();
            stored.write(JSON.writeValueAsBytes(each.get("record")));
            stored.write('\n');
            byte letter = (byte) each.get("letter").asText().charAt(0);
            for (int i = each.get("times").asInt(); i > 0; i--) {
                stored.write(letter);
            }
            JournalRecord read = JournalRecord.decode(stored.toByteArray());
            Given again = new Given(new JournalAdapter.Entry("app", read.executionId(), 0, read.epoch(), read.sequence(), backup(read), Await.IN_BUS,
                    "p", read.change().change()), 0, null, null, false);
            assertThat(again.encode(true)).isEqualTo(stored.toByteArray());
        })));
        return tests;
    }

    @Test
    void everySignalHasAVector() {
        List<String> types = new ArrayList<>();
        VECTORS.get("records").forEach(each -> types.add(each.at("/record/signal/type").asText()));
        assertThat(types).contains("started", "taskSucceeded", "taskFailed", "timerFired", "heartbeat", "stopped");
        assertThat(Signal.class.getPermittedSubclasses()).as("Redriven stands in its request").hasSize(7);
        assertThat(Backup.class.getPermittedSubclasses()).hasSize(5);
    }

    @TestFactory
    List<DynamicTest> theVectorsAreReadAndWrittenToTheByte() {
        List<DynamicTest> tests = new ArrayList<>();
        VECTORS.get("records").forEach(each -> tests.add(DynamicTest.dynamicTest(each.get("name").asText(), () -> {
            byte[] stored = JSON.writeValueAsBytes(each.get("record"));
            JournalRecord read = JournalRecord.decode(stored);
            JournalRecord again = again(read);
            assertThat(new String(again.encode(), StandardCharsets.UTF_8))
                    .isEqualTo(new String(stored, StandardCharsets.UTF_8));
        })));
        return tests;
    }

    private static JournalRecord again(JournalRecord read) {
        if (read.isClaim()) {
            return JournalRecord.claim(read.epoch(), read.host());
        }
        return read.isStoring()
                ? JournalRecord.storing(read.epoch(), read.executionId(), read.sequence(), (Backup.Finished) backup(read), read.values())
                : JournalRecord.of(read.epoch(), read.executionId(), read.sequence(), backup(read),
                        read.change() == null ? null : read.change().change());
    }

    /** With the effects that a reader makes anew from the signal: the record names the steps alone. */
    private static Backup backup(JournalRecord read) {
        return read.backup() instanceof Backup.Finished finished && read.processing() != null
                ? new Backup.Finished(finished.signal(), read.processing().stream().map(step ->
                        (Command) new Command.RunTask(step, "g", Payload.nullJson(), 0)).toList())
                : read.backup();
    }

    /** Each has its twin in schema 2, under the same name. */
    @TestFactory
    List<DynamicTest> recordsOfThePlatformOfOneHostAreReadStill() {
        Map<String, JsonNode> twins = new HashMap<>();
        VECTORS.get("records").forEach(each -> twins.put(each.get("name").asText(), each.get("record")));
        List<DynamicTest> tests = new ArrayList<>();
        VECTORS.get("schema1").forEach(each -> tests.add(DynamicTest.dynamicTest(each.get("name").asText(), () -> {
            JournalRecord read = JournalRecord.decode(JSON.writeValueAsBytes(each.get("record")));
            JournalRecord twin = JournalRecord.decode(JSON.writeValueAsBytes(twins.get(each.get("name").asText())));
            assertThat(read.epoch()).isZero();
            assertThat(read.sequence()).isEqualTo(twin.sequence());
            assertThat(read.backup()).usingRecursiveComparison().isEqualTo(twin.backup());
        })));
        return tests;
    }

    @TestFactory
    List<DynamicTest> whatIsNotUnderstoodIsRefused() {
        List<DynamicTest> tests = new ArrayList<>();
        VECTORS.get("refused").forEach(each -> tests.add(DynamicTest.dynamicTest(each.get("name").asText(), () ->
                assertThatThrownBy(() -> JournalRecord.decode(JSON.writeValueAsBytes(each.get("record"))).backup())
                        .isInstanceOfAny(JournalRecord.NewerSchemaException.class, UncheckedIOException.class,
                                BusRecords.ForeignException.class))));
        return tests;
    }

    @TestFactory
    List<DynamicTest> anExecutionsPartitionIsTheSameEverywhere() {
        List<DynamicTest> tests = new ArrayList<>();
        VECTORS.get("partitions").forEach(each -> {
            String id = each.get("executionId").asText();
            tests.add(DynamicTest.dynamicTest(id, () -> {
                assertThat(Slots.of(id, 16)).isEqualTo(each.get("of16").asInt());
                assertThat(Slots.of(id, 7)).isEqualTo(each.get("of7").asInt());
            }));
        });
        return tests;
    }
}
