package dev.sand.globalbus;

import static dev.sand.globalbus.MembershipRecord.HOSTS;
import static dev.sand.globalbus.MembershipRecord.SLOTS;

import dev.sand.event.Slots;
import dev.sand.globalbus.BusException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Membership of a cluster. Hosts are members of one Kafka consumer group over the topic {@code slots}: Kafka notices who is
 * gone and shares the slots out; what a host was given it claims in the slot's partition, and the claim's offset is the
 * epoch. Frontends, which never join, read the claims and the hosts' cards as hosts do.
 */
public final class KafkaMembership implements Membership {
    /**
     * @param slots of a new platform; one that exists keeps its number
     * @param session after which a host that was not heard is given up; not below the broker's
     *     {@code group.consumer.min.session.timeout.ms}, which is 45 s unless set
     * @param heartbeat of hosts; not below the broker's {@code group.consumer.min.heartbeat.interval.ms}, 5 s unless set
     */
    public record Options(int slots, Duration session, Duration heartbeat) {
        public static final Options DEFAULT = new Options(Slots.DEFAULT, Duration.ofSeconds(3), Duration.ofMillis(500));

        public Options {
            if (heartbeat.multipliedBy(3).compareTo(session) > 0) {
                throw new IllegalArgumentException("a session of " + session + " has no room for three heartbeats of " + heartbeat);
            }
        }
    }

    private final KafkaBus bus;
    private final Options options;
    private final int slots;
    private final ClusterView clusterView;
    private volatile GroupMember member;

    /** Makes the topics when they are not there; blocks. @throws BusException when that cannot be done */
    public KafkaMembership(KafkaBus bus, Options options) {
        this.bus = bus;
        this.options = options;
        bus.createTopic(SLOTS, options.slots());
        bus.createTopic(HOSTS, 1);
        this.slots = bus.partitions(SLOTS);
        this.clusterView = new ClusterView(bus, slots, options.session(), new Claims());
    }

    private final class Claims implements ClusterView.ClaimListener {
        @Override
        public void onClaim(int slot, long epoch, String incarnation) {
            GroupMember now = member;
            if (now != null) {
                now.onClaim(slot, epoch, incarnation);
            }
        }

        @Override
        public void onRelease(int slot, long epoch) {
            GroupMember now = member;
            if (now != null) {
                now.onRelease(slot, epoch);
            }
        }
    }

    @Override
    public int slots() {
        return slots;
    }

    /** Slots come later, as the group shares them out. */
    @Override
    public void join(HostCard self, SlotListener listener) {
        if (member != null) {
            throw new BusException(Kind.CONFLICT, "host " + self.host() + " cannot join: this process takes part already", null);
        }
        configureGroup();
        GroupMember joining = new GroupMember(bus, options, clusterView, self, listener);
        try {
            member = joining;
            CompletableFuture<Void> joined = joining.start();
            // A session to see whether another host of the id lives, and the bus's own patience.
            joined.get(bus.options().timeout().plus(options.session().multipliedBy(2)).toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | CompletionException e) {
            forget(joining);
            throw KafkaErrors.of("join as " + self.host(), e);
        } catch (TimeoutException e) {
            forget(joining);
            throw new BusException(Kind.AWAY, "cannot join as " + self.host() + ": no answer from the global bus in time", e);
        } catch (InterruptedException e) {
            forget(joining);
            Thread.currentThread().interrupt();
            throw new BusException(Kind.BROKEN, "interrupted: cannot join as " + self.host(), e);
        }
    }

    /** The session is the group's, so that it does not depend on the broker's own default. */
    private void configureGroup() {
        String group = bus.options().prefix() + SLOTS;
        List<AlterConfigOp> wanted = List.of(
                set("consumer.session.timeout.ms", options.session()), set("consumer.heartbeat.interval.ms", options.heartbeat()));
        try {
            bus.await(bus.admin().incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), wanted)).all(),
                    "set the session of group " + group);
        } catch (BusException e) {
            if (e.kind() == Kind.AWAY) {
                throw e;
            }
            throw new BusException(Kind.BROKEN, "the brokers refuse a session of " + options.session().toMillis() + " ms with a heartbeat"
                    + " each " + options.heartbeat().toMillis() + " ms: " + e.getMessage() + "; set their"
                    + " group.consumer.min.session.timeout.ms and group.consumer.min.heartbeat.interval.ms as low", e);
        }
    }

    private static AlterConfigOp set(String name, Duration value) {
        return new AlterConfigOp(new ConfigEntry(name, Long.toString(value.toMillis())), AlterConfigOp.OpType.SET);
    }

    private void forget(GroupMember failed) {
        failed.close();
        member = null;
    }

    @Override
    public void report(HostCard self) {
        GroupMember now = member;
        if (now != null) {
            now.report(self);
        }
    }

    @Override
    public void withdraw() {
        GroupMember now = member;
        if (now == null) {
            throw new BusException(Kind.CONFLICT, "a process that takes no part has no slots to give up", null);
        }
        now.withdraw();
    }

    @Override
    public void takePart() {
        GroupMember now = member;
        if (now != null) {
            now.takePart();
        }
    }

    @Override
    public boolean isWithdrawn() {
        GroupMember now = member;
        return now != null && now.isWithdrawn();
    }

    @Override
    public boolean mayAct(long nowNs) {
        GroupMember now = member;
        return now != null && now.mayAct(nowNs);
    }

    @Override
    public long nowMs() {
        return clusterView.nowMs();
    }

    @Override
    public boolean mayGoOn(long nowNs) {
        GroupMember now = member;
        return now != null && now.mayGoOn(nowNs);
    }

    @Override
    public Interruptions interruptions() {
        GroupMember now = member;
        return now == null ? Interruptions.NONE : now.interruptions();
    }

    @Override
    public View view() {
        return clusterView.view();
    }

    @Override
    public AutoCloseable watch(Consumer<View> onChange) {
        return clusterView.watch(onChange);
    }

    @Override
    public void close() {
        GroupMember now = member;
        if (now != null) {
            now.close();
        }
        clusterView.close();
    }
}
