package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.localbus.GrainQueue;
import dev.sand.workflow.Execution.Published;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A grain of an application on this host: its queue, its worker and its instances; where an event is handed over. Events go
 * out in the order in which they came, those that run again last; no more run at once than its concurrency, so that with a
 * concurrency of 1 they also end in that order.
 */
final class Grain {
    private static final int OUTPUT_BYTES = Limits.INLINE_BYTES;
    private static final int INPUT_BYTES = Limits.FRAME_BYTES - Limits.INLINE_BYTES;

    private final Application application;
    private final GrainSpec spec;
    private final CoreContext context;
    private final GrainQueue<Event> queue;
    private final InstancePool pool;
    private final Worker worker;
    private int slots;

    Grain(Application application, GrainSpec spec, CoreContext context) {
        this.application = application;
        this.spec = spec;
        this.context = context;
        this.queue = context.has(Rule.QUEUE_BOUND) ? new GrainQueue<>(spec.queueDepth(), spec.queueBytes())
                : new GrainQueue<>(Integer.MAX_VALUE, Long.MAX_VALUE);
        this.pool = new InstancePool(this, context);
        this.worker = new Worker(this, context);
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

    /** Attempts that hold one of the grain's concurrency slots. */
    int slots() {
        return slots;
    }

    void slotTaken() {
        slots++;
    }

    void slotReleased() {
        slots--;
    }

    private boolean hasSlot() {
        return slots < spec.concurrency() || !context.has(Rule.CONCURRENCY_LIMIT);
    }

    /** Events that could run now if instances waited for them. */
    int runnable() {
        return Math.min(queue.size(), Math.max(0, spec.concurrency() - slots));
    }

    // --- events in

    /** Keeps a place for a request that is still to be journaled. @return null, or why it is refused */
    Failure reserve(long bytes) {
        GrainQueue.Refusal refusal = queue.reserve(bytes);
        return refusal == null ? null : overloaded(refusal);
    }

    /** A new event: straight to an instance that waits, else into the queue, else its step fails. */
    void submit(Event event, boolean reserved) {
        if (reserved) {
            queue.release(event.bytes());
        }
        Failure broken = event.bytes() > INPUT_BYTES ? tooLarge("input of " + event.id, INPUT_BYTES, event.bytes())
                : worker.importFailure();
        if (broken != null) {
            event.end(context);
            event.execution.onEventFailed(event, broken);
            return;
        }
        if (queue.isEmpty() && hasSlot() && application.sandbox().isRunning()) {
            Instance instance = pool.poll();
            if (instance != null) {
                event.queued(context);
                context.counters.warm++;
                handOver(event, instance);
                return;
            }
        }
        GrainQueue.Refusal refusal = queue.offer(event);
        if (refusal != null) {
            context.counters.overloaded++;
            event.end(context);
            event.execution.onEventFailed(event, overloaded(refusal));
            return;
        }
        event.queued(context);
        context.counters.missed++;
        pool.onMiss(slots + runnable());
        application.need(this);
    }

    /** An accepted event that comes (back): its attempt was lost, or the journal had it. */
    void readmit(Event event) {
        queue.readmit(event);
        event.queued(context);
        dispatch();
        if (event.state() == Event.State.QUEUED) {
            pool.refill(false);
            application.need(this);
        }
    }

    // --- events out

    void dispatch() {
        while (!queue.isEmpty() && hasSlot() && application.sandbox().isRunning()) {
            Instance instance = pool.poll();
            if (instance == null) {
                return;
            }
            handOver(context.has(Rule.FIFO_ORDER) ? queue.poll() : queue.pollLast(), instance);
        }
    }

    private void handOver(Event event, Instance instance) {
        long deadlineNs = event.handedTo(instance, context);
        instance.running(event);
        long remainingMs = Math.max(1, (deadlineNs - context.nowNs + 999_999) / 1_000_000);
        context.counters.handedOver++;
        context.emit(new Action.HandOver(application.key(), instance.id, event.id, event.execution.id(), spec.name(),
                event.attempt, remainingMs, event.payload, event.execution.request().traceparent()));
        context.emit(new Action.LogScope(application.key(), instance.id, event.execution.id(), event.id, event.attempt, true));
        pool.onHandOver(slots);
    }

    void onTake(Instance instance, int pid) {
        instance.waiting(pid);
        boolean worn = spec.maxRequests() > 0 && instance.served >= spec.maxRequests();
        if (worn || !application.sandbox().isRunning()) {
            instance.dismiss();
            pool.refill(true);
            return;
        }
        pool.add(instance);
        dispatch();
    }

    // --- attempts end

    void onFinish(Event event, Payload output, List<Published> withFinish, long startedNs, long endedNs) {
        List<Published> published = event.published(withFinish);
        Failure refusal = refusal(event, output, published);
        if (refusal != null) {
            onFail(event, refusal, startedNs, endedNs);
            return;
        }
        proved();
        context.counters.finished++;
        Instance instance = endAttempt(event, null, startedNs, endedNs);
        event.execution.onEventSucceeded(event, output, published);
        afterAttempt(event, instance);
    }

    void onFail(Event event, Failure failure, long startedNs, long endedNs) {
        proved();
        context.counters.attemptsFailed++;
        Instance instance = endAttempt(event, failure.error(), startedNs, endedNs);
        event.execution.onEventFailed(event, failure);
        afterAttempt(event, instance);
    }

    /** A handler ran: whatever kept the worker or the sandbox from it before is over. */
    private void proved() {
        worker.proved();
        application.sandbox().proved();
    }

    private Instance endAttempt(Event event, String error, long startedNs, long endedNs) {
        Instance instance = event.instance;
        if (instance == null) {
            queue.remove(event); // only with STALE_ATTEMPT_DROPPED off: a late result ends an event that waits again
            event.end(context);
            return null;
        }
        event.end(context);
        int hop = event.execution.addHop(event, error, startedNs, endedNs);
        boolean takesAgain = spec.isolation() == Isolation.WORKER;
        if (!takesAgain) {
            instance.expectFigures(event.execution, hop);
        }
        instance.attemptEnded(takesAgain);
        return instance;
    }

    private void afterAttempt(Event event, Instance instance) {
        dispatch();
        if (instance != null) {
            context.emit(new Action.LogScope(application.key(), instance.id, event.execution.id(), event.id, event.attempt, false));
        }
        pool.onAttemptEnded(event.execution.isEnded());
    }

    /** The event is not to run (any more): it leaves the queue, or its instance is killed. Tells its execution nothing. */
    void withdraw(Event event, String error, boolean kills) {
        Instance instance = event.instance;
        if (event.isRunning()) {
            int hop = event.execution.addHop(event, error, 0, 0);
            instance.expectFigures(event.execution, hop);
            closeLogScope(event);
            event.end(context);
            if (kills) {
                instance.kill();
            }
        } else {
            queue.remove(event);
            event.end(context);
        }
    }

    private Failure refusal(Event event, Payload output, List<Published> published) {
        if (output.bytes() != null && output.bytes().length > OUTPUT_BYTES) {
            return tooLarge("output of " + event.id, OUTPUT_BYTES, output.bytes().length);
        }
        if (published.size() > Limits.PUBLICATIONS) {
            return Failure.limit(Errors.TOO_LARGE, event.id + " published " + published.size() + " events; the limit of an attempt is "
                    + Limits.PUBLICATIONS, Failure.Source.GRAIN, Limits.PUBLICATIONS, published.size());
        }
        for (int i = 0; i < published.size(); i++) {
            if (application.grain(published.get(i).grain()) == null) {
                return Failure.grain(Errors.UNKNOWN_GRAIN, event.id + " published to grain " + published.get(i).grain()
                        + ", which application " + application.key().application() + " does not have", null);
            }
        }
        return null;
    }

    /** The attempt's process was lost with its worker or sandbox, or never saw the event: it runs again, last in the queue. */
    void onLost(Event event, String cause) {
        context.counters.lost++;
        event.execution.addHop(event, Errors.CRASHED, 0, 0);
        closeLogScope(event);
        if (event.attempt < context.configuration.runsPerEvent() || !context.has(Rule.RETRY_LIMIT)) {
            context.counters.reruns++;
            event.nextAttempt(context);
            readmit(event);
        } else {
            Failure failure = Instance.lost(event, cause);
            event.end(context);
            event.execution.onEventFailed(event, failure);
        }
    }

    /** @param failure what the event that it ran fails with, when it still ran one */
    void onInstanceDied(Instance instance, Failure failure, boolean exited) {
        Instance.State was = instance.state();
        Event event = instance.event;
        boolean underEvent = instance.holdsSlot() && event != null && event.isRunning() && event.instance == instance;
        pool.remove(instance);
        if (underEvent) {
            context.counters.crashed++;
            int hop = event.execution.addHop(event, failure.error(), 0, 0);
            event.end(context);
            instance.expectFigures(event.execution, hop);
        }
        instance.gone(exited);
        if (was == Instance.State.SPAWNING) {
            onForkFailed(failure.cause());
        }
        if (underEvent) {
            closeLogScope(event);
            event.execution.onEventFailed(event, failure);
        }
        dispatch();
        pool.refill(true);
    }

    /** The instance was gone before its handler saw the event. */
    void onHandOverFailed(Instance instance) {
        Event event = instance.event;
        instance.gone(false);
        onLost(event, "instance " + instance.id + " was gone when it was handed over");
        pool.refill(true);
    }

    void onForkFailed(String cause) {
        if (pool.onForkFailed()) {
            failQueued(Failure.platform(Errors.UNAVAILABLE, "grain " + spec.name() + " of application "
                    + application.key().application() + " gets no instances: " + cause, true));
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
            event.execution.onEventFailed(event, failure);
        }
    }

    private void closeLogScope(Event event) {
        context.emit(new Action.LogScope(application.key(), event.instance.id, event.execution.id(), event.id, event.attempt, false));
    }

    private Failure overloaded(GrainQueue.Refusal refusal) {
        return new Failure(Errors.OVERLOADED, "grain " + spec.name() + " of application " + application.key().application()
                + " has a " + refusal.limit() + " of " + refusal.allowed() + ", and this event would make it " + refusal.actual()
                + "; try again later, or raise the limit in sand.yaml", Failure.Source.PLATFORM, true, null,
                Map.of("limit", refusal.allowed(), "actual", refusal.actual()));
    }

    private static Failure tooLarge(String what, long limit, long actual) {
        return Failure.limit(Errors.TOO_LARGE, "the " + what + " has " + actual + " bytes in its frame; the limit is " + limit
                + ", larger values go by reference", Failure.Source.GRAIN, limit, actual);
    }
}
