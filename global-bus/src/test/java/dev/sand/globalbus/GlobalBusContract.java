package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.globalbus.GlobalBus.Extent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every global bus does; each implementation runs it. */
abstract class GlobalBusContract {
    static final long BACKLOG_BYTES = 1 << 20;
    static final int RECORD_BYTES = 256 * 1024;
    GlobalBus bus;

    /** A bus with the limits above. */
    abstract GlobalBus open() throws Exception;

    @BeforeEach
    void openBus() throws Exception {
        bus = open();
    }

    @AfterEach
    void closeBus() {
        bus.close();
    }

    @Test
    void offsetsCountUpFromZeroInEachPartition() {
        bus.createTopic("t", 2);
        assertThat(List.of(append("t", 0, "a"), append("t", 0, "b"), append("t", 1, "c"))).containsExactly(0L, 1L, 0L);
        assertThat(texts(bus.read("t", 0, 0, 10))).containsExactly("a", "b");
        assertThat(texts(bus.read("t", 1, 0, 10))).containsExactly("c");
        assertThat(bus.endOffset("t", 0)).isEqualTo(2);
    }

    @Test
    void aReadGivesAtMostWhatWasAskedForFromTheOffsetOn() {
        bus.createTopic("t", 1);
        for (int i = 0; i < 5; i++) {
            append("t", 0, "r" + i);
        }
        assertThat(bus.read("t", 0, 1, 2)).extracting(BusRecord::offset).containsExactly(1L, 2L);
        assertThat(bus.read("t", 0, 5, 2)).isEmpty();
        assertThat(bus.read("t", 0, 99, 2)).isEmpty();
    }

    @Test
    void recordsSayWhenTheBusTookThemByOneClock() {
        bus.createTopic("t", 1);
        for (int i = 0; i < 5; i++) {
            append("t", 0, "r" + i);
        }
        List<Long> times = bus.read("t", 0, 0, 10).stream().map(BusRecord::atMs).toList();
        assertThat(times).allMatch(time -> time > 0).isSorted();
    }

    @Test
    void recordsOfOneCallerKeepTheirOrderHoweverTheyAreAppended() {
        bus.createTopic("t", 1);
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            CompletableFuture<Long> offset = new CompletableFuture<>();
            if (i % 7 == 0) {
                bus.append("t", 0, bytes("r" + i), listener(offset));
            } else {
                bus.appendInBackground("t", 0, bytes("r" + i), listener(offset));
            }
            offsets.add(offset);
        }
        assertThat(offsets.stream().map(CompletableFuture::join)).containsExactlyElementsOf(
                IntStream.range(0, 2000).mapToObj(i -> (long) i).toList());
        assertThat(texts(bus.read("t", 0, 0, 5000))).containsExactlyElementsOf(
                IntStream.range(0, 2000).mapToObj(i -> "r" + i).toList());
    }

    @Test
    void aBackgroundAppendIsAcknowledgedToo() {
        bus.createTopic("t", 1);
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.appendInBackground("t", 0, bytes("x"), listener(offset));
        assertThat(offset.join()).isZero();
    }

    @Test
    void trimForgetsWhatIsBelowAndNothingElse() {
        bus.createTopic("t", 2);
        for (int i = 0; i < 10; i++) {
            append("t", 0, "r" + i);
            append("t", 1, "s" + i);
        }
        bus.trim("t", 0, 4);
        await().until(() -> bus.beginOffset("t", 0) == 4);
        assertThat(texts(bus.read("t", 0, 0, 3))).containsExactly("r4", "r5", "r6");
        assertThat(bus.read("t", 1, 0, 20)).hasSize(10);
        bus.trim("t", 0, 2);
        bus.trim("t", 0, 1000);
        await().until(() -> bus.beginOffset("t", 0) == 10);
        assertThat(append("t", 0, "next")).as("offsets go on after everything was trimmed").isEqualTo(10);
    }

    @Test
    void whatATopicKeepsIsToldOfAllItsPartitionsTogether() {
        bus.createTopic("t", 3);
        for (int i = 0; i < 4; i++) {
            append("t", 0, "r" + i);
        }
        append("t", 2, "s");
        bus.trim("t", 0, 3);
        await().until(() -> bus.extents("t").equals(List.of(new Extent(3, 4), new Extent(0, 0), new Extent(0, 1))));
        assertThat(bus.extents("nothing")).isEmpty();
        bus.createTopic("u", 1);
        append("u", 0, "v");
        assertThat(bus.extents(List.of("u", "nothing", "t"))).containsOnly(Map.entry("u", List.of(new Extent(0, 1))),
                Map.entry("t", bus.extents("t")));
        assertThat(bus.extents(List.of())).isEmpty();
    }

    @Test
    void creatingATopicAgainChangesNothing() {
        bus.createTopic("t", 3);
        append("t", 2, "kept");
        bus.createTopic("t", 5);
        assertThat(bus.partitions("t")).isEqualTo(3);
        assertThat(texts(bus.read("t", 2, 0, 1))).containsExactly("kept");
    }

    @Test
    void aDeletedTopicIsGoneAndANewOneOfThatNameIsEmpty() {
        bus.createTopic("t", 1);
        bus.createTopic("other", 1);
        append("t", 0, "a");
        append("other", 0, "b");
        bus.deleteTopic("t");
        assertThat(bus.topics()).containsExactly("other");
        assertThat(bus.partitions("t")).isZero();
        bus.createTopic("t", 1);
        assertThat(bus.read("t", 0, 0, 10)).isEmpty();
        assertThat(append("t", 0, "new")).isZero();
        assertThat(texts(bus.read("other", 0, 0, 10))).containsExactly("b");
    }

    @Test
    void anUnknownTopicOrPartitionIsSaidToBeUnknown() {
        bus.createTopic("t", 1);
        assertThat(failure("u", 0, 1)).extracting(BusException::kind).isEqualTo(Kind.UNKNOWN_TOPIC);
        assertThat(failure("t", 1, 1)).extracting(BusException::kind).isEqualTo(Kind.UNKNOWN_TOPIC);
        assertThat(failure("t", -1, 1)).extracting(BusException::kind).isEqualTo(Kind.UNKNOWN_TOPIC);
        assertThatThrownBy(() -> bus.read("u", 0, 0, 1)).isInstanceOf(BusException.class).hasMessageContaining("u");
    }

    @Test
    void aRecordOverTheLimitIsRefusedWithBothSizes() {
        bus.createTopic("t", 1);
        assertThatThrownBy(() -> append("t", 0, "x".repeat(RECORD_BYTES + 1))).hasRootCauseInstanceOf(BusException.class)
                .hasMessageContaining("" + RECORD_BYTES).hasMessageContaining("" + (RECORD_BYTES + 1));
        assertThat(append("t", 0, "x".repeat(RECORD_BYTES))).isZero();
    }

    @Test
    void aFullBacklogRefusesAtOnceAndLosesNothingOfWhatItTook() throws Exception {
        bus.createTopic("t", 1);
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch holds = new CountDownLatch(1);
        bus.append("t", 0, bytes("first"), new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long offset) {
                holds.countDown();
                try {
                    held.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void onFailed(BusException failure) {
                throw failure;
            }
        });
        holds.await();
        List<CompletableFuture<Long>> taken = new ArrayList<>();
        BusException refused = null;
        while (refused == null) {
            CompletableFuture<Long> offset = new CompletableFuture<>();
            bus.append("t", 0, new byte[RECORD_BYTES], listener(offset));
            if (offset.isCompletedExceptionally()) {
                refused = (BusException) offset.exceptionNow();
            } else {
                taken.add(offset);
            }
        }
        assertThat(refused.kind()).isEqualTo(Kind.FULL);
        assertThat(refused.retryable()).isTrue();
        assertThat(refused).hasMessageContaining("" + BACKLOG_BYTES);
        assertThat(bus.backlogBytes()).isBetween(1L, BACKLOG_BYTES);
        held.countDown();
        taken.forEach(CompletableFuture::join);
        await().until(() -> bus.backlogBytes() == 0);
        assertThat(bus.endOffset("t", 0)).isEqualTo(1 + taken.size());
    }

    @Test
    void aTailGivesWhatIsThereAndWhatComesInOrder() throws Exception {
        bus.createTopic("t", 2);
        for (int i = 0; i < 5; i++) {
            append("t", 0, "r" + i);
        }
        Collected seen = new Collected();
        try (GlobalBus.Tail _ = bus.tail("t", 0, 2, seen)) {
            await().until(() -> seen.texts().equals(List.of("r2", "r3", "r4")));
            append("t", 1, "another partition's");
            for (int i = 5; i < 1500; i++) {
                bus.appendInBackground("t", 0, bytes("r" + i), listener(new CompletableFuture<>()));
            }
            await().until(() -> seen.texts().size() == 1498);
        }
        assertThat(seen.texts()).containsExactlyElementsOf(IntStream.range(2, 1500).mapToObj(i -> "r" + i).toList());
        assertThat(seen.offsets()).containsExactlyElementsOf(IntStream.range(2, 1500).mapToObj(i -> (long) i).toList());
    }

    @Test
    void aPausedTailGivesNothingAndAResumedOneGoesOnWhereItWas() throws Exception {
        bus.createTopic("t", 1);
        Collected seen = new Collected();
        Collected other = new Collected();
        try (GlobalBus.Tail tail = bus.tail("t", 0, 0, seen); GlobalBus.Tail _ = bus.tail("t", 0, 0, other)) {
            append("t", 0, "a");
            await().until(() -> seen.texts().equals(List.of("a")));
            tail.pause();
            append("t", 0, "b");
            append("t", 0, "c");
            await().until(() -> other.texts().size() == 3);
            assertThat(seen.texts()).as("one more at most was under way").hasSizeLessThanOrEqualTo(2);
            tail.resume();
            await().until(() -> seen.texts().equals(List.of("a", "b", "c")));
        }
    }

    @Test
    void aClosedTailGivesNoMore() throws Exception {
        bus.createTopic("t", 1);
        Collected seen = new Collected();
        Collected other = new Collected();
        bus.tail("t", 0, 0, seen).close();
        int before = seen.texts().size();
        try (GlobalBus.Tail _ = bus.tail("t", 0, 0, other)) {
            append("t", 0, "a");
            await().until(() -> other.texts().size() == 1);
        }
        assertThat(seen.texts()).hasSize(before);
    }

    @Test
    void aTailBeginsWithTheFirstRecordThatIsKept() throws Exception {
        bus.createTopic("t", 1);
        for (int i = 0; i < 10; i++) {
            append("t", 0, "r" + i);
        }
        bus.trim("t", 0, 7);
        await().until(() -> bus.beginOffset("t", 0) == 7);
        Collected seen = new Collected();
        try (GlobalBus.Tail _ = bus.tail("t", 0, 3, seen)) {
            await().until(() -> seen.texts().equals(List.of("r7", "r8", "r9")));
        }
    }

    @Test
    void aTailOfATopicThatIsMadeAgainFollowsTheNewOneFromItsBeginning() throws Exception {
        Collected seen = new Collected();
        try (GlobalBus.Tail _ = bus.tail("t", 0, 0, seen)) {
            bus.createTopic("t", 1);
            append("t", 0, "old");
            append("t", 0, "older");
            await().until(() -> seen.texts().equals(List.of("old", "older")));
            bus.deleteTopic("t");
            bus.createTopic("t", 1);
            append("t", 0, "new");
            await().until(() -> seen.texts().contains("new"));
        }
        assertThat(seen.texts()).containsExactly("old", "older", "new");
    }

    @Test
    void aListenerThatFailsHoldsUpNothing() throws Exception {
        bus.createTopic("t", 1);
        Collected seen = new Collected();
        try (GlobalBus.Tail _ = bus.tail("t", 0, 0, records -> {
            seen.onRecords(records);
            throw new IllegalStateException("on purpose");
        })) {
            append("t", 0, "a");
            append("t", 0, "b");
            await().until(() -> seen.texts().equals(List.of("a", "b")));
        }
    }

    @Test
    void aClosedBusSaysSo() {
        bus.createTopic("t", 1);
        bus.close();
        assertThat(failure("t", 0, 1)).extracting(BusException::kind).isEqualTo(Kind.CLOSED);
    }

    long append(String topic, int partition, String text) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.append(topic, partition, bytes(text), listener(offset));
        return offset.join();
    }

    BusException failure(String topic, int partition, int size) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.append(topic, partition, new byte[size], listener(offset));
        await().until(offset::isDone);
        return (BusException) offset.exceptionNow();
    }

    static GlobalBus.AppendListener listener(CompletableFuture<Long> offset) {
        return new GlobalBus.AppendListener() {
            @Override
            public void onAppended(long at) {
                offset.complete(at);
            }

            @Override
            public void onFailed(BusException failure) {
                offset.completeExceptionally(failure);
            }
        };
    }

    /** What a tail gave. */
    static final class Collected implements GlobalBus.TailListener {
        private final Queue<BusRecord> records = new ConcurrentLinkedQueue<>();

        @Override
        public void onRecords(List<BusRecord> more) {
            records.addAll(more);
        }

        List<String> texts() {
            return GlobalBusContract.texts(List.copyOf(records));
        }

        List<Long> offsets() {
            return records.stream().map(BusRecord::offset).toList();
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static List<String> texts(List<BusRecord> records) {
        return records.stream().map(r -> new String(r.value(), StandardCharsets.UTF_8)).toList();
    }
}
