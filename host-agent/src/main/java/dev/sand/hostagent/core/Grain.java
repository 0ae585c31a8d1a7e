package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.Placement;
import dev.sand.localbus.GrainQueue;
import java.util.ArrayList;
import java.util.List;

/**
 * A grain of an application on this host: its queue, its worker and its instances; where an event is handed over, and in
 * {@link Attempts} what becomes of it. Events go
 * out in the order in which they came, those that run again last; no more run at once than its concurrency, so that with a
 * concurrency of 1 they also end in that order.
 */
final class Grain {
    private final Application application;
    private final GrainSpec spec;
    private final CoreContext context;
    private final GrainQueue<Event> queue;
    private final InstancePool pool;
    private final Worker worker;
    private final Attempts attempts;
    private final Placement placement;
    private final GrainFigures figures;
    private final Traffic traffic = new Traffic();
    private int slots;
    private boolean waitsForTurn;

    Grain(Application application, GrainSpec spec, CoreContext context) {
        this.application = application;
        this.spec = spec;
        this.context = context;
        this.queue = context.has(Rule.QUEUE_BOUND) ? new GrainQueue<>(spec.queueDepth(), spec.queueBytes())
                : new GrainQueue<>(Integer.MAX_VALUE, Long.MAX_VALUE);
        this.pool = new InstancePool(this, context);
        this.worker = new Worker(this, context);
        this.attempts = new Attempts(this, context);
        this.figures = context.figures.grain(application.key().application(), spec.name());
        this.placement = application.version().placement(spec.name());
    }

    Application application() {
        return application;
    }

    GrainSpec spec() {
        return spec;
    }

    GrainQueue<Event> queue() {
        return queue;
    }

    InstancePool pool() {
        return pool;
    }

    Worker worker() {
        return worker;
    }

    GrainFigures figures() {
        return figures;
    }

    Traffic traffic() {
        return traffic;
    }

    /** Which one of its instances may hold. */
    long instanceMemoryBytes() {
        return spec.instanceMemoryBytes(application.version().sandbox());
    }

    /** Where it may run. */
    Placement placement() {
        return placement;
    }

    Attempts attempts() {
        return attempts;
    }

    /** Attempts that hold one of the grain's concurrency slots. */
    int slots() {
        return slots;
    }

    void slotTaken() {
        slots++;
    }

    void slotReleased() {
        slots--;
        context.turns.give(application.allowance());
    }

    /** Its tenant runs as many instances on this host as it may. */
    boolean waitsForTurn() {
        return waitsForTurn;
    }

    void waitsForTurn(boolean waits) {
        waitsForTurn = waits;
    }

    private boolean hasSlot() {
        return slots < spec.concurrency() || !context.has(Rule.CONCURRENCY_LIMIT);
    }

    /** Events that could run now if instances waited for them. */
    int runnable() {
        int most = Math.min(Math.max(0, spec.concurrency() - slots), application.allowance().instancesLeft());
        return Math.min(queue.size(), most);
    }

    // --- events in

    /** Keeps a place for a request that is still to be journaled. @return null, or why it is refused */
    Failure reserve(long bytes) {
        if (application.allowance().instancesLeft() <= queue.depth()) {
            context.counters.overloaded++;
            return Refusals.instances(application.allowance(), queue.depth());
        }
        GrainQueue.Refusal refusal = queue.reserve(bytes);
        if (refusal == null) {
            return null;
        }
        context.counters.overloaded++;
        return Refusals.overloaded(this, refusal);
    }

    /** A new event: straight to an instance that waits, else into the queue, else its step fails. */
    void submit(Event event, boolean reserved) {
        if (reserved) {
            queue.release(event.bytes());
        }
        Failure broken = worker.importFailure();
        if (broken != null) {
            event.end(context);
            event.owner.onEventFailed(event, broken);
            return;
        }
        if (queue.isEmpty() && hasSlot() && application.sandbox().isRunning() && pool.idle() > 0 && context.turns.take(this)) {
            event.queued(context);
            traffic.cameIn(context.nowNs);
            context.counters.warm++;
            handOver(event, pool.poll());
            return;
        }
        GrainQueue.Refusal refusal = queue.offer(event);
        if (refusal != null) {
            context.counters.overloaded++;
            event.end(context);
            event.owner.onEventFailed(event, Refusals.overloaded(this, refusal));
            return;
        }
        event.queued(context);
        traffic.cameIn(context.nowNs);
        context.counters.missed++;
        pool.onMiss(slots + runnable());
        application.need(this);
    }

    /** An accepted event that comes (back): its attempt was lost, or the journal had it. */
    void readmit(Event event) {
        queue.readmit(event);
        event.queued(context);
        traffic.cameIn(context.nowNs);
        dispatch();
        if (event.state() == Event.State.QUEUED) {
            pool.refill(false);
            application.need(this);
        }
    }

    // --- events out

    void dispatch() {
        while (!queue.isEmpty() && hasSlot() && application.sandbox().isRunning() && pool.idle() > 0 && context.turns.take(this)) {
            handOver(context.has(Rule.FIFO_ORDER) ? queue.poll() : queue.pollLast(), pool.poll());
        }
    }

    /** Its tenant may run more instances than before. */
    void onTurn() {
        dispatch();
        if (!queue.isEmpty()) {
            pool.refill(false);
        }
    }

    private void handOver(Event event, Instance instance) {
        long deadlineNs = event.handedTo(instance, context);
        instance.running(event);
        traffic.handedOut(context.nowNs);
        long remainingMs = Math.max(1, (deadlineNs - context.nowNs + 999_999) / 1_000_000);
        context.counters.handedOver++;
        context.emit(new Action.HandOver(application.key(), instance.id, event.id, event.owner.executionId(), spec.name(),
                event.attempt, remainingMs, event.payload, event.owner.traceparent(), event.owner.process(), context.processes.told(event)));
        pool.onHandOver(slots);
    }

    void onTake(Instance instance, int pid) {
        instance.waiting(pid);
        boolean worn = spec.maxRequests() > 0 && instance.served >= spec.maxRequests() || pool.isOutdated(instance);
        if (worn || !application.sandbox().isRunning()) {
            instance.dismiss();
            pool.refill(true);
            return;
        }
        pool.add(instance);
        dispatch();
    }

    /** An instance has the secrets that its worker had when it was forked. */
    void onSecretsChanged() {
        if (!spec.secrets().isEmpty()) {
            pool.renew();
        }
    }

    /** Its process never came to take, and has told no pid: only the worker can be ended. */
    void onSpawnTimeout(Instance instance) {
        worker.restart("instance " + instance.id + " did not come to wait within "
                + context.configuration.spawnNs() / 1_000_000 + " ms");
    }

    /** What waits cannot be run now: it fails, each with its own workflow's Retry and Catch. */
    void failQueued(Failure failure) {
        List<Event> waiting = new ArrayList<>(queue.size());
        for (Event event = queue.poll(); event != null; event = queue.poll()) {
            waiting.add(event);
            event.end(context);
        }
        for (Event event : waiting) {
            event.owner.onEventFailed(event, failure);
        }
    }
}
