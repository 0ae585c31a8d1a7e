package dev.sand.hostagent.sim;

import static dev.sand.hostagent.sim.Dice.MS;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Slots;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.core.CoreConfiguration;
import dev.sand.hostagent.core.ExecutionFactory;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.RemoteEvent;
import dev.sand.hostagent.core.RemoteResult;
import dev.sand.hostagent.core.Rule;
import dev.sand.hostagent.sim.JournalView.Entry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One run of several hosts that share slots, in a world drawn from a seed: hosts that crash, pause, are cut off and join late,
 * in the midst of requests that frontends send again, and somebody may want stopped, events that run on other hosts, and recoveries that
 * die themselves.
 * After each step {@link ClusterChecks} holds; at the end faults stop, and everything that was promised has an end.
 */
final class ClusterSimulation implements Seeds.Run {
    private static final long PATIENCE_NS = 60_000 * MS;

    private final Set<Rule> rules;
    private final Set<Protocol> protocol;
    private final Schedule schedule = new Schedule();
    private final Dice dice;
    private final Workload workload;
    private final Trace trace = new Trace();
    private final SimMembership membership;
    private final SimStore store;
    private final SimFrontends frontends;
    private final SimStops stops;
    private final ClusterChecks checks;
    private final Map<String, ClusterHost> hosts = new TreeMap<>();
    private final Map<String, HostCard> cards = new TreeMap<>();
    private final List<SimLog<Entry>> journals = new ArrayList<>();
    private final List<SimLog<RemoteEvent>> works = new ArrayList<>();
    private final List<SimLog<RemoteResult>> returns = new ArrayList<>();
    private final Set<String> returned = new HashSet<>();
    private final boolean poisonous;
    /** Hosts often die soon after they took over what others left. */
    private final boolean frail;
    /** Of a hundred requests, those that somebody wants stopped. */
    private final int unwanted;
    private int requests;
    private boolean draining;

    ClusterSimulation(long seed, Set<Rule> rules, Set<Protocol> protocol) {
        this.rules = rules;
        this.protocol = protocol;
        this.dice = new Dice(seed);
        this.workload = Workload.ofCluster(dice);
        int slots = workload.configuration().slots();
        this.membership = new SimMembership(schedule, dice, protocol, slots);
        this.store = new SimStore(protocol);
        this.frontends = new SimFrontends(this, dice, 2, slots);
        this.stops = new SimStops(this, dice);
        this.checks = new ClusterChecks(this, slots);
        this.poisonous = dice.percent(20);
        this.frail = dice.percent(20);
        this.unwanted = dice.aside(50) ? dice.aside(5, 40) : 0;
        membership.watch(frontends);
        for (int i = 0; i < slots; i++) {
            journals.add(new SimLog<>());
            works.add(new SimLog<>());
            returns.add(new SimLog<>());
        }
        int count = 2 + dice.below(3);
        for (int i = 0; i < count; i++) {
            String name = "h" + i;
            hosts.put(name, new ClusterHost(this, name, Workload.labels(i), dice));
        }
    }

    /** @throws Violation when something happened that must not */
    @Override
    public void run() {
        boolean late = dice.percent(40);
        hosts.forEach((name, host) -> schedule.after(late && name.equals("h1") ? dice.between(0, 2000 * MS) : dice.between(0, 50 * MS),
                host::start));
        int planned = 15 + dice.below(35);
        long atNs = schedule.nowNs() + dice.between(0, 200 * MS);
        for (int i = 0; i < planned; i++) {
            atNs += dice.percent(40) ? 0 : dice.between(0, 120 * MS);
            schedule.at(atNs, this::request);
        }
        planFaults(atNs - schedule.nowNs());
        planSilence(atNs - schedule.nowNs());
        schedule.at(atNs + dice.between(100 * MS, 600 * MS), this::faultsStop);
        runUntil(() -> dice.faultsStopped() && requests == planned && frontends.allAnswered() && stops.allAnswered() && isQuiet(),
                "to end");
        store.checkEnd();
        stops.checkEnd();
        draining = true;
        hosts.values().forEach(host -> host.on(new Input.Drain()));
        runUntil(() -> hosts.values().stream().allMatch(host -> host.isDrained() && host.view().leftover() == null
                && host.leftover() == null), "to drain");
    }

    boolean isDraining() {
        return draining;
    }

    private boolean isQuiet() {
        for (ClusterHost host : hosts.values()) {
            if (!host.isAlive() || host.core().openExecutions() > 0 || host.view().busyElsewhere() != null) {
                return false;
            }
        }
        for (int slot = 0; slot < membership.slots(); slot++) {
            ClusterHost owner = host(membership.owner(slot).host());
            if (owner == null || owner.driver(slot) == null || !owner.driver(slot).isReady()) {
                return false;
            }
        }
        return true;
    }

    private void runUntil(BooleanSupplier done, String what) {
        long untilNs = schedule.nowNs() + PATIENCE_NS;
        while (!done.getAsBoolean()) {
            if (schedule.nowNs() > untilNs) {
                StringBuilder left = new StringBuilder();
                hosts.forEach((name, host) -> left.append("; ").append(name).append(host.isAlive() ? " has " + host.core().openExecutions()
                        + " open, " + host.view().busyElsewhere() + ", " + host.view().leftover() + ", " + host.leftover() : " is dead"));
                throw new Violation("waited in vain for everything " + what + ": answered " + frontends.allAnswered() + left);
            }
            step();
        }
    }

    private void step() {
        ClusterHost next = null;
        for (ClusterHost host : hosts.values()) {
            boolean ticks = host.isAlive() && !host.link().isPaused();
            if (ticks && (next == null || host.core().nextDeadlineNs() < next.core().nextDeadlineNs())) {
                next = host;
            }
        }
        if (next != null && next.core().nextDeadlineNs() <= schedule.nextNs()) {
            schedule.advanceTo(next.core().nextDeadlineNs());
            next.on(new Input.Tick());
        } else {
            schedule.step();
        }
    }

    // --- what happens

    private void request() {
        requests++;
        AppKey app = dice.oneOf(workload.applications());
        long timeoutMs = dice.percent(10) ? 1 + dice.below(100) : 500 + dice.below(4000);
        boolean poison = poisonous && dice.percent(30);
        String id = (poison ? "p" : "x") + requests;
        SimFrontends.Call call = frontends.request(new InvocationRequest(id, app.application(), app.version(),
                dice.oneOf(workload.targets(app)), Script.payload("in" + requests), timeoutMs, poison || dice.percent(50), null));
        if (unwanted > 0 && dice.aside(unwanted)) {
            schedule.after(dice.aside(1, dice.aside(50) ? 40 : 1500) * MS, () -> stops.stop(call));
        }
    }

    /** What runs it takes its host down, every time. */
    boolean isPoison(String executionId) {
        return executionId.startsWith("p");
    }

    private void planFaults(long spanNs) {
        if (dice.faultsStopped()) {
            return;
        }
        List<ClusterHost> all = List.copyOf(hosts.values());
        for (int i = dice.below(6); i > 0; i--) {
            ClusterHost host = dice.oneOf(all);
            long atNs = dice.between(100 * MS, Math.max(200 * MS, spanNs));
            long lastsNs = dice.percent(70) ? dice.between(150 * MS, 900 * MS) : dice.between(MS, 200 * MS);
            int kind = dice.below(4);
            schedule.after(atNs, () -> begin(host, kind));
            schedule.after(atNs + lastsNs, () -> end(host, kind));
        }
    }

    /** The bus itself is away: nobody hears it, and nobody can be given what another has. */
    private void planSilence(long spanNs) {
        if (dice.faultsStopped() || !dice.aside(25)) {
            return;
        }
        long atNs = dice.aside(100, 200 + (int) (spanNs / MS)) * MS;
        long lastsNs = dice.aside(50, 1500) * MS;
        schedule.after(atNs, () -> hosts.values().forEach(host -> host.cut(true)));
        schedule.after(atNs + lastsNs, () -> hosts.values().forEach(host -> host.cut(false)));
    }

    private void begin(ClusterHost host, int kind) {
        switch (kind) {
            case 0 -> host.crash();
            case 1, 2 -> host.pause(true);
            default -> host.cut(true);
        }
    }

    private void end(ClusterHost host, int kind) {
        switch (kind) {
            case 0 -> host.start();
            case 1, 2 -> host.pause(false);
            default -> host.cut(false);
        }
    }

    /** It goes on with executions of another. */
    void hasRecovered(ClusterHost host) {
        if (frail && dice.fault(40)) {
            long atNs = dice.between(0, 80 * MS);
            schedule.after(atNs, host::crash);
            schedule.after(atNs + dice.between(50 * MS, 400 * MS), host::start);
        }
    }

    private void faultsStop() {
        dice.stopFaults();
        hosts.values().forEach(host -> {
            host.cut(false);
            host.pause(false);
        });
        restart();
    }

    private void restart() {
        hosts.values().forEach(ClusterHost::start);
        schedule.after(100 * MS, this::restart);
    }

    // --- the global bus

    long append(int slot, Entry entry) {
        long offset = journals.get(slot).append(entry);
        checks.appended(slot, offset, entry);
        return offset;
    }

    void appendWork(int slot, RemoteEvent event) {
        works.get(slot).append(event);
        tell(slot, SlotDriver::pollWork);
    }

    void appendReturn(RemoteResult result) {
        returned.add(SlotDriver.key(result.event()));
        int slot = result.event().slot();
        returns.get(slot).append(result);
        tell(slot, SlotDriver::pollReturns);
    }

    private void tell(int slot, Consumer<SlotDriver> what) {
        for (ClusterHost host : hosts.values()) {
            SlotDriver driver = host.driver(slot);
            if (driver != null) {
                host.link().fromOthers(() -> what.accept(driver));
            }
        }
    }

    void trimWork(int slot, long below) {
        SimLog<RemoteEvent> work = works.get(slot);
        for (long offset = work.begin(); offset < below; offset++) {
            if (!returned.contains(SlotDriver.key(work.get(offset)))) {
                throw new Violation("work item " + work.get(offset).eventId() + " is trimmed, and was not returned");
            }
        }
        work.trim(below);
    }

    void onCard(HostCard card) {
        cards.put(card.host(), card);
        List<HostCard> now = cards.values().stream().filter(each -> hosts.get(each.host()).isAlive()).toList();
        hosts.values().forEach(host -> host.link().fromOthers(() -> host.on(new Input.HostsChanged(now))));
    }

    /** A slot that the host owns, as the topic of claims says; -1: none. */
    int slotOf(String host) {
        for (int slot = 0; slot < membership.slots(); slot++) {
            if (host.equals(membership.owner(slot).host())) {
                return slot;
            }
        }
        return -1;
    }

    // --- the parts

    int slotOfExecution(String executionId) {
        return Slots.of(executionId, membership.slots());
    }

    @Override
    public Trace trace() {
        return trace;
    }

    Schedule schedule() {
        return schedule;
    }

    long nowNs() {
        return schedule.nowNs();
    }

    Dice dice() {
        return dice;
    }

    Set<Rule> rules() {
        return rules;
    }

    Set<Protocol> protocol() {
        return protocol;
    }

    SimMembership membership() {
        return membership;
    }

    SimStore store() {
        return store;
    }

    SimFrontends frontends() {
        return frontends;
    }

    SimStops stops() {
        return stops;
    }

    ClusterChecks checks() {
        return checks;
    }

    ClusterHost host(String name) {
        return name == null ? null : hosts.get(name);
    }

    SimLog<Entry> journal(int slot) {
        return journals.get(slot);
    }

    SimLog<RemoteEvent> work(int slot) {
        return works.get(slot);
    }

    SimLog<RemoteResult> returns(int slot) {
        return returns.get(slot);
    }

    CoreConfiguration configuration() {
        return workload.configuration();
    }

    ExecutionFactory factory() {
        return workload.factory();
    }

    ApplicationVersion version(AppKey app) {
        return workload.version(app);
    }
}
