package dev.sand.hostagent;

import dev.sand.globalbus.BusException;
import dev.sand.globalbus.Membership;
import dev.sand.hostagent.shard.ShardGroup;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this host takes work, which it does from its start on: until it stops, or is drained by hand. Of the state nothing is
 * kept: a host that was drained and is started again takes work.
 *
 * <pre>
 * SERVING           → DRAINING  by hand, or it stops: it takes nothing new, and says so to all; what runs ends
 * DRAINING          → DRAINED   by hand: nothing runs any more, or the time is over. Its slots, with what did not end, are others'
 * DRAINING, DRAINED → SERVING   by hand: it takes its part of the slots again
 * </pre>
 * What is asked by hand is done in turn, on a thread of its own: giving slots up takes a while.
 */
final class Draining implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Draining.class);

    private enum State { SERVING, DRAINING, DRAINED }

    private final HostAgentConfiguration configuration;
    private final Membership membership;
    private final HostReport report;
    private final ShardGroup shards;
    private final ExecutorService turns = Executors.newSingleThreadExecutor(Thread.ofPlatform().name("sand-drain").daemon().factory());
    private volatile State state = State.SERVING;
    /** Of the last one by hand: what comes of an earlier one counts no more. */
    private long attempt;

    Draining(HostAgentConfiguration configuration, Membership membership, HostReport report, ShardGroup shards) {
        this.configuration = configuration;
        this.membership = membership;
        this.report = report;
        this.shards = shards;
    }

    boolean isServing() {
        return state == State.SERVING;
    }

    /** By hand. Completes once this host takes nothing new. */
    CompletableFuture<Void> begin() {
        return CompletableFuture.runAsync(this::drain, turns);
    }

    /** By hand. Completes once this host takes work again; it is given slots in a moment. */
    CompletableFuture<Void> resume() {
        return CompletableFuture.runAsync(this::serve, turns);
    }

    /** This host stops. Blocks until nothing runs any more, or the time is over. */
    void stop() {
        turns.shutdown();
        sayWhatIsLeft(takeNothingNew().join());
    }

    /** @return completes once nothing runs any more (true), or the time is over */
    private CompletableFuture<Boolean> takeNothingNew() {
        state = State.DRAINING;
        report.draining(true);
        return shards.drain().thenApply(done -> true)
                .completeOnTimeout(false, configuration.drainTimeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    private void sayWhatIsLeft(boolean ended) {
        if (!ended) {
            LOG.warn("some executions still run after {} s; those that were accepted go on where their slots go",
                    configuration.drainTimeout().toSeconds());
        }
    }

    private void drain() {
        if (state != State.SERVING) {
            return;
        }
        LOG.info("host {} is drained: it takes nothing new", configuration.host());
        long mine = ++attempt;
        takeNothingNew().thenAcceptAsync(ended -> giveUp(mine, ended), turns);
    }

    private void giveUp(long mine, boolean ended) {
        if (mine != attempt) {
            return; // it serves again, or did meanwhile
        }
        sayWhatIsLeft(ended);
        try {
            membership.withdraw();
        } catch (BusException e) {
            LOG.warn("host {} may have slots still: {}", configuration.host(), e.getMessage());
        }
        state = State.DRAINED;
        LOG.info("host {} has given its slots up", configuration.host());
    }

    private void serve() {
        if (state == State.SERVING) {
            return;
        }
        attempt++;
        shards.resume();
        state = State.SERVING;
        report.draining(false);
        membership.takePart();
        LOG.info("host {} takes work again", configuration.host());
    }

    @Override
    public void close() {
        turns.shutdown();
    }
}
