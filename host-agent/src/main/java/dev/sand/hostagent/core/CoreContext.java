package dev.sand.hostagent.core;

import dev.sand.hostagent.core.Input.AppKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What the parts of one shard's core share: the reading of the clock, where actions go, and the tables. One thread's. */
final class CoreContext {
    final CoreConfiguration configuration;
    final ExecutionFactory executionFactory;
    final Set<Rule> rules;
    final Counters counters = new Counters();
    final Timers timers = new Timers();
    final ExecutionTable executions = new ExecutionTable(this);
    /** Looked through in order of first use. */
    final Map<AppKey, Application> applications = new LinkedHashMap<>();
    /** By id; an id that is not there counts no more. */
    final Map<String, Worker> workers = new HashMap<>();
    final Map<String, Instance> instances = new HashMap<>();
    long nowNs;
    boolean draining;
    private final String idPrefix;
    private final long epochOffsetMs;
    private ActionSink sink;
    private long sandboxes;
    private long workerIds;
    private long instanceIds;

    CoreContext(CoreConfiguration configuration, ExecutionFactory executionFactory, String idPrefix, long epochOffsetMs,
                Set<Rule> rules) {
        this.configuration = configuration;
        this.executionFactory = executionFactory;
        this.idPrefix = idPrefix;
        this.epochOffsetMs = epochOffsetMs;
        this.rules = rules;
    }

    void begin(long nowNs, ActionSink sink) {
        this.nowNs = nowNs;
        this.sink = sink;
    }

    void emit(Action action) {
        sink.accept(action);
    }

    /** An input that counts no more. */
    void drop(String reason, Input input) {
        counters.stale++;
        sink.accept(new Action.Dropped(reason, input));
    }

    /** Asks an adapter again after a pause. */
    void later(Runnable step) {
        timers.arm(new Timed() {
            @Override
            void onDue() {
                step.run();
            }
        }, nowNs + configuration.retryNs());
    }

    boolean has(Rule rule) {
        return rules.contains(rule);
    }

    long epochMs() {
        return epochOffsetMs + nowNs / 1_000_000;
    }

    /** Eleven characters, so that the path of a socket below it fits. */
    String nextSandboxId() {
        String counter = Long.toString(sandboxes++, 36);
        return "s" + idPrefix + "0".repeat(Math.max(0, 10 - idPrefix.length() - counter.length())) + counter;
    }

    String nextWorkerId() {
        return "w" + idPrefix + Long.toString(workerIds++, 36);
    }

    String nextInstanceId() {
        return "i" + idPrefix + Long.toString(instanceIds++, 36);
    }

    /** A step that no transition table has: a broken invariant, not an operating error. */
    static IllegalStateException illegal(String what, String id, Enum<?> from, Enum<?> to) {
        return new IllegalStateException(what + " " + id + " cannot go from " + from + " to " + to);
    }
}
