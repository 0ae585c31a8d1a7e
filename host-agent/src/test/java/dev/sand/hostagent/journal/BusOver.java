package dev.sand.hostagent.journal;

import dev.sand.globalbus.GlobalBus;
import java.util.List;

/** A bus whose calls a test can change. */
class BusOver implements GlobalBus {
    private final GlobalBus bus;

    BusOver(GlobalBus bus) {
        this.bus = bus;
    }

    @Override
    public void append(String topic, int partition, byte[] value, AppendListener listener) {
        bus.append(topic, partition, value, listener);
    }

    @Override
    public void createTopic(String topic, int partitions) {
        bus.createTopic(topic, partitions);
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
    public List<BusRecord> read(String topic, int partition, long offset, int max) {
        return bus.read(topic, partition, offset, max);
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
    public Tail tail(String topic, int partition, long offset, TailListener listener) {
        return bus.tail(topic, partition, offset, listener);
    }

    @Override
    public void trim(String topic, int partition, long offset) {
        bus.trim(topic, partition, offset);
    }

    @Override
    public void deleteTopic(String topic) {
        bus.deleteTopic(topic);
    }

    @Override
    public long backlogBytes() {
        return bus.backlogBytes();
    }

    @Override
    public void close() {}
}
