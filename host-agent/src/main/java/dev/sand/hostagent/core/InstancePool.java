package dev.sand.hostagent.core;

import dev.sand.event.GrainSpec.Isolation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The instances of a grain that wait for events, forked ahead of need (DESIGN, decision 4). Decides when to fork and whom to
 * dismiss; how many is {@link IdleTarget}'s. A fork competes with the request just handed over and with its answer's way to
 * the client, so a pool that is still comfortable, or has only this request to serve, is filled up a moment later.
 */
final class InstancePool {
    private static final int SPAWNS_AT_ONCE = 32;
    private static final int RENEWALS_AT_ONCE = 4;

    private final Grain grain;
    private final CoreContext context;
    private final IdleTarget target;
    private final ArrayDeque<Instance> idle = new ArrayDeque<>();
    private final int[] inState = new int[Instance.State.values().length];
    private int generation;
    private int forkFailures;
    private long spawnNotBeforeNs = Long.MIN_VALUE;
    private final Timed refillLater = new Timed() {
        @Override
        void onDue() {
            refill(true);
        }
    };
    private final Timed review = new Timed() {
        @Override
        void onDue() {
            review();
        }
    };

    InstancePool(Grain grain, CoreContext context) {
        this.grain = grain;
        this.context = context;
        int max = Math.min(grain.spec().maxIdle(), grain.spec().concurrency());
        this.target = new IdleTarget(grain.spec().minIdle(), max);
    }

    /** Called by the instance at each of its transitions, so that the counts cannot differ from the states. */
    void changed(Instance.State from, Instance.State to) {
        if (from != null) {
            inState[from.ordinal()]--;
        }
        if (to != Instance.State.GONE) {
            inState[to.ordinal()]++;
        }
        grain.application().room().changed(from, to);
    }

    void open() {
        context.timers.arm(review, context.nowNs + context.configuration.poolReviewNs());
        refill(true);
    }

    /** The worker is gone, and all its instances with it. */
    void close() {
        idle.clear();
        forkFailures = 0;
        spawnNotBeforeNs = Long.MIN_VALUE;
        context.timers.disarm(review);
        context.timers.disarm(refillLater);
    }

    void add(Instance instance) {
        forkFailures = 0;
        idle.addLast(instance);
    }

    void remove(Instance instance) {
        idle.remove(instance);
    }

    /** @return an instance that waits, or null. Fresh ones in order of age; ones that serve many, the warmest first */
    Instance poll() {
        return grain.spec().isolation() == Isolation.WORKER ? idle.pollLast() : idle.pollFirst();
    }

    void onHandOver(int running) {
        target.onHandOver(running);
        int available = idle.size() + count(Instance.State.SPAWNING);
        boolean busy = running > 1;
        if (busy && available < target.comfortable()) {
            refill(true);
        } else if (available < target.current() && !refillLater.isArmed()) {
            context.timers.arm(refillLater, context.nowNs + context.configuration.refillDelayNs());
        }
    }

    void onMiss(int wanted) {
        target.onMiss(wanted);
        refill(false);
    }

    /** Forks what the queue needs and, when {@code ahead}, what the target wants. */
    void refill(boolean ahead) {
        Worker worker = grain.worker();
        if (!worker.isReady() || !grain.application().sandbox().isRunning() || context.nowNs < spawnNotBeforeNs) {
            return;
        }
        int spawning = count(Instance.State.SPAWNING);
        int available = idle.size() + spawning;
        int demand = grain.runnable();
        int needed;
        int aheadNeeded;
        if (grain.spec().isolation() == Isolation.WORKER) {
            int serving = available + count(Instance.State.RESTING) + count(Instance.State.RUNNING);
            needed = Math.min(demand - available - count(Instance.State.RESTING),
                    Math.max(grain.spec().concurrency(), 1) - serving);
            aheadNeeded = target.current() - serving;
        } else {
            needed = demand - available;
            aheadNeeded = demand + target.current() - available;
        }
        ProcessRoom room = grain.application().room();
        int spawns = Math.min(needed, room.forEvents());
        if (ahead) {
            spawns = Math.max(spawns, Math.min(aheadNeeded, room.ahead()));
            context.timers.disarm(refillLater);
        }
        spawn(Math.min(spawns, SPAWNS_AT_ONCE - spawning));
    }

    private void spawn(int count) {
        if (count <= 0) {
            return;
        }
        Worker worker = grain.worker();
        List<String> ids = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Instance instance = new Instance(context.nextInstanceId(), grain, worker, context);
            context.instances.put(instance.id, instance);
            worker.instances().add(instance);
            ids.add(instance.id);
        }
        context.counters.spawned += count;
        context.emit(new Action.Spawn(grain.application().key(), worker.id(), ids));
    }

    /** A fork that gave no instance. @return true when there were too many in a row */
    boolean onForkFailed() {
        context.counters.forkFailures++;
        if (context.nowNs < spawnNotBeforeNs) {
            return false; // one of the same burst
        }
        forkFailures++;
        long pauseNs = context.configuration.backOff(forkFailures);
        spawnNotBeforeNs = context.nowNs + pauseNs;
        context.timers.arm(refillLater, spawnNotBeforeNs);
        boolean someLive = !idle.isEmpty() || count(Instance.State.RUNNING) + count(Instance.State.RESTING) > 0;
        if (someLive || forkFailures < context.configuration.forkFailuresInARow()) {
            return false;
        }
        forkFailures = 0;
        return true;
    }

    private void review() {
        target.review();
        boolean renews = grain.spec().isolation() == Isolation.REQUEST;
        int surplus = idle.size() - target.current();
        int old = 0;
        for (Instance instance : idle) {
            if (renews && context.nowNs - instance.spawnedNs >= context.configuration.renewNs()) {
                old++;
            }
        }
        for (; surplus > 0; surplus--) {
            idle.pollFirst().dismiss();
        }
        if (old > 0 && idle.size() <= target.current()) {
            // The replacements come first; the next review finds a surplus and dismisses the oldest.
            spawn(Math.min(Math.min(old, RENEWALS_AT_ONCE), grain.application().room().forEvents()));
        }
        refill(true);
        context.timers.arm(review, context.nowNs + context.configuration.poolReviewNs());
    }

    /** What waits is dismissed now; what is being forked, or runs and would serve more, when it comes to take. */
    void renew() {
        generation++;
        while (context.has(Rule.NO_OUTDATED_SECRETS) && !idle.isEmpty()) {
            idle.pollFirst().dismiss();
        }
        refill(true);
    }

    /** Of those that are forked now. */
    int generation() {
        return generation;
    }

    boolean isOutdated(Instance instance) {
        return instance.generation != generation && context.has(Rule.NO_OUTDATED_SECRETS);
    }

    int count(Instance.State state) {
        return inState[state.ordinal()];
    }

    int idle() {
        return idle.size();
    }
}
