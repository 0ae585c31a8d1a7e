package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.localbus.GrainQueue;
import dev.sand.workflow.Execution.Published;
import java.util.List;
import java.util.Map;

/** Why an event, or what an attempt gave back, is not taken: in words, with the limit and the actual value. */
final class Refusals {
    private static final int INPUT_BYTES = Limits.FRAME_BYTES - Limits.INLINE_BYTES;

    private Refusals() {}

    static Failure overloaded(Grain grain, GrainQueue.Refusal refusal) {
        return new Failure(Errors.OVERLOADED, "grain " + grain.spec().name() + " of application "
                + grain.application().key().application() + " has a " + refusal.limit() + " of " + refusal.allowed()
                + ", and this event would make it " + refusal.actual() + "; try again later, or raise the limit in sand.yaml",
                Failure.Source.PLATFORM, true, null, Map.of("limit", refusal.allowed(), "actual", refusal.actual()));
    }

    /** @return null when the event fits into a frame */
    static Failure ofInput(Event event) {
        return event.bytes() <= INPUT_BYTES ? null : tooLarge("the input of " + event.id, INPUT_BYTES, event.bytes());
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

    static Failure deadline(Event event, long nowNs) {
        String words = event.isRunning()
                ? " ran for " + (nowNs - event.handedNs) / 1_000_000 + " ms, which is the limit of grain " + event.grainName
                        + " or of the step"
                : " waited in the queue of grain " + event.grainName + " for " + (nowNs - event.queuedNs) / 1_000_000
                        + " ms, which is the limit of the step";
        return Failure.platform(Errors.TIMEOUT, "step " + event.step + words, true);
    }

    /** Its worker or sandbox was lost under it, in every run that it may have. */
    static Failure lost(Event event, String cause) {
        return Failure.platform(Errors.CRASHED, "event " + event.id + " was lost " + event.attempt
                + " times with the process that ran it: " + cause, true);
    }

    static Failure noInstances(Grain grain, String cause) {
        return Failure.platform(Errors.UNAVAILABLE, "grain " + grain.spec().name() + " of application "
                + grain.application().key().application() + " gets no instances: " + cause, true);
    }
}
