package dev.sand.frontend.hosts;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.globalbus.Membership.Owner;
import java.util.List;

/** Ends of requests that no host has answered, in words; and what a host's refusal means for its request. */
final class RoutingFailures {
    private RoutingFailures() {}

    static InvocationResult of(InvocationRequest request, Failure failure) {
        return new InvocationResult(request.executionId(), Status.FAILED, null, failure, List.of());
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

    /** The host has not begun it, and says so. */
    static boolean isRefusal(InvocationResult result) {
        Failure failure = result.failure();
        return failure != null && failure.retryable() && result.hops().isEmpty() && RecordedResults.isKnown(failure)
                && (failure.error().equals(Errors.UNAVAILABLE) || failure.error().equals(Errors.OVERLOADED));
    }
}
