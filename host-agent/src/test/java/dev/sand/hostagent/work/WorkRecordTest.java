package dev.sand.hostagent.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.event.BusRecords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What one host writes another reads: the golden vectors and the code agree to the byte. */
class WorkRecordTest {
    private static final JsonMapper JSON = new JsonMapper();

    private static JsonNode vectors() throws IOException {
        return JSON.readTree(Path.of("../event/vectors/work/records.json").toFile());
    }

    @TestFactory
    List<DynamicTest> theVectorsAreReadAndWrittenToTheByte() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        vectors().get("records").forEach(each -> tests.add(DynamicTest.dynamicTest(each.get("name").asText(), () -> {
            byte[] stored = JSON.writeValueAsBytes(each.get("record"));
            WorkRecord read = WorkRecord.decode(stored);
            WorkRecord again = switch (read.kind()) {
                case WorkRecord.RUN -> WorkRecord.run(read.event());
                case WorkRecord.DONE -> WorkRecord.done(read.event());
                default -> WorkRecord.returned(read.result());
            };
            assertThat(new String(again.encode(), StandardCharsets.UTF_8)).isEqualTo(new String(stored, StandardCharsets.UTF_8));
        })));
        return tests;
    }

    @TestFactory
    List<DynamicTest> whatIsNotUnderstoodIsRefused() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        vectors().get("refused").forEach(each -> tests.add(DynamicTest.dynamicTest(each.get("name").asText(), () ->
                assertThatThrownBy(() -> WorkRecord.decode(JSON.writeValueAsBytes(each.get("record"))))
                        .isInstanceOfAny(BusRecords.NewerException.class, BusRecords.ForeignException.class))));
        return tests;
    }

    @Test
    void whatIsBelowTheFirstThatIsOpenIsNeededByNobody() {
        LowWater low = new LowWater(10);
        low.begins("a", 10, 1, 1);
        low.begins("b", 11, 1, 1);
        low.passed(12);
        assertThat(low.trimTo(1)).isEqualTo(-1);
        low.begins("a", 13, 1, 2);
        low.ends("a", 1, 2);
        assertThat(low.trimTo(1)).as("the second attempt's end is the first one's too").isEqualTo(11);
        low.ends("b", 0, 9);
        assertThat(low.open()).as("of another epoch").isEqualTo(1);
        low.ends("b", 1, 1);
        assertThat(low.trimTo(1)).isEqualTo(14);
    }
}
