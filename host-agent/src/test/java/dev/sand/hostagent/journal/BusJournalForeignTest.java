package dev.sand.hostagent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Failure;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Records in a journal that are not this platform's, or not this version's. */
class BusJournalForeignTest extends BusJournalFixture {
    @Test
    void aNewerRecordStopsItsPartitionAndNoOther() {
        String here = inPartition(0, "a");
        String there = inPartition(1, "b");
        append("app", here, 0, accepted("app", here));
        append("app", there, 0, accepted("app", there));
        bus.append("journal.app", 0, "{\"schema\":99,\"mystery\":true}".getBytes(StandardCharsets.UTF_8), ignore());
        restart();
        assertThat(recover()).extracting(each -> each.request().executionId()).containsExactly(there);
        Failure failure = append("app", inPartition(0, "c"), 0, accepted("app", "c")).orElseThrow();
        assertThat(failure.cause()).contains("99").contains("partition 0");
        assertThat(append("app", inPartition(1, "d"), 0, accepted("app", "d"))).isEmpty();
    }

    @Test
    void whatSomebodyElseWroteIsPassedOverAndOursIsFoundAroundIt() {
        String before = inPartition(0, "a");
        append("app", before, 0, accepted("app", before));
        byte[] huge = new byte[1 << 20];
        Arrays.fill(huge, (byte) '{');
        for (byte[] foreign : List.of(new byte[0], new byte[] {0, -1, 7}, text("not ours"), text("[1,2]"), text("{\"order\":7}"), huge,
                JournalRecord.of(9, inPartition(0, "x"), 0, accepted("other", inPartition(0, "x")), null).encode())) {
            bus.append("journal.app", 0, foreign, ignore());
        }
        String after = inPartition(0, "b");
        append("app", after, 0, accepted("app", after));
        restart();
        assertThat(recover()).extracting(each -> each.request().executionId()).containsExactly(before, after);
        assertThat(append("app", inPartition(0, "c"), 0, accepted("app", inPartition(0, "c")))).isEmpty();
    }

    @Test
    void whatBeginsAsOursAndIsNotWholeStopsItsPartition() {
        append("app", inPartition(0, "a"), 0, accepted("app", inPartition(0, "a")));
        for (String damaged : List.of("{\"schema\":2,\"epoch\":1,\"kind\":\"processing\"}", "{\"schema\":2,\"epoch\":1}",
                "{\"schema\":2,\"epoch\":1,\"kind\":\"finished\",\"executionId\":\"e\"")) {
            bus.deleteTopic("journal.app");
            bus.createTopic("journal.app", 2);
            bus.append("journal.app", 0, text(damaged), ignore());
            restart();
            assertThat(recover()).isEmpty();
            assertThat(append("app", inPartition(0, "c"), 0, accepted("app", "c")).orElseThrow().cause()).contains("offset 0");
        }
    }
}
