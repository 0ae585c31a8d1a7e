package dev.sand.globalbus;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Trims partitions in the background: one request a partition at a time, with the highest offset asked for meanwhile. */
final class KafkaTrims {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaTrims.class);

    private final KafkaTopics topics;
    private final ReentrantLock lock = new ReentrantLock();
    /** A partition is here while a request is under way; its value is what to ask for next, 0: nothing. */
    private final Map<TopicPartition, Long> wanted = new HashMap<>();

    KafkaTrims(KafkaTopics topics) {
        this.topics = topics;
    }

    void trim(TopicPartition partition, long offset) {
        if (offset <= 0) {
            return;
        }
        lock.lock();
        try {
            Long before = wanted.get(partition);
            wanted.put(partition, before == null ? 0 : Math.max(before, offset));
            if (before != null) {
                return;
            }
        } finally {
            lock.unlock();
        }
        start(partition, offset);
    }

    private void start(TopicPartition partition, long offset) {
        topics.admin().listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition).whenComplete((end, failure) -> {
            if (failure != null) {
                onDone(partition, offset, failure);
                return;
            }
            topics.admin().deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(Math.min(offset, end.offset()))))
                    .all().whenComplete((done, e) -> onDone(partition, offset, e));
        });
    }

    private void onDone(TopicPartition partition, long offset, Throwable failure) {
        if (failure != null) { // the next trim asks again
            LOG.warn("global bus: {} is not trimmed below {} yet: {}", partition, offset, KafkaErrors.root(failure).getMessage());
        }
        long next;
        lock.lock();
        try {
            next = wanted.remove(partition);
            if (failure == null && next > offset) {
                wanted.put(partition, 0L);
            }
        } finally {
            lock.unlock();
        }
        if (failure == null && next > offset) {
            start(partition, next);
        }
    }
}
