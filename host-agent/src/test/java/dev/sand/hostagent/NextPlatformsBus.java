package dev.sand.hostagent;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.globalbus.GlobalBus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The bus as a host of the platform's next version has it: it understands a schema more than this version, and writes it, with a
 * field that this version does not know, once it is told that all hosts are new.
 */
final class NextPlatformsBus implements GlobalBus {
    private static final JsonMapper JSON = new JsonMapper();
    /** Behind those that a journal's records have in this version. */
    private static final int SCHEMAS = 8;
    private static final String FIELD = "fieldOfTheNextVersion";
    private final GlobalBus bus;
    private volatile boolean all;

    NextPlatformsBus(GlobalBus bus) {
        this.bus = bus;
    }

    /** From now on it writes what the old ones do not understand. */
    void allAreNew() {
        all = true;
    }

    private byte[] written(byte[] value) {
        return all ? changed(value, SCHEMAS, true) : value;
    }

    private static BusRecord read(BusRecord record) {
        boolean next = new String(record.value(), StandardCharsets.UTF_8).contains(FIELD);
        return next ? new BusRecord(record.offset(), changed(record.value(), -SCHEMAS, false), record.atMs()) : record;
    }

    private static byte[] changed(byte[] value, int by, boolean with) {
        try {
            ObjectNode record = (ObjectNode) JSON.readTree(value);
            record.put("schema", record.get("schema").asInt() + by);
            if (with) {
                record.put(FIELD, true);
            } else {
                record.remove(FIELD);
            }
            return JSON.writeValueAsBytes(record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void append(String topic, int partition, byte[] value, AppendListener listener) {
        bus.append(topic, partition, written(value), listener);
    }

    @Override
    public void appendInBackground(String topic, int partition, byte[] value, AppendListener listener) {
        bus.appendInBackground(topic, partition, written(value), listener);
    }

    @Override
    public List<BusRecord> read(String topic, int partition, long offset, int max) {
        return bus.read(topic, partition, offset, max).stream().map(NextPlatformsBus::read).toList();
    }

    @Override
    public Tail tail(String topic, int partition, long offset, TailListener listener) {
        return bus.tail(topic, partition, offset, records ->
                listener.onRecords(records.stream().map(NextPlatformsBus::read).toList()));
    }

    @Override
    public void createTopic(String topic, int partitions) {
        bus.createTopic(topic, partitions);
    }

    @Override
    public void deleteTopic(String topic) {
        bus.deleteTopic(topic);
    }

    @Override
    public int partitions(String topic) {
        return bus.partitions(topic);
    }

    @Override
    public List<String> topics() {
        return bus.topics();
    }

    @Override
    public long endOffset(String topic, int partition) {
        return bus.endOffset(topic, partition);
    }

    @Override
    public long beginOffset(String topic, int partition) {
        return bus.beginOffset(topic, partition);
    }

    @Override
    public void trim(String topic, int partition, long offset) {
        bus.trim(topic, partition, offset);
    }

    @Override
    public long backlogBytes() {
        return bus.backlogBytes();
    }

    @Override
    public void close() {
        bus.close();
    }
}
