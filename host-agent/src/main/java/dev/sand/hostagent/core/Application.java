package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.hostagent.core.Input.AppKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A version of an application on this host: its grains, its one sandbox, and when that may go. Of a dedicated process there is one more,
 * which is READY from the start.
 *
 * <pre>
 * LOADING → READY     the registry has it
 * LOADING → REMOVED   it has not: the requests that wait are refused
 * READY   → REMOVED   superseded (or drained, or cold for long) and nothing of it runs
 * </pre>
 * Armed as a timer while it has nothing to do and its sandbox runs; or to be loaded again.
 */
final class Application extends Timed {
    private enum State { LOADING, READY, REMOVED }

    private static final long OTHER_WORKERS_AFTER_NS = 100_000_000;

    private final AppKey key;
    private final CoreContext context;
    private final Allowance allowance;
    private final Sandbox sandbox;
    private final Map<String, Grain> grains = new LinkedHashMap<>();
    private final List<Tenant> waiting = new ArrayList<>();
    private State state = State.LOADING;
    private ApplicationVersion version;
    private int open;
    private ProcessRoom room;
    private long lastUsedNs;
    private boolean retired;
    /** Workers of grains that nothing waits for yet, started once those that are awaited had their head start. */
    private final Timed otherWorkers = new Timed() {
        @Override
        void onDue() {
            for (Grain grain : grains.values()) {
                if (context.placing.mayRunHere(grain)) {
                    grain.worker().need();
                }
            }
        }
    };

    Application(AppKey key, CoreContext context) {
        this.key = key;
        this.context = context;
        this.allowance = context.allowances.ofApplication(key.application());
        this.sandbox = new Sandbox(this, context);
        this.lastUsedNs = context.nowNs;
    }

    AppKey key() {
        return key;
    }

    ApplicationVersion version() {
        return version;
    }

    /** Of its tenant. */
    Allowance allowance() {
        return allowance;
    }

    Sandbox sandbox() {
        return sandbox;
    }

    Grain grain(String name) {
        return grains.get(name);
    }

    Collection<Grain> grains() {
        return grains.values();
    }

    ProcessRoom room() {
        return room;
    }

    boolean isReady() {
        return state == State.READY;
    }

    int open() {
        return open;
    }

    long lastUsedNs() {
        return lastUsedNs;
    }

    // --- loading

    void load() {
        context.emit(new Action.LoadApplication(key));
    }

    void onLoaded(ApplicationVersion loaded, Failure failure) {
        List<Tenant> begun = List.copyOf(waiting);
        waiting.clear();
        if (failure != null) {
            onLoadFailed(begun, failure);
            return;
        }
        state = State.READY;
        version = loaded;
        room = new ProcessRoom(loaded.sandbox(), loaded.grains().size(), context.configuration.idleInstanceBytes());
        for (GrainSpec spec : loaded.grains().values()) {
            grains.put(spec.name(), new Grain(this, spec, context));
        }
        begun.forEach(Tenant::onApplicationReady);
        settle();
    }

    /** Requests are refused; what was accepted by an earlier run of the host agent waits for the registry to come back. */
    private void onLoadFailed(List<Tenant> begun, Failure failure) {
        for (Tenant tenant : begun) {
            if (tenant.waitsForRegistry() && failure.retryable()) {
                waiting.add(tenant);
            } else {
                tenant.onApplicationMissing(failure);
            }
        }
        if (waiting.isEmpty()) {
            remove();
        } else {
            context.timers.arm(this, context.nowNs + context.configuration.retryNs());
        }
    }

    // --- executions here, and events of others'

    void onTenant(Tenant tenant) {
        open++;
        lastUsedNs = context.nowNs;
        if (state == State.READY) {
            tenant.onApplicationReady();
        } else {
            waiting.add(tenant);
        }
    }

    void onTenantGone(Tenant tenant) {
        open--;
        lastUsedNs = context.nowNs;
        if (state == State.LOADING) {
            waiting.remove(tenant);
        } else if (open > 0) {
            return;
        } else if (retired || context.draining) {
            settle();
        } else if (!isArmed()) {
            context.timers.arm(this, lastUsedNs + version.sandbox().idleTimeoutMs() * 1_000_000);
        }
    }

    /** An event waits for the grain: whatever is missing for it is started. */
    void need(Grain grain) {
        sandbox.need();
        grain.worker().need();
    }

    boolean hasWork() {
        for (Grain grain : grains.values()) {
            if (!grain.queue().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    // --- its sandbox

    void onSandboxRunning() {
        for (Grain grain : grains.values()) {
            if (!grain.queue().isEmpty()) {
                grain.worker().need();
            }
        }
        context.timers.arm(otherWorkers, context.nowNs + OTHER_WORKERS_AFTER_NS);
        settle();
    }

    void onSandboxGone(String cause) {
        context.timers.disarm(otherWorkers);
        for (Grain grain : grains.values()) {
            grain.worker().onSandboxGone(cause);
        }
    }

    /** It has no sandbox, and needs none now. */
    void onSandboxNone() {
        settle();
        context.executions.checkDrained();
    }

    void failQueued(Failure failure) {
        for (Grain grain : grains.values()) {
            grain.failQueued(failure);
        }
    }

    // --- its end

    boolean isIdle() {
        return open == 0;
    }

    void retire() {
        retired = true;
        settle();
    }

    /** It is used again: a process was brought back whose own it is. */
    void unretire() {
        retired = false;
    }

    /** Superseded, or the host agent is draining: what is idle ends. */
    void settle() {
        if (state != State.READY || !isIdle() || !(retired || context.draining)) {
            return;
        }
        stop();
    }

    /** Ends the sandbox of an idle application; without one, forgets a superseded version. */
    void stop() {
        sandbox.stop();
        if (sandbox.isNone() && (retired || context.draining)) {
            remove();
        }
    }

    void remove() {
        if (state != State.REMOVED) {
            state = State.REMOVED;
            context.timers.disarm(this);
            context.timers.disarm(otherWorkers);
            context.applications.remove(key);
        }
    }

    /** The idle time may be over. */
    @Override
    void onDue() {
        if (state == State.LOADING) {
            if (waiting.isEmpty()) {
                remove();
            } else {
                load();
            }
            return;
        }
        if (!isIdle()) {
            return;
        }
        long dueNs = lastUsedNs + version.sandbox().idleTimeoutMs() * 1_000_000;
        if (dueNs <= context.nowNs) {
            stop();
        } else {
            context.timers.arm(this, dueNs);
        }
    }
}
