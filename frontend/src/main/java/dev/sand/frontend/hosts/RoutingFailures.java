package dev.sand.frontend.hosts;

import dev.sand.datalayer.RecordedResults;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.InvocationResult;
import dev.sand.globalbus.Membership.Owner;
import java.util.List;

/** Ends of requests that no host has answered, in words; and what a host's refusal means for its request. */
final class RoutingFailures {
    private RoutingFailures() {}

    static InvocationResult of(InvocationRequest request, Failure failure) {
        return new InvocationResult(request.executionId(), Status.FAILED, null, failure, List.of());
    }

    /** As the host said it, or, when it may have begun elsewhere, so that whoever asked knows that. */
    static InvocationResult turnedAway(InvocationRequest request, InvocationResult refusal, boolean unsure) {
        Failure failure = refusal.failure();
        return unsure && RecordedResults.isKnown(failure) ? of(request, Failure.mayHaveRun(failure.error(), failure.cause())) : refusal;
    }

    /** No host took it. @param unsure it may have run, or will */
    static InvocationResult untaken(InvocationRequest request, String error, String cause, boolean unsure) {
        return of(request, unsure ? Failure.mayHaveRun(error, cause) : Failure.platform(error, cause, true));
    }

    /** A host has it, and does not say what becomes of it. @param owner of its slot, or null; @param trouble as below */
    static String silent(InvocationRequest request, int slot, Owner owner, long ms, String trouble) {
        return "execution " + request.executionId() + " was not accepted within " + ms + " ms by "
                + (owner == null ? "any host" : "host " + owner.host().host()) + ", which owns slot " + slot
                + (trouble == null ? "" : " (" + trouble + ")");
    }

    /** @param owner of its slot, or null; @param until how long it was looked for; @param trouble what was heard last, or null */
    static String unreachable(InvocationRequest request, int slot, Owner owner, String until, String trouble) {
        String who = owner == null ? "slot " + slot + " has no owner"
                : "host " + owner.host().host() + ", which owns slot " + slot + ", cannot be reached";
        return "execution " + request.executionId() + " found no host " + until + ": "
                + (trouble == null ? who : who + " (" + trouble + ")");
    }

    static InvocationResult late(InvocationRequest request, String trouble) {
        return new InvocationResult(request.executionId(), Status.TIMED_OUT, null, Failure.mayHaveRun(Errors.TIMEOUT,
                "execution " + request.executionId() + " has no end long after its deadline"
                        + (trouble == null ? "" : ": " + trouble)), List.of());
    }

    static InvocationResult stopping(InvocationRequest request, boolean goesOn) {
        return of(request, Failure.mayHaveRun(Errors.UNAVAILABLE, "the frontend stops before execution " + request.executionId()
                + " ended" + (goesOn ? ", which goes on" : "")));
    }

    /** The host has not begun it, and may take it in a moment. */
    static boolean isNotNow(InvocationResult result) {
        Failure failure = result.failure();
        return failure != null && failure.error().equals(Errors.UNAVAILABLE) && failure.retryable() && result.hops().isEmpty();
    }

    /** The host does not take it; whether that is all that there is to it, the failure says. */
    static boolean isTurnedAway(InvocationResult result) {
        Failure failure = result.failure();
        return failure != null && failure.retryable() && result.hops().isEmpty()
                && (failure.error().equals(Errors.UNAVAILABLE) || failure.error().equals(Errors.OVERLOADED));
    }
}
