package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import dev.sand.globalbus.GlobalBus.Extent;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** What topics of the cluster keep: one question for what there is and two for their offsets, however many topics there are. */
final class KafkaExtents {
    private final KafkaTopics topics;

    KafkaExtents(KafkaTopics topics) {
        this.topics = topics;
    }

    /** Empty: there is no such topic. */
    List<Extent> of(String topic) {
        return of(List.of(topic)).getOrDefault(topic, List.of());
    }

    /** Without topics that are not there. The beginnings first: what is trimmed meanwhile is counted, and nothing is less than empty. */
    Map<String, List<Extent>> of(Collection<String> wanted) {
        Map<String, Integer> partitions = topics.partitions(wanted);
        Set<String> gone = new HashSet<>();
        Map<TopicPartition, Long> begins = offsets(partitions, OffsetSpec.earliest(), gone);
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest(), gone);
        Map<String, List<Extent>> found = new HashMap<>();
        partitions.forEach((topic, count) -> {
            if (!gone.contains(topic)) {
                found.put(topic, IntStream.range(0, count).mapToObj(each -> topics.partition(topic, each))
                        .map(each -> new Extent(begins.get(each), ends.get(each))).toList());
            }
        });
        return found;
    }

    /** @param gone gets those that turn out to be deleted, of which nothing is asked from then on */
    private Map<TopicPartition, Long> offsets(Map<String, Integer> partitions, OffsetSpec which, Set<String> gone) {
        Map<TopicPartition, String> asked = new HashMap<>();
        partitions.forEach((topic, count) -> IntStream.range(0, gone.contains(topic) ? 0 : count)
                .forEach(each -> asked.put(topics.partition(topic, each), topic)));
        ListOffsetsResult answer = topics.admin().listOffsets(asked.keySet().stream().collect(Collectors.toMap(each -> each, _ -> which)));
        Map<TopicPartition, Long> found = new HashMap<>();
        asked.forEach((partition, topic) -> {
            try {
                if (!gone.contains(topic)) {
                    found.put(partition, offset(answer.partitionResult(partition), topic, partition.partition()));
                }
            } catch (BusException e) {
                if (e.kind() != Kind.UNKNOWN_TOPIC) {
                    throw e;
                }
                gone.add(topic);
            }
        });
        return found;
    }

    private long offset(KafkaFuture<ListOffsetsResult.ListOffsetsResultInfo> answer, String topic, int partition) {
        try {
            return topics.await(answer, "ask for the offsets of " + topic).offset();
        } catch (BusException e) {
            throw topics.goneOr(topic, partition, e);
        }
    }
}
