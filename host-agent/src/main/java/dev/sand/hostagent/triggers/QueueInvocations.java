package dev.sand.hostagent.triggers;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.QueueSpec;
import dev.sand.hostagent.triggers.TriggerFigures.QueueCounts;
import java.util.Set;

/** Batches of one queue as invocations, and what becomes of them. Owner's thread; what blocks goes to the crew. */
final class QueueInvocations {
    private static final Set<String> REFUSALS = Set.of(Errors.MOVED, Errors.UNAVAILABLE, Errors.OVERLOADED);

    /** Told once, on the owner's thread, and never before {@link #deliver} has returned. */
    interface Outcome {
        /** Whether the batch's partition is still this host's. */
        boolean isWanted();

        /** The platform does not take it just now: no attempt. */
        void onRefused();

        /** @param failure null: it succeeded; @param executionId null: there was none */
        void onEnded(Failure failure, String executionId);
    }

    private final TriggerParts parts;
    private final Crew crew;
    private final QueueCounts counts;

    QueueInvocations(TriggerParts parts, Crew crew, QueueCounts counts) {
        this.parts = parts;
        this.crew = crew;
        this.counts = counts;
    }

    void deliver(ApplicationVersion version, QueueSpec queue, Batch batch, Outcome outcome) {
        if (!parts.ownership().mayAct()) {
            // Suspended: it comes again here, under the same epoch, or with whoever owns the partition next.
            crew.own(outcome::onRefused);
            return;
        }
        String application = version.application();
        String own = batch.messages().getFirst().message().target();
        String target = own == null ? queue.target() : own;
        if (!version.hasTarget(target)) {
            crew.own(() -> outcome.onEnded(Failure.caller(Errors.NOT_FOUND, application + " version " + version.version()
                    + " has no grain or workflow " + target), null));
            return;
        }
        String id = Deliveries.executionId(application, queue.name(), batch, parts.ownership().slots());
        InvocationRequest request = new InvocationRequest(id, application, version.version(), target,
                Deliveries.event(batch, own == null && queue.batch() > 1), queue.timeoutMs(), false, null);
        if (!batch.recovered()) {
            invoke(batch, request, outcome);
            return;
        }
        crew.ask(() -> parts.records().get(application, id).filter(record -> record.status() != Status.RUNNING).orElse(null),
                (record, failure) -> {
                    if (failure != null) { // the store is away: it is not known whether it ended
                        outcome.onRefused();
                    } else if (record != null) {
                        outcome.onEnded(failureOf(record), id);
                    } else if (outcome.isWanted()) {
                        invoke(batch, request, outcome);
                    }
                });
    }

    private void invoke(Batch batch, InvocationRequest request, Outcome outcome) {
        counts.deliveries++;
        if (batch.attempt() > 1) {
            counts.retries++;
        }
        parts.host().invoke(request, new InvocationListener() {
            @Override
            public void onAccepted() {}

            @Override
            public void onEnd(InvocationResult result) {
                crew.own(() -> onResult(result, outcome));
            }
        });
    }

    private static void onResult(InvocationResult result, Outcome outcome) {
        Failure failure = failureOf(result);
        if (failure != null && failure.retryable() && REFUSALS.contains(failure.error())) {
            outcome.onRefused();
        } else {
            outcome.onEnded(failure, result.executionId());
        }
    }

    private static Failure failureOf(InvocationRecord record) {
        return failureOf(new InvocationResult(record.executionId(), record.status(), record.output(), record.failure(), record.hops()));
    }

    private static Failure failureOf(InvocationResult result) {
        return result.status() == Status.SUCCEEDED ? null : result.failure() != null ? result.failure()
                : Failure.platform(Errors.UNAVAILABLE, "execution " + result.executionId() + " ended as " + result.status(), false);
    }
}
