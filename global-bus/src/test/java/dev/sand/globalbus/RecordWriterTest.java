package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.globalbus.BusCommand.Append;
import dev.sand.globalbus.BusCommand.Wait;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which records go into the log and which into a transaction, without the writer's thread. */
class RecordWriterTest {
    @TempDir
    Path directory;
    private final ReentrantLock working = new ReentrantLock();
    private final List<CompletableFuture<Long>> told = new ArrayList<>();
    private Connection connection;
    private Partition partition;
    private RecordWriter writer;

    @BeforeEach
    void open() throws Exception {
        BusDatabase database = new BusDatabase(directory.resolve("bus.db"));
        connection = database.openWriter(0);
        BusTopics topics = new BusTopics(connection);
        topics.create("t", 1);
        partition = topics.all().get("t").getFirst();
        Unsettled unsettled = new Unsettled(database.aheadLogs(), topics, Duration.ofMinutes(5).toNanos());
        writer = new RecordWriter(new BusTransactions(database, connection), unsettled, new LaterSync(database.writeAheadLog()),
                new Backlog<>(1 << 20, 1), working, each -> { });
        working.lock();
    }

    @AfterEach
    void close() throws Exception {
        working.unlock();
        writer.close();
        connection.close();
    }

    private List<Append> one(Wait wait) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        told.add(offset);
        return List.of(new Append(partition, new byte[] {1}, wait, GlobalBusContract.listener(offset)));
    }

    @Test
    void whatNobodyAwaitsIsNoTransactionThatTakesAllThatALogHas() {
        assertThat(writer.log(one(Wait.NOT))).as("there is nothing to go on with").isFalse();
        assertThat(writer.log(one(Wait.FOR_FILE))).isTrue();
        writer.write(one(Wait.NOT));
        assertThat(told.get(2)).isCompletedWithValue(1L);
        assertThat(writer.isSettled()).as("it is in the log behind the other").isFalse();
        assertThat(partition.end).isZero();
        assertThat(writer.settle()).isNull();
        assertThat(partition.end).isEqualTo(2);
    }

    @Test
    void whatIsForTheDiskIsATransactionWithAllThatALogHas() {
        writer.write(one(Wait.FOR_FILE));
        writer.write(one(Wait.FOR_DISK));
        assertThat(told.get(1)).isCompletedWithValue(1L);
        assertThat(writer.isSettled()).isTrue();
        assertThat(partition.end).isEqualTo(2);
    }

    @Test
    void aTransactionAsideHasWhatTheLogHadAndWhatComesNextIsInTheOtherLog() {
        writer.write(one(Wait.FOR_FILE));
        writer.settleAside();
        assertThat(partition.end).isEqualTo(1);
        assertThat(working.isHeldByCurrentThread()).isTrue();
        writer.write(one(Wait.FOR_FILE));
        assertThat(partition.end).isEqualTo(1);
        assertThat(writer.settle()).isNull();
        assertThat(partition.end).isEqualTo(2);
    }
}
