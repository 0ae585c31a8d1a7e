package dev.sand.globalbus;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.Metric;

/**
 * The thread that reads how many heartbeats the group has answered, and keeps the lease by it.
 *
 * <p>An answer that is an error counts as one too: Kafka's consumer (4.3) counts it before it looks into it, and neither a metric
 * nor a callback of its public interface tells the one from the other. So what errors there are decides whether that is safe:
 * <ul>
 * <li>the group does not know this member (any more), or fences it: on its next poll, 50 ms later, the consumer says that all
 * slots are lost, and they are, whatever the lease says. A member whose lease was over by then is suspended, and
 * {@link Suspension} asks who the members are before it believes an answer;
 * <li>the coordinator is loading, or not there: nobody is put out by a coordinator that does not run, and one that has loaded the
 * group gives every member a whole session anew, which is longer than the lease that such an answer gave;
 * <li>a broker says that it is not the coordinator: the consumer asks for the right one, and its heartbeats go there. The lease is
 * too long only if brokers go on naming a wrong one for longer than a session after the right one has loaded the group;
 * <li>this member may not take part: it leaves at once, with all slots ({@link GroupMember}).
 * </ul>
 * What is left is the third, and against it stands what stands against any late effect: whoever receives it checks the epoch.
 */
final class LeaseWatch implements Runnable, AutoCloseable {
    private static final String GROUP = "consumer-coordinator-metrics";
    private static final String ANSWERS = "heartbeat-total";

    private final Lease lease;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final long intervalNs;
    private final long mostBetweenTurnsNs;
    private final Thread thread = Thread.ofPlatform().daemon().name("membership-lease").unstarted(this);
    private volatile long lastTurnNs;
    private volatile boolean closed;
    private Metric answers;

    /** @param mostBetweenTurns of the member's thread, before it counts as stuck */
    LeaseWatch(Lease lease, KafkaConsumer<byte[], byte[]> consumer, Duration interval, Duration mostBetweenTurns) {
        this.lease = lease;
        this.consumer = consumer;
        this.intervalNs = interval.toNanos();
        this.mostBetweenTurnsNs = mostBetweenTurns.toNanos();
    }

    void start() {
        lastTurnNs = System.nanoTime();
        thread.start();
    }

    /** The member's thread is at its work. */
    void onServing() {
        lastTurnNs = System.nanoTime();
    }

    @Override
    public void run() {
        while (!closed) {
            long nowNs = System.nanoTime();
            lease.sample(nowNs, answers(), nowNs - lastTurnNs < mostBetweenTurnsNs);
            LockSupport.parkNanos(intervalNs);
        }
    }

    private double answers() {
        if (answers == null) {
            consumer.metrics().forEach((name, metric) -> {
                if (name.group().equals(GROUP) && name.name().equals(ANSWERS)) {
                    answers = metric;
                }
            });
        }
        return answers == null ? 0 : ((Number) answers.metricValue()).doubleValue();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
