package dev.sand.hostagent;

import dev.sand.event.HostAgentPort.GrainStatus;
import dev.sand.event.HostAgentPort.SandboxStatus;
import dev.sand.globalbus.Membership;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.journal.JournalAdapter;
import dev.sand.hostagent.shard.ShardGroup;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This host among the others: joins, tells every second how busy it is, and gives the shards the hosts that there are. Busy is
 * the mean of running and waiting events by the processors that this host has.
 */
final class HostReport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostReport.class);
    private static final long SAMPLE_MS = 200;
    private static final int SAMPLES = 5;

    private final Membership membership;
    private final HostAgentConfiguration configuration;
    private final ShardGroup shards;
    private final String incarnation = Long.toString(ThreadLocalRandom.current().nextLong() >>> 16, Character.MAX_RADIX);
    private final int capacity = Runtime.getRuntime().availableProcessors();
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("sand-report").daemon().factory());
    private AutoCloseable watch;
    private volatile boolean draining;
    private volatile int events;
    private volatile int samples;

    HostReport(Membership membership, HostAgentConfiguration configuration, ShardGroup shards) {
        this.membership = membership;
        this.configuration = configuration;
        this.shards = shards;
    }

    /** @throws dev.sand.globalbus.BusException with kind CONFLICT when a live host has this host's id */
    void start(Membership.SlotListener listener) {
        watch = membership.watch(view -> shards.submitAll(new Input.HostsChanged(List.copyOf(view.hosts().values()))));
        membership.join(card(0), listener);
        clock.scheduleWithFixedDelay(this::sample, SAMPLE_MS, SAMPLE_MS, TimeUnit.MILLISECONDS);
    }

    private HostCard card(double busy) {
        return new HostCard(configuration.host(), incarnation, configuration.address(), configuration.labels(), busy, draining, 0,
                JournalAdapter.READS);
    }

    private void sample() {
        shards.status().thenAccept(sandboxes -> {
            events += events(sandboxes);
            if (++samples >= SAMPLES) {
                report();
            }
        }).exceptionally(failure -> {
            LOG.debug("this host's card cannot be made", failure);
            return null;
        });
    }

    private static int events(List<SandboxStatus> sandboxes) {
        int events = 0;
        for (SandboxStatus sandbox : sandboxes) {
            for (GrainStatus grain : sandbox.grains()) {
                events += grain.running() + grain.queued();
            }
        }
        return events;
    }

    private void report() {
        double busy = (double) events / samples / capacity;
        events = 0;
        samples = 0;
        membership.report(card(busy));
    }

    /** Others are to know that this host takes nothing new, or that it does again. */
    void draining(boolean now) {
        draining = now;
        membership.report(card(now ? 1 : 0));
    }

    /** Leaves the others: slots are given up first. */
    @Override
    public void close() {
        clock.shutdownNow();
        membership.close();
        try {
            if (watch != null) {
                watch.close();
            }
        } catch (Exception e) {
            LOG.debug("the membership's subscription cannot be closed", e);
        }
    }
}
