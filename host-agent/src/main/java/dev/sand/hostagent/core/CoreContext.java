package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.InvocationResult.Hop;
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
    final Allowances allowances;
    final Counters counters = new Counters();
    final Figures figures = new Figures(this);
    final Timers timers = new Timers();
    final String host;
    final SlotTable slots;
    final ExecutionTable executions = new ExecutionTable(this);
    final Intake intake = new Intake(this, executions);
    final Stops stops = new Stops(this);
    final Placing placing;
    final Turns turns = new Turns(this);
    final Guests guests = new Guests(this);
    final Processes processes;
    /** Looked through in order of first use. */
    final Map<AppKey, Application> applications = new LinkedHashMap<>();
    /** By id; an id that is not there counts no more. */
    final Map<String, Worker> workers = new HashMap<>();
    /** By id, until they are seen to have ended. */
    final Map<String, KilledWorker> killedWorkers = new HashMap<>();
    final Map<String, Instance> instances = new HashMap<>();
    long nowNs;
    boolean draining;
    boolean heapIsFull;
    final Readers readers = new Readers();
    static final int EVENTS_A_TURN = 4;
    private final String idPrefix;
    private int begun;
    private final long epochOffsetMs;
    private ActionSink sink;
    private long sandboxes;
    private long workerIds;
    private long instanceIds;

    CoreContext(CoreConfiguration configuration, ExecutionFactory executionFactory, String host, String idPrefix,
                long epochOffsetMs, Allowances allowances, Set<Rule> rules) {
        this.configuration = configuration;
        this.executionFactory = executionFactory;
        this.idPrefix = idPrefix;
        this.epochOffsetMs = epochOffsetMs;
        this.allowances = allowances;
        this.rules = rules;
        this.host = host;
        this.slots = new SlotTable(configuration.slots());
        this.placing = new Placing(this);
        this.processes = new Processes(this);
    }

    void begin(long nowNs, ActionSink sink) {
        this.begun = 0;
        this.nowNs = nowNs;
        this.sink = sink;
    }

    /** Whether one more event may go into a queue, or to an instance, in this turn: of a wide fan-out the others follow in their own. */
    boolean mayBeginOne() {
        return begun++ < EVENTS_A_TURN;
    }

    void emit(Action action) {
        sink.accept(action);
    }

    /**
     * An attempt on this host, with all that is told of it.
     *
     * @param trace is its execution's trace context, or null; @param counted what it uses is counted with somebody else's figures
     */
    void attemptEnded(Event event, Hop hop, String trace, boolean counted) {
        Grain grain = event.grain;
        if (grain != null) {
            grain.figures().ended(hop);
            sink.attemptEnded(grain.application().key(), hop, trace);
            if (!counted && hop.handedNs() != 0) {
                sink.used(grain.application().key(), hop, memoryBytes(event));
            }
        }
    }

    /** What its process may use, whoever asked for it; of one that runs in none, what an instance of its grain may. */
    private long memoryBytes(Event event) {
        if (event.owner.process() == null) {
            return event.grain.instanceMemoryBytes();
        }
        Application application = event.grain.application();
        ProcessHome home = processes.table().here(application.key().application(), Processes.id(event));
        return home == null ? application.version().processSpec().memoryBytes() : home.spec().memoryBytes();
    }

    /** An input that counts no more. */
    void drop(String reason, Input input) {
        counters.stale++;
        sink.accept(new Action.Dropped(reason, input));
    }

    /** Asks an adapter again after a pause. */
    void later(Runnable step) {
        later(configuration.retryNs(), step);
    }

    void later(long pauseNs, Runnable step) {
        timers.arm(new Timed() {
            @Override
            void onDue() {
                step.run();
            }
        }, nowNs + pauseNs);
    }

    /** Whether what was begun under that epoch of the slot may still have effects. */
    boolean mayAct(int slot, long epoch) {
        return slots.holds(slot, epoch) || !has(Rule.LOST_SLOT_LOST_EFFECTS);
    }

    /** What is known of the application here; it begins to be loaded when nothing is. */
    Application application(AppKey key) {
        Application application = applications.get(key);
        if (application == null) {
            forgetColdest();
            application = new Application(key, this);
            applications.put(key, application);
            application.load();
        }
        return application;
    }

    /** A version in the sandbox of one process's own; it is not retired (any more). */
    Application dedicated(AppKey key, ApplicationVersion version) {
        Application application = applications.get(key);
        if (application == null) {
            forgetColdest();
            application = new Application(key, this);
            applications.put(key, application);
            application.onLoaded(version, null);
        }
        application.unretire();
        return application;
    }

    private void forgetColdest() {
        if (applications.size() < configuration.coldApplications()) {
            return;
        }
        Application coldest = null;
        for (Application application : applications.values()) {
            boolean cold = application.isReady() && application.isIdle() && application.sandbox().isNone();
            if (cold && (coldest == null || application.lastUsedNs() < coldest.lastUsedNs())) {
                coldest = application;
            }
        }
        if (coldest != null) {
            coldest.remove();
        }
    }

    /** Ends a sandbox in which nothing has run for longest. @param of whose; null: anybody's; @return whether one was ended, or is ending */
    boolean stopLongestIdle(Allowance of) {
        Application longestIdle = null;
        for (Application application : applications.values()) {
            if (of != null && application.allowance() != of) {
                continue;
            }
            if (of != null && application.sandbox().state() == Sandbox.State.STOPPING) {
                return true;
            }
            boolean idle = application.sandbox().isRunning() && application.isIdle();
            if (idle && (longestIdle == null || application.lastUsedNs() < longestIdle.lastUsedNs())) {
                longestIdle = application;
            }
        }
        if (longestIdle != null) {
            longestIdle.stop();
        }
        return longestIdle != null;
    }

    boolean has(Rule rule) {
        return rules.contains(rule);
    }

    long epochMs() {
        return epochMs(nowNs);
    }

    /** @param atNs by the clock that is given with inputs */
    long epochMs(long atNs) {
        return epochOffsetMs + atNs / 1_000_000;
    }

    /** To 1970's clock, from {@link #nowNs}. */
    long epochOffsetNs() {
        return epochOffsetMs * 1_000_000;
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
