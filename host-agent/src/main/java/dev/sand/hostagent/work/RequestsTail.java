package dev.sand.hostagent.work;

import dev.sand.event.BusRecords;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRecord;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.RequestRecord;
import dev.sand.event.Topics;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.hostagent.journal.RecordAdapter;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests that came through the global bus: each was accepted when it was appended, so it is begun until its journal has it,
 * or its deadline has passed, which counts from then on by the bus's clock. The same id given twice is the same execution.
 */
final class RequestsTail extends LowWaterTail {
    private static final Logger LOG = LoggerFactory.getLogger(RequestsTail.class);
    private static final long RETRY_MS = 500;

    private final BiConsumer<InvocationRequest, InvocationListener> invoke;
    private final RecordAdapter records;
    private final ScheduledExecutorService clock;
    private final LongSupplier nowMs;

    /** @param atMs when the bus took it, by the bus's clock */
    private record Given(InvocationRequest request, long atMs) {
        /** With what is left of its time. */
        InvocationRequest at(long nowMs) {
            long waited = Math.max(0, nowMs - atMs);
            return new InvocationRequest(request.executionId(), request.application(), request.version(), request.target(),
                    request.input(), request.timeoutMs() - waited, true, request.traceparent(), request.redrive(), request.process());
        }
    }

    /** @param nowMs the bus's clock */
    RequestsTail(GlobalBus bus, String topic, int slot, long epoch, Executor threads,
                 BiConsumer<InvocationRequest, InvocationListener> invoke, RecordAdapter records, ScheduledExecutorService clock,
                 LongSupplier nowMs) {
        super(bus, topic, slot, epoch, threads);
        this.invoke = invoke;
        this.records = records;
        this.clock = clock;
        this.nowMs = nowMs;
    }

    @Override
    void on(BusRecord record) {
        InvocationRequest request = RequestRecord.decode(record.value()).request();
        BusRecords.require(Topics.requests(request.application()).equals(topic), "a request for " + request.application());
        lowWater.begins(request.executionId(), record.offset(), 0, 0);
        begin(new Given(request, record.atMs()));
    }

    private void begin(Given given) {
        InvocationRequest request = given.at(nowMs.getAsLong());
        boolean ended;
        try {
            ended = records.hasEnded(request.application(), request.executionId());
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, request.application())
                    .addKeyValue(LogFields.EXECUTION_ID, request.executionId()).addKeyValue(LogFields.SLOT, slot)
                    .addKeyValue(LogFields.EPOCH, epoch)
                    .log("request {} waits: its record cannot be read: {}", request.executionId(), e.getMessage());
            again(given);
            return;
        }
        if (ended) {
            done(request);
        } else if (request.timeoutMs() <= 0) {
            end(request, Status.TIMED_OUT, null, Failure.platform(Errors.TIMEOUT, "execution " + request.executionId()
                    + " waited in the global bus for longer than its " + given.request().timeoutMs() + " ms", true));
        } else {
            invoke.accept(request, new InvocationListener() {
                private volatile boolean accepted;

                @Override
                public void onAccepted() {
                    accepted = true;
                    inTurn(() -> done(request));
                }

                @Override
                public void onEnd(InvocationResult result) {
                    if (!accepted) {
                        inTurn(() -> onRefused(given, result));
                    }
                }
            });
        }
    }

    private void onRefused(Given given, InvocationResult result) {
        Failure failure = result.failure();
        if (ProcessPlace.slotOf(failure) >= 0) { // its caller was told so too, and may have begun it there
            end(given.request(), Status.FAILED, null, Failure.mayHaveRun(Errors.UNAVAILABLE, failure.cause()));
        } else if (failure != null && failure.retryable() && !failure.error().equals(Errors.TIMEOUT)) {
            again(given); // where the slot went, it is read again
        } else {
            end(given.request(), result.status(), result.output(), failure);
        }
    }

    private void end(InvocationRequest request, Status status, Payload output, Failure failure) {
        long now = nowMs.getAsLong();
        records.record(new InvocationRecord(Limits.SCHEMA_VERSION, request.executionId(), request.application(), request.version(),
                request.target(), status, request.input(), output, failure, now, now, 0, 0, List.of()).inProcess(request.process()),
                epoch, null);
        done(request);
    }

    private void again(Given given) {
        if (!isClosed() && !clock.isShutdown()) {
            clock.schedule(() -> inTurn(() -> begin(given)), RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void done(InvocationRequest request) {
        lowWater.ends(request.executionId(), 0, 0);
    }
}
