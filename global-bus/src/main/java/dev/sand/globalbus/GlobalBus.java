package dev.sand.globalbus;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The distributed, durable level of the message bus (SAND 3.2, 4.1): partitioned, append-only topics. It has two purposes,
 * so two kinds of topic: a journal an application (backups and condition flags, partitioned by execution) and a work queue
 * a grain (events that are to run on another host). Records are opaque bytes here.
 *
 * <p>Calls return at once unless they say that they block; callbacks come on the bus's own thread and must only enqueue.
 */
public interface GlobalBus extends AutoCloseable {
    /**
     * @param offset from 0, without gaps in a partition
     * @param atMs when the bus took it, by the bus's own clock: what lies between two records is told by it, whatever the hosts'
     *             clocks say; 0: not known
     */
    record BusRecord(long offset, byte[] value, long atMs) {
        public BusRecord(long offset, byte[] value) {
            this(offset, value, 0);
        }
    }

    /** How an append ended: the offset, or the reason why the record is not in the bus. */
    interface AppendListener {
        void onAppended(long offset);

        void onFailed(BusException failure);
    }

    /** Creates the topic when it is not there; blocks. @throws BusException when that cannot be done */
    void createTopic(String topic, int partitions);

    /** The number of partitions, 0 when there is no such topic; blocks. */
    int partitions(String topic);

    List<String> topics();

    /**
     * Appends a record. Records of one caller to one partition keep their order. The listener is called once the record is
     * durable. When the bounded backlog is full, the listener fails with {@link BusException.Kind#FULL} at once.
     */
    void append(String topic, int partition, byte[] value, AppendListener listener);

    /**
     * As append, but the listener is called once the bus has the record where no process's death can lose it: a machine that loses
     * its power in the next 10 ms may, with all behind it. Where brokers keep the records, these promise the same of every record.
     */
    default void appendWritten(String topic, int partition, byte[] value, AppendListener listener) {
        append(topic, partition, value, listener);
    }

    /**
     * Returns when a machine's loss of power does not lose anything either that it has told of in {@link #appendWritten}, as far as
     * whoever keeps the records promises that at all. Blocks. @throws BusException when the disk does not take it
     */
    default void sync() {}

    /**
     * As appendWritten, for a record that nobody waits for (SAND 3.2's relaxed backup): it may stay in the backlog a few
     * milliseconds longer, to share a write to the disk with others. Order and listener are those of append.
     */
    default void appendInBackground(String topic, int partition, byte[] value, AppendListener listener) {
        append(topic, partition, value, listener);
    }

    /**
     * For who gives many records and often waits for one: from now on, until it calls what is returned, this thread's appends wake nobody.
     * It does that when it has given some, holding no lock that a listener takes: listeners may be called in that call, which waits for no
     * disk, nor for a transaction. One thread at a time.
     */
    default Runnable gather() {
        return () -> { };
    }

    /** Whether it is of this program alone: no other one, of whatever version, reads it, and appends never block. */
    default boolean isEmbedded() {
        return false;
    }

    /**
     * At most {@code max} records from {@code offset} on, in order, beginning with the first one kept when that offset is
     * trimmed; fewer when they are large, none only at the end. Blocks. @throws BusException when there is no such partition
     */
    List<BusRecord> read(String topic, int partition, long offset, int max);

    /** The offset that the next record will get, and the first one still kept; blocks. */
    long endOffset(String topic, int partition);

    long beginOffset(String topic, int partition);

    /** What a partition keeps: records from {@code begin} on, below {@code end}; as many as {@code end} have ever come. */
    record Extent(long begin, long end) {
        public long kept() {
            return end - begin;
        }
    }

    /** That of each partition, none where there is no such topic; blocks. */
    default List<Extent> extents(String topic) {
        // The beginning first: what is trimmed meanwhile is counted, and nothing is less than empty.
        return IntStream.range(0, partitions(topic)).mapToObj(partition -> {
            long begin = beginOffset(topic, partition);
            return new Extent(begin, endOffset(topic, partition));
        }).toList();
    }

    /** Those of several topics, without the ones that are not there; blocks, as for one of them where the bus is far away. */
    default Map<String, List<Extent>> extents(Collection<String> topics) {
        Map<String, List<Extent>> found = new HashMap<>();
        topics.forEach(topic -> found.put(topic, extents(topic)));
        found.values().removeIf(List::isEmpty);
        return found;
    }

    /** A stream of records; {@code pause} and {@code resume} bound what the listener holds. */
    interface Tail extends AutoCloseable {
        void pause();

        void resume();

        /** No more records after it returns; does not block for long. */
        @Override
        void close();
    }

    /** Called on the bus's thread: implementations only enqueue. Records of a partition come in order, without gaps. */
    interface TailListener {
        void onRecords(List<BusRecord> records);
    }

    /**
     * Follows a partition from {@code offset} on: what is there and what comes, until closed. While the bus is away nothing
     * comes; afterwards it goes on where it was. Nothing comes of a topic that is not there; one that is made again under
     * its name is followed from its beginning.
     */
    default Tail tail(String topic, int partition, long offset, TailListener listener) {
        throw new UnsupportedOperationException();
    }

    /** Forgets records below {@code offset}, soon: below the caller's own low-water mark, never by time. */
    void trim(String topic, int partition, long offset);

    void deleteTopic(String topic);

    /** Bytes accepted and not yet durable. */
    long backlogBytes();

    /** Why it took no record lately for want of room; null: it is not known to have none. */
    default String full() {
        return null;
    }

    @Override
    void close();
}
