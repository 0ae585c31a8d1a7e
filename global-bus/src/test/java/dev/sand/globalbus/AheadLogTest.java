package dev.sand.globalbus;

import static dev.sand.globalbus.GlobalBusContract.listener;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.GlobalBus.BusRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What goes into the log, what is seen of it, and what comes out into the database. */
class AheadLogTest extends AheadLogFixture {
    @Test
    void whoReadsSeesWhatSomebodyWasToldOf() {
        for (int i = 0; i < 200; i++) {
            assertThat(written(0, "r" + i).join()).isEqualTo(i);
            assertThat(bus.endOffset("t", 0)).isEqualTo(i + 1);
            assertThat(bus.read("t", 0, i, 10)).hasSize(1);
        }
    }

    @Test
    void whatIsForTheDiskIsInTheLogToo() throws Exception {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        bus.append("t", 0, "a".getBytes(StandardCharsets.UTF_8), listener(offset));
        assertThat(offset.join()).isZero();
        assertThat(rows()).isZero();
        bus.sync();
        assertThat(rows()).isZero();
        try (SqliteBus next = open(killed())) {
            assertThat(texts(next, 0)).containsExactly("a");
        }
    }

    @Test
    void whatIsTrimmedInItIsNeverInTheDatabase() throws Exception {
        for (int i = 0; i < 10; i++) {
            written(0, "r" + i).join();
        }
        bus.trim("t", 0, 8);
        bus.createTopic("other", 1); // behind it, and with all in the database
        assertThat(rows()).isEqualTo(2);
        assertThat(texts(bus, 0)).containsExactly("r8", "r9");
        assertThat(written(0, "r10").join()).isEqualTo(10);
        bus.trim("t", 0, 11);
        bus.createTopic("another", 1);
        await().until(() -> rows() == 0);
        try (SqliteBus next = open(killed())) {
            assertThat(next.endOffset("t", 0)).isEqualTo(11);
            assertThat(next.beginOffset("t", 0)).isEqualTo(11);
        }
    }

    @Test
    void tailsSeeWhatIsInTheLogAlone() throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (GlobalBus.Tail _ = bus.tail("t", 0, 0, records -> records.forEach(record -> seen.add(new String(record.value(), StandardCharsets.UTF_8))))) {
            written(0, "a").join();
            await().until(() -> seen.equals(List.of("a")));
            bus.createTopic("other", 1);
            written(0, "b").join();
            written(0, "c").join();
            await().until(() -> seen.equals(List.of("a", "b", "c")));
            assertThat(rows()).isEqualTo(1);
        }
        assertThat(texts(bus, 0)).as("some of the database, some of the log").containsExactly("a", "b", "c");
        assertThat(bus.read("t", 0, 0, 2)).extracting(BusRecord::offset).containsExactly(0L, 1L);
        assertThat(bus.read("t", 0, 2, 2)).extracting(BusRecord::offset).containsExactly(2L);
        assertThat(bus.read("t", 0, 3, 2)).isEmpty();
        assertThat(bus.read("t", 0, 0, Integer.MAX_VALUE)).hasSize(3);
    }

    @Test
    void whoGathersWritesItselfWhatIsForTheFileAlone() {
        writerRests();
        Runnable write = bus.gather();
        List<Thread> tellers = new ArrayList<>();
        CompletableFuture<Long> background = new CompletableFuture<>();
        bus.appendInBackground("t", 0, new byte[1], listener(background));
        CompletableFuture<Long> first = written(0, "first");
        first.thenRun(() -> tellers.add(Thread.currentThread()));
        assertThat(first).as("nobody was woken for it").isNotDone();
        write.run();
        assertThat(background).isCompletedWithValue(0L);
        assertThat(first).isCompletedWithValue(1L);
        assertThat(tellers).containsExactly(Thread.currentThread());
        assertThat(bus.endOffset("t", 0)).isEqualTo(2);
    }

    @Test
    void whoHasGatheredWakesTheWriterAgain() {
        bus.gather().run();
        assertThat(written(0, "first").join()).isZero();
        writerRests(); // it told of that before it was through
        Runnable write = bus.gather();
        CompletableFuture<Long> second = written(0, "second");
        write.run();
        assertThat(second).isCompletedWithValue(1L);
        assertThat(written(0, "third").join()).isEqualTo(2);
    }

    @Test
    void readersSeeEachRecordOnceAndInOrderWhateverIsOnItsWayToTheDatabase() throws Exception {
        bus.close();
        bus = open(directory, 0, Duration.ofMillis(1));
        List<Long> tailed = Collections.synchronizedList(new ArrayList<>());
        int count = 3000;
        try (GlobalBus.Tail _ = bus.tail("t", 0, 0, records -> records.forEach(record -> tailed.add(record.offset())))) {
            Thread writes = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < count; i++) {
                    bus.appendWritten("t", 0, new byte[2000], listener(new CompletableFuture<>()));
                    if (i % 100 == 99) {
                        written(1, "all of those are there").join();
                    }
                    if (i % 500 == 499) {
                        bus.trim("t", 0, i - 400);
                    }
                }
            });
            for (long next = 0; next < count; ) {
                for (BusRecord record : bus.read("t", 0, next, 70)) {
                    assertThat(record.offset() == next || bus.beginOffset("t", 0) >= record.offset()).as("%s behind %s", record.offset(), next).isTrue();
                    next = record.offset() + 1;
                }
            }
            writes.join();
            await().until(() -> !tailed.isEmpty() && tailed.getLast() == count - 1);
        }
        assertThat(tailed).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whatIsTooMuchForTheLogTheWriterTakes() {
        Runnable write = bus.gather();
        CompletableFuture<Long> large = written(0, "y".repeat(900_000));
        CompletableFuture<Long> small = written(0, "small");
        write.run();
        assertThat(List.of(large.join(), small.join())).containsExactly(0L, 1L);
        write = bus.gather();
        CompletableFuture<Long> next = written(0, "next");
        write.run();
        assertThat(next.join()).isEqualTo(2);
    }

    @Test
    void whatItDoesNotWriteItselfTheWriterDoes() {
        Runnable write = bus.gather();
        bus.createTopic("other", 1);
        CompletableFuture<Long> forDisk = new CompletableFuture<>();
        CompletableFuture<Long> first = written(0, "first");
        bus.append("t", 0, new byte[1], listener(forDisk));
        CompletableFuture<Long> last = written(0, "last");
        write.run();
        assertThat(List.of(first.join(), forDisk.join(), last.join())).containsExactly(0L, 1L, 2L);
        assertThat(texts(bus, 0)).hasSize(3);
    }

    @Test
    void aFullDatabaseLosesNothingThatSomebodyWasToldOf() {
        bus.close();
        bus = open(directory, 60, Duration.ofMillis(1));
        BusException refused = null;
        long full = 0;
        while (refused == null) {
            CompletableFuture<Long> offset = new CompletableFuture<>();
            bus.append("t", 0, new byte[10_000], listener(offset));
            refused = (BusException) offset.handle((at, e) -> e).join();
            full += refused == null ? 1 : 0;
        }
        assertThat(refused.kind()).isEqualTo(BusException.Kind.FULL);
        assertThat(bus.endOffset("t", 0)).as("and no reader misses any").isEqualTo(full);
        assertThat(bus.read("t", 0, 0, 100_000)).hasSize((int) full);
        bus.close();
        bus = only(directory, 60, Duration.ofMillis(1));
        assertThat(bus.read("t", 0, 0, 100_000)).hasSize((int) full);
        CompletableFuture<Long> next = new CompletableFuture<>();
        bus.append("t", 0, new byte[10_000], listener(next));
        assertThatThrownBy(next::join).as("they are first").isInstanceOf(CompletionException.class);
        bus.trim("t", 0, full - 1);
        long end = full;
        await().ignoreExceptions().until(() -> written(0, "next").get() == end);
        assertThat(bus.read("t", 0, 0, 10)).extracting(BusRecord::offset).containsExactly(end - 1, end);
    }

    @Test
    void moreThanTheLogHasRoomForGoesItsWay() throws Exception {
        for (int i = 0; i < 400; i++) {
            written(i % 2, ("" + i % 10).repeat(100_000)).join();
        }
        assertThat(Files.size(directory.resolve("bus.db-ahead"))).isBetween(100_000L, 33L << 20);
        assertThat(bus.endOffset("t", 0) + bus.endOffset("t", 1)).isEqualTo(400);
        assertThat(written(0, "y".repeat(900_000)).join()).isEqualTo(200);
        try (SqliteBus next = open(killed())) {
            assertThat(next.endOffset("t", 1)).isEqualTo(200);
            assertThat(new String(next.read("t", 1, 199, 1).getFirst().value(), StandardCharsets.US_ASCII).equals("9".repeat(100_000))).isTrue();
            assertThat(next.read("t", 0, 200, 1).getFirst().value().length).isEqualTo(900_000);
        }
    }

    @Test
    void nobodyElseMayReadIt() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("bus.db-ahead")))).isEqualTo("rw-------");
    }
}
