package dev.sand.hostagent.core;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Looks into a core for the simulator: what no action shows. */
public final class CoreView {
    private final CoreContext context;
    private final Map<Grain, List<Event>> before = new IdentityHashMap<>();
    private long readmissionsAllowed;

    public CoreView(HostCore core) {
        this.context = core.context();
    }

    /** The remote event whose attempt the instance runs; null: it runs one of this host's own executions. */
    public RemoteEvent guestOf(String instance) {
        Instance known = context.instances.get(instance);
        return known != null && known.event.owner instanceof Guest guest ? guest.event() : null;
    }

    /** Remembers the queues, for the order of what is handed out next. */
    public void beforeInput() {
        before.clear();
        for (Application application : context.applications.values()) {
            for (Grain grain : application.grains()) {
                if (!grain.queue().isEmpty()) {
                    before.put(grain, new ArrayList<>(grain.queue().waiting()));
                }
            }
        }
    }

    /** @return what is wrong inside, or null */
    public String violation() {
        Counters counters = context.counters;
        if (counters.received != counters.refused + counters.joined + counters.admitted) {
            return "received " + counters.received + " is not refused + joined + admitted";
        }
        long ended = counters.succeeded + counters.failed + counters.timedOut + counters.cancelled + counters.moved;
        if (counters.admitted + counters.recovered != ended + context.executions.openCount()) {
            return "admitted " + counters.admitted + " + recovered " + counters.recovered + " is not ended " + ended + " + open "
                    + context.executions.openCount();
        }
        if (counters.admitted > 0 && context.executions.openCount() > context.configuration.maxExecutions() + counters.recovered) {
            return "more executions than allowed: " + context.executions.openCount();
        }
        String amiss = Objects.requireNonNullElseGet(waitsForTheBus(), () -> Objects.requireNonNullElse(overQuota(), ""));
        if (!amiss.isEmpty()) {
            return amiss;
        }
        readmissionsAllowed = counters.recovered * 4 + counters.sentAway + counters.unplaced;
        for (Application application : context.applications.values()) {
            for (Grain grain : application.grains()) {
                String wrong = violation(grain);
                if (wrong != null) {
                    return "grain " + grain.spec().name() + ": " + wrong;
                }
            }
        }
        return null;
    }

    /** What may run here is not kept waiting by a bus that confirms nothing: not to be sent, and, relaxed, not to be noted as lost. */
    private String waitsForTheBus() {
        long patienceNs = context.configuration.sendPatienceNs();
        long silenceNs = 2 * context.configuration.returnPatienceNs();
        long pausesNs = 10 * context.configuration.retryNs();
        for (RunningExecution execution : context.executions.open()) {
            for (Event event : execution.events()) {
                boolean mayRunHere = event.grain != null && context.placing.mayRunHere(event.grain);
                boolean unnoted = event.state() == Event.State.UNPLACED && !event.lacksHost() && event.silence() == null && !execution.isStrict();
                boolean tooLong = event.isUnconfirmed() && context.nowNs > event.queuedNs + 2 * patienceNs
                        || event.isAway() && !execution.isStrict() && context.nowNs > Math.max(event.queuedNs, context.placing.heardNs()) + silenceNs
                        || unnoted && context.nowNs > event.queuedNs + patienceNs + pausesNs;
                if (mayRunHere && tooLong) {
                    return event + " has waited for the global bus since " + event.queuedNs + ", and may run here";
                }
            }
        }
        return null;
    }

    private String overQuota() {
        for (Allowance allowance : context.allowances.all()) {
            long running = context.instances.values().stream().filter(one -> one.holdsSlot() && one.grain.application().allowance() == allowance).count();
            if (running != allowance.instances()) {
                return running + " instances run, and are counted as " + allowance.instances();
            }
            Allowance.Limits limits = allowance.limits();
            if (limits.instances() != null && running > limits.instances()) {
                return running + " instances run of " + limits.instances();
            }
            if (limits.memoryBytes() != null && allowance.memoryBytes() > limits.memoryBytes()) {
                return allowance.memoryBytes() + " bytes of memory are used of " + limits.memoryBytes();
            }
        }
        return null;
    }

    private String violation(Grain grain) {
        int holders = 0;
        for (Instance instance : grain.worker().instances()) {
            holders += instance.holdsSlot() ? 1 : 0;
        }
        if (grain.slots() != holders) {
            return grain.slots() + " concurrency slots are taken, by " + holders + " instances";
        }
        if (grain.slots() > grain.spec().concurrency()) {
            return grain.slots() + " attempts run at once; its concurrency is " + grain.spec().concurrency();
        }
        long most = grain.spec().queueDepth() + grain.spec().concurrency() + readmissionsAllowed;
        if (grain.queue().depth() > most) {
            return grain.queue().depth() + " events in a queue of depth " + grain.spec().queueDepth();
        }
        boolean someWait = false;
        for (Event event : before.getOrDefault(grain, List.of())) {
            someWait |= event.state() == Event.State.QUEUED && grain.queue().waiting().contains(event);
            if (someWait && event.isRunning()) {
                return event.id + " was handed out before an event that came earlier";
            }
        }
        return null;
    }

    /** @return what is still held after everything has ended, or null */
    public String leftover() {
        StringBuilder left = new StringBuilder();
        context.allowances.all().forEach(allowance -> note(left, "memory", (int) allowance.memoryBytes()));
        note(left, "applications", context.applications.size());
        note(left, "workers", context.workers.size());
        note(left, "instances", context.instances.size());
        note(left, "open executions", context.executions.openCount());
        note(left, "unrecorded executions", context.executions.unrecordedCount());
        note(left, "timers", context.timers.size());
        note(left, "events away", context.placing.sending().awayCount());
        note(left, "events without a host", context.placing.unplacedCount());
        note(left, "guests", context.guests.count());
        return left.isEmpty() ? null : left.toString();
    }

    /** @return what waits for the store or for other hosts, or runs for them; or null */
    public String busyElsewhere() {
        StringBuilder left = new StringBuilder();
        note(left, "unrecorded executions", context.executions.unrecordedCount());
        note(left, "events away", context.placing.sending().awayCount());
        note(left, "events without a host", context.placing.unplacedCount());
        note(left, "guests", context.guests.count());
        return left.isEmpty() ? null : left.toString();
    }

    private static void note(StringBuilder left, String what, int count) {
        if (count != 0) {
            left.append(left.isEmpty() ? "" : ", ").append(count).append(' ').append(what);
        }
    }
}
