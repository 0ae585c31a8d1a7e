package dev.sand.globalbus;

import dev.sand.globalbus.Membership.HostCard;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member that heard nothing from the group for a while, though it ran: it keeps its slots, and when the group is heard again,
 * asks whether they are still its own. An answer to a heartbeat alone does not say so, since it may be a refusal. So the topics
 * are read up to their ends, for higher claims; then the group is asked who its members are. One that was put out takes part
 * again under the same member id, but not before the consumer has told us so: a slot that is kept until here, and that the group
 * says is ours, was ours all the time. Its methods are on the member's thread.
 */
final class Suspension {
    private static final Logger LOG = LoggerFactory.getLogger(Suspension.class);

    /** What the group said, as far as it could be asked. */
    interface Outcome {
        /** @param assigned slots that the group has given to this member and to no other; @param twin another live host with our id */
        void onAnswer(Set<Integer> assigned, boolean twin);
    }

    private final KafkaBus bus;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final ClusterView clusterView;
    private final MemberOutbox outbox;
    private final HostCard self;
    private final String group;
    private final Duration patience;
    private final Outcome outcome;
    private boolean said;
    /** 0: nothing is asked. */
    private long underWay;
    private long attempts;

    /** @param patience with the answers to one question; then it is asked again */
    Suspension(KafkaBus bus, KafkaConsumer<byte[], byte[]> consumer, ClusterView clusterView, MemberOutbox outbox, HostCard self,
            String group, Duration patience, Outcome outcome) {
        this.bus = bus;
        this.consumer = consumer;
        this.clusterView = clusterView;
        this.outbox = outbox;
        this.self = self;
        this.group = group;
        this.patience = patience;
        this.outcome = outcome;
    }

    /** @param heard the group answers again */
    void onSuspended(boolean heard) {
        if (!said) {
            said = true;
            LOG.warn("membership: host {} has heard nothing from the group for two thirds of a session: it takes nothing new over, "
                    + "and keeps its slots until it knows more", self.host());
        }
        if (heard && underWay == 0) {
            ask();
        }
    }

    /** Not suspended any more: an answer that comes now counts no more. */
    void onOver() {
        said = false;
        underWay = 0;
    }

    private void ask() {
        long asked = ++attempts;
        underWay = asked;
        String member = consumer.groupMetadata().memberId();
        clusterView.catchUp().thenCompose(hosts -> slotsOf(member).thenApply(slots -> Map.entry(slots, hosts)))
                .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((answer, failure) -> outbox.onThread(() -> {
                    if (underWay != asked) {
                        return;
                    }
                    underWay = 0;
                    if (failure != null) {
                        LOG.debug("membership: the group does not say yet who its members are", failure);
                    } else {
                        HostCard seen = answer.getValue().get(self.host());
                        outcome.onAnswer(answer.getKey(), seen != null && !seen.incarnation().equals(self.incarnation()));
                    }
                }));
    }

    private CompletableFuture<Set<Integer>> slotsOf(String member) {
        return bus.admin().describeConsumerGroups(Set.of(group)).describedGroups().get(group).toCompletionStage()
                .toCompletableFuture().thenApply(described -> slotsOf(described, member));
    }

    private static Set<Integer> slotsOf(ConsumerGroupDescription described, String member) {
        return described.members().stream().filter(each -> each.consumerId().equals(member)).map(MemberDescription::assignment)
                .flatMap(assignment -> assignment.topicPartitions().stream()).map(TopicPartition::partition)
                .collect(Collectors.toSet());
    }
}
