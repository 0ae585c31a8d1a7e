package dev.sand.globalbus;

import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/** What the group gives and takes, as slots. Called by the consumer within poll, unsubscribe and close: on the member's thread. */
final class Rebalances implements ConsumerRebalanceListener {
    private final Consumer<byte[], byte[]> consumer;
    private final Lease lease;
    private final OwnedSlots owned;

    Rebalances(Consumer<byte[], byte[]> consumer, Lease lease, OwnedSlots owned) {
        this.consumer = consumer;
        this.lease = lease;
        this.owned = owned;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> consumer.seek(partition, 0)); // or the group would be asked for offsets
        consumer.pause(partitions);
        owned.onAssigned(slots(partitions), System.nanoTime());
    }

    /** They are another's when this returns. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (lease.mayAct(System.nanoTime())) {
            owned.onRevoked(slots(partitions));
        } else {
            owned.onLost(slots(partitions));
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        owned.onLost(slots(partitions));
    }

    private static List<Integer> slots(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).toList();
    }
}
