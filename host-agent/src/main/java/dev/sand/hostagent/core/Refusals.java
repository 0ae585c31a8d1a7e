package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.Placement;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.localbus.GrainQueue;
import dev.sand.workflow.Execution.Published;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Why an event, or what an attempt gave back, is not taken: in words, with the limit and the actual value. */
final class Refusals {
    private Refusals() {}

    /** A request that no execution answers. */
    static Action.Respond respond(InvocationRequest request, InvocationListener listener, Failure failure) {
        return new Action.Respond(listener, new InvocationResult(request.executionId(), InvocationResult.Status.FAILED, null,
                failure, List.of()), -1, 0);
    }

    static Failure deleted(InvocationRequest request) {
        return Failure.caller(Errors.NOT_FOUND, "application " + request.application() + " was deleted, version " + request.version()
                + " with it");
    }

    static Failure moved(String executionId, int slot) {
        return Failure.platform(Errors.MOVED, "execution " + executionId + " is in slot " + slot
                + ", which is another host's; ask there under the same id", true);
    }

    /** Of a process: whoever asks for it asks the owner of that slot. */
    static Failure movedProcess(String process, int slot) {
        return new Failure(Errors.MOVED, "process " + process + " lives in slot " + slot + ", which is another host's",
                Failure.Source.PLATFORM, true, null, Map.of(ProcessPlace.SLOT, slot));
    }

    /** Whoever asks again for what has moved looks at its record first. */
    static Failure inItsRecord(String executionId) {
        return Failure.platform(Errors.MOVED, "execution " + executionId + " has ended under an earlier owner of its slot; its"
                + " record says how", true);
    }

    /** Whoever asks again begins it. */
    static Failure nothing(String executionId) {
        return Failure.platform(Errors.MOVED, "execution " + executionId + " was lost with an earlier owner of its slot before it had ended",
                true);
    }

    /** Soon it will be known to have. */
    static Failure notEnded(String executionId) {
        return Failure.platform(Errors.UNAVAILABLE, "execution " + executionId + " is about to end; redrive it again", true);
    }

    /** Of one of that id it is not known yet whether the global bus has it, nor that it has its end. */
    static Failure withdrawn(String executionId) {
        return Failure.platform(Errors.UNAVAILABLE, "an earlier request for execution " + executionId
                + " was given up while it was being written to the global bus, and its end is not written yet; come back later", true);
    }

    static Failure overloaded(String what, long limit, long actual) {
        return new Failure(Errors.OVERLOADED, "this host agent's shard has a limit of " + limit + " " + what
                + ", and this one would make it " + actual + "; try again later", Failure.Source.PLATFORM, true, null,
                Map.of("limit", limit, "actual", actual));
    }

    static Failure nested(InvocationRequest request, String what, long limit, long actual) {
        return new Failure(Errors.OVERLOADED, "workflows start no more executions while their application has " + limit + " " + what
                + " on a shard, and workflow " + request.target() + " of application " + request.application() + " would make it " + actual
                + "; does one start itself without an end?", Failure.Source.PLATFORM, true, null,
                Map.of("limit", limit, "actual", actual));
    }

    /** @param waiting events that come before */
    static Failure instances(Allowance of, int waiting) {
        int limit = of.limits().instances();
        return overQuota("instances", "tenant '" + of.tenant() + "' may run " + limit + " instances at once on this host, and as many run or"
                + " are about to", limit, of.instances() + waiting + 1L, true);
    }

    static Failure memory(Allowance of, AppKey key, long bytes) {
        long limit = of.limits().memoryBytes();
        long would = of.memoryBytes() + bytes;
        return overQuota("memoryBytes", "the sandboxes of tenant '" + of.tenant() + "' may use " + limit + " bytes of memory on this host, and"
                + " that of application " + key.application() + " would make it " + would, limit, would, bytes <= limit);
    }

    /** A quota is a limit as any other, so whoever asks again on a full queue does so here. @param later there may be room */
    private static Failure overQuota(String quota, String why, long limit, long actual, boolean later) {
        String what = later ? "; try again later" : "; it is more than there may be of all together: make it smaller, or have the quota raised";
        return new Failure(Errors.OVERLOADED, why + what, Failure.Source.PLATFORM, later, null,
                Map.of("quota", quota, "limit", limit, "actual", actual));
    }

    static Failure overloaded(Grain grain, GrainQueue.Refusal refusal) {
        return new Failure(Errors.OVERLOADED, "grain " + grain.spec().name() + " of application "
                + grain.application().key().application() + " has a " + refusal.limit() + " of " + refusal.allowed()
                + ", and this event would make it " + refusal.actual() + "; try again later, or raise the limit in sand.yaml",
                Failure.Source.PLATFORM, true, null, Map.of("limit", refusal.allowed(), "actual", refusal.actual()));
    }

    /** @return null when the attempt's output and publications can be taken */
    static Failure ofResult(Event event, Payload output, List<Published> published, Application application) {
        if (output.bytes() != null && output.bytes().length > Limits.INLINE_BYTES) {
            return tooLarge("the output of " + event.id, Limits.INLINE_BYTES, output.bytes().length);
        }
        if (published.size() > Limits.PUBLICATIONS) {
            return Failure.limit(Errors.TOO_LARGE, event.id + " published " + published.size()
                    + " events; the limit of an attempt is " + Limits.PUBLICATIONS, Failure.Source.GRAIN, Limits.PUBLICATIONS,
                    published.size());
        }
        for (int i = 0; i < published.size(); i++) {
            if (application.grain(published.get(i).grain()) == null) {
                return Failure.grain(Errors.UNKNOWN_GRAIN, event.id + " published to grain " + published.get(i).grain()
                        + ", which application " + application.key().application() + " does not have", null);
            }
        }
        return null;
    }

    private static Failure tooLarge(String what, long limit, long actual) {
        return Failure.limit(Errors.TOO_LARGE, what + " has " + actual + " bytes in its frame; the limit is " + limit
                + ", larger values go by reference", Failure.Source.GRAIN, limit, actual);
    }

    /** @param nowhere why no host runs it, when it lacks one */
    static Failure deadline(Event event, long nowNs, String nowhere) {
        String words = event.lacksHost()
                ? " waited for a host for " + (nowNs - event.queuedNs) / 1_000_000 + " ms, which is the limit of the step: " + nowhere
                : event.silence() != null
                ? " could not be sent to another host for " + (nowNs - event.queuedNs) / 1_000_000 + " ms, and the limit of the step is over: "
                        + event.silence()
                : event.isAway()
                ? " was sent to host " + event.host + " and did not come back for " + (nowNs - event.queuedNs) / 1_000_000
                        + " ms, which is the limit of the step"
                : event.isRunning()
                ? " ran for " + (nowNs - event.handedNs) / 1_000_000 + " ms, which is the limit of grain " + event.grainName
                        + " or of the step"
                : " waited in the queue of grain " + event.grainName + " for " + (nowNs - event.queuedNs) / 1_000_000
                        + " ms, which is the limit of the step";
        return Failure.platform(Errors.TIMEOUT, "step " + event.step + words, true);
    }

    /** Its worker or sandbox was lost under it, in every run that it may have. */
    static Failure lost(Event event, String cause) {
        return Failure.platform(Errors.CRASHED, "event " + event.id + " was lost " + event.losses()
                + " times with the process or host that ran it: " + cause, true);
    }

    /** @param hosts the live ones, in words */
    static String nowhere(Event event, Placement placement, String hosts) {
        return "grain " + event.grainName + " of application " + event.grain.application().key().application() + " may run "
                + placement(placement) + " only, and no host that is live is such: " + hosts;
    }

    private static String placement(Placement placement) {
        String hosts = placement.hosts().isEmpty() ? "" : "on host " + String.join(" or ", new TreeSet<>(placement.hosts()));
        String labels = placement.labels().isEmpty() ? ""
                : "where the labels are " + String.join(" and ", new TreeSet<>(placement.labels()));
        return hosts.isEmpty() || labels.isEmpty() ? hosts + labels : hosts + " and " + labels;
    }

    static Failure noInstances(Grain grain, String cause) {
        return Failure.platform(Errors.UNAVAILABLE, "grain " + grain.spec().name() + " of application "
                + grain.application().key().application() + " gets no instances: " + cause, true);
    }
}
