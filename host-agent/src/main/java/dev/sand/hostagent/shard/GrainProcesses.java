package dev.sand.hostagent.shard;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.event.thrift.Message;
import dev.sand.event.thrift.ProcessEntry;
import dev.sand.event.thrift.ProcessInvokeRequest;
import dev.sand.event.thrift.ProcessInvoked;
import dev.sand.event.thrift.ProcessList;
import dev.sand.event.thrift.ProcessListRequest;
import dev.sand.event.thrift.ProcessResult;
import dev.sand.event.thrift.ProcessResultRequest;
import dev.sand.event.thrift.ReceiveReply;
import dev.sand.event.thrift.ReceiveRequest;
import dev.sand.event.thrift.SendRequest;
import dev.sand.event.thrift.StateGetRequest;
import dev.sand.event.thrift.StateKeysRequest;
import dev.sand.event.thrift.StateValue;
import dev.sand.event.thrift.StateWriteRequest;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.core.ProcessCall;
import dev.sand.hostagent.objects.GlobalObjects;
import dev.sand.hostagent.objects.ObjectCopies;
import dev.sand.hostagent.process.InvokingMessages;
import dev.sand.hostagent.process.PayloadList;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.StateWrite;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.localbus.BusReply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls about cloud processes of one host's grains: from the wire to inputs of the core, and back. Values by reference are kept for
 * the process before the core hears of them, off the shard; the core says when they may go.
 */
final class GrainProcesses {
    private static final int MOST_KEYS = 1_000;
    /** Of one attempt; their numbers are remembered. */
    private static final int MOST_SENDS = 1_000_000;
    private static final Duration AGAIN = Duration.ofMillis(200);
    private static final Logger LOG = LoggerFactory.getLogger(GrainProcesses.class);
    private final AtomicLong joins = new AtomicLong();
    private final SegmentServer segments;
    private final ObjectCopies copies;
    private final ProcessStore store;
    private final Work work;

    GrainProcesses(SegmentServer segments, ObjectCopies copies, ProcessStore store, Work work) {
        this.store = store;
        this.segments = segments;
        this.copies = copies;
        this.work = work;
    }

    /** A call with what says which attempt it is of. */
    private record Of(String eventId, int attempt, ProcessCall call, List<Payload> values) {}

    /**
     * Called on the shard's thread, and becomes an input at once when no value is large.
     *
     * @param push told of a large value before the instance is
     */
    void call(Shard shard, AppKey app, String instance, Object request, BusReply<Object> reply, Consumer<Payload.Reference> push) {
        Of of;
        try {
            of = of(request);
        } catch (IllegalArgumentException e) {
            reply.refuse(Errors.BAD_REQUEST, e.getMessage());
            return;
        }
        Input.CallProcess input = new Input.CallProcess(app, instance, of.eventId(), of.attempt(), of.call(),
                answer -> {
                    Payload value = value(answer);
                    if (LargePayloads.isReference(value)) {
                        push.accept(value.reference());
                    }
                    answer(reply, answer);
                });
        // What invokes a function is an input, which a redrive may need when that has ended.
        boolean isMessage = of.call() instanceof ProcessCall.Send send && !InvokingMessages.isOne(send.key());
        kept(shard, app.application(), of.values(), isMessage, () -> shard.on(input),
                cause -> reply.refuse(Errors.UNAVAILABLE, cause));
    }

    private static Payload value(Answer answer) {
        return switch (answer) {
            case Answer.Value found -> found.value();
            case Answer.Received received -> received.payload();
            case Answer.Outcome outcome -> outcome.output();
            default -> null;
        };
    }

    /**
     * Values by reference are kept, then the step is done; on the shard's thread, as is what is done when they cannot be. At once unless
     * somebody else is at the values just now.
     *
     * @param areMessages each is read by one, who has done so when it is freed
     */
    void kept(Shard shard, String application, List<Payload> values, boolean areMessages, Runnable step, Consumer<String> failed) {
        List<Payload.Reference> references = references(values);
        if (references.isEmpty() || segments.retainAtOnce(application, references, areMessages)) {
            step.run();
            return;
        }
        boolean taken = work.tryRun(() -> {
            int kept = 0;
            try {
                for (Payload.Reference reference : references) {
                    segments.retain(application, reference);
                    kept++;
                }
                shard.execute(step);
            } catch (RuntimeException e) {
                references.subList(0, kept).forEach(reference -> segments.forget(application, reference));
                shard.execute(() -> failed.accept(e.getMessage()));
            }
        });
        if (!taken) {
            failed.accept("the host agent has too many large values to keep");
        }
    }

    ProcessStore store() {
        return store;
    }

    void free(String application, List<Payload> values) {
        List<Payload.Reference> references = references(values);
        if (!segments.forgetAtOnce(application, references)
                && !work.tryRun(() -> references.forEach(reference -> segments.forget(application, reference)))) {
            references.forEach(reference -> segments.forget(application, reference)); // a lock's time, rather than a leak
        }
    }

    /** Off the shard: values may be large. */
    void join(Shard shard, Action.Join join) {
        boolean taken = work.tryRun(() -> {
            try {
                shard.submit(new Input.Joined(join, joined(join)));
            } catch (RuntimeException e) { // no memory for it now, most likely: its messages are kept until there is
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, join.application())
                        .log("the input of an invocation by {} messages cannot be made yet: {}", join.values().size(), e.getMessage());
                shard.execute(() -> shard.after(AGAIN, () -> join(shard, join)));
            }
        });
        if (!taken) {
            shard.after(AGAIN, () -> join(shard, join));
        }
    }

    /** Values come into this host's memory. */
    void restore(Shard shard, Action.RestoreProcess restore) {
        boolean taken = work.tryRun(() -> {
            List<Payload> kept = new ArrayList<>();
            try {
                ProcessStore.Read read = store.read(restore.application(), restore.process(), restore.values(), kept);
                List<ProcessChange> local = !restore.values() ? restore.changes() : restore.changes().stream()
                        .map(change -> change.map(payload -> local(restore.application(), payload, kept))).toList();
                shard.submit(new Input.ProcessRestored(restore, new Action.Restored(read.image(), read.place(), local), null));
            } catch (RuntimeException | IOException e) { // whatever it is: the process waits for the answer
                notRestored(shard, restore, kept, e.getMessage(), passes(e));
            }
        });
        if (!taken) {
            shard.after(AGAIN, () -> restore(shard, restore));
        }
    }

    /** Not what is gone, or damaged. */
    private static boolean passes(Exception e) {
        return e instanceof StoreException store && store.kind() != StoreException.Kind.BROKEN
                && !(e instanceof GlobalObjects.DamagedException);
    }

    /** A value that a journal names comes into this host's memory. */
    void bring(Shard shard, Action.BringValue bring) {
        boolean taken = work.tryRun(() -> shard.submit(brought(bring)));
        if (!taken) {
            shard.after(AGAIN, () -> bring(shard, bring));
        }
    }

    Input.ValueBrought brought(Action.BringValue bring) {
        try {
            return new Input.ValueBrought(bring, local(bring.application(), bring.named(), new ArrayList<>(1)), null);
        } catch (RuntimeException e) { // whatever it is: a message waits for the answer
            return new Input.ValueBrought(bring, null, Failure.platform(Errors.UNAVAILABLE, e.getMessage(), passes(e)));
        }
    }

    private void notRestored(Shard shard, Action.RestoreProcess restore, List<Payload> kept, String why, boolean passes) {
        free(restore.application(), kept);
        LOG.atWarn().addKeyValue(LogFields.APPLICATION, restore.application())
                .log("process {} cannot be brought here{}: {}", restore.process(), passes ? " yet" : "", why);
        shard.submit(new Input.ProcessRestored(restore, null, Failure.platform(Errors.UNAVAILABLE, "process " + restore.process()
                + " cannot be read: " + why, passes)));
    }

    private Payload local(String application, Payload payload, List<Payload> kept) {
        if (!GlobalObjects.isGlobal(payload)) {
            return payload;
        }
        String owner = "restored/" + joins.incrementAndGet();
        try {
            Payload local = copies.toLocal(application, owner, payload);
            segments.retain(application, local.reference());
            kept.add(local);
            return local;
        } finally {
            copies.leave(application, owner);
        }
    }

    private Payload joined(Action.Join join) {
        Payload joined = PayloadList.of(join.values().stream().map(value -> value.reference() == null ? value
                : new Payload(value.contentType(), segments.read(join.application(), value.reference()), null)).toList());
        return joined.size() <= Limits.INLINE_BYTES ? joined : kept(join.application(), joined);
    }

    private Payload kept(String application, Payload payload) {
        String owner = "join/" + joins.incrementAndGet();
        Payload kept = segments.put(application, owner, payload);
        segments.retain(application, kept.reference());
        segments.release(application, owner);
        return kept;
    }

    /** What came from another host, kept for a process here. @param then told it or why it cannot be, on this thread or another */
    void keep(String application, Payload payload, BiConsumer<Payload, Failure> then) {
        if (payload.size() <= Limits.INLINE_BYTES) {
            then.accept(payload, null);
            return;
        }
        boolean taken = work.tryRun(() -> {
            Payload kept;
            try {
                kept = kept(application, payload);
            } catch (RuntimeException e) {
                then.accept(null, Failure.platform(Errors.OVERLOADED, "a message cannot be kept: " + e.getMessage(), true));
                return;
            }
            then.accept(kept, null);
        });
        if (!taken) {
            then.accept(null, Failure.platform(Errors.OVERLOADED, "the host agent has too many large values to keep", true));
        }
    }

    private static List<Payload.Reference> references(List<Payload> values) {
        List<Payload.Reference> references = List.of();
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i).reference() != null) {
                references = references.isEmpty() ? new ArrayList<>(1) : references;
                references.add(values.get(i).reference());
            }
        }
        return references;
    }

    // --- from the wire

    private static Of of(Object request) {
        return switch (request) {
            case StateGetRequest get -> new Of(get.getEventId(), get.getAttempt(), new ProcessCall.Get(get.getKey(), get.isLooks()),
                    List.of());
            case StateKeysRequest keys -> new Of(keys.getEventId(), keys.getAttempt(),
                    new ProcessCall.Keys(keys.getAfter(), Math.clamp(keys.getLimit(), 1, MOST_KEYS)), List.of());
            case StateWriteRequest write -> {
                List<StateWrite> writes = writes(write.getWrites());
                yield new Of(write.getEventId(), write.getAttempt(), new ProcessCall.Write(writes), StateWrite.values(writes));
            }
            case SendRequest send -> {
                Payload payload = Messages.payload(send.getPayload());
                if (send.getNumber() < 0 || send.getNumber() > MOST_SENDS) {
                    throw new IllegalArgumentException("an attempt sends at most " + MOST_SENDS + " messages");
                }
                yield new Of(send.getEventId(), send.getAttempt(), new ProcessCall.Send(send.getNumber(), send.getDestination(),
                        send.getKey(), payload, send.getWaitMs()), List.of(payload));
            }
            case ReceiveRequest receive -> new Of(receive.getEventId(), receive.getAttempt(),
                    new ProcessCall.Receive(receive.getSource(), receive.getKey(), receive.getWaitMs()), List.of());
            case ProcessInvokeRequest invoke -> {
                Payload payload = Messages.payload(invoke.getPayload());
                yield new Of(invoke.getEventId(), invoke.getAttempt(), new ProcessCall.Invoke(invoke.getNumber(),
                        invoke.getDestination(), invoke.getGrain(), payload, invoke.isAwaited()), List.of(payload));
            }
            case ProcessResultRequest result -> new Of(result.getEventId(), result.getAttempt(),
                    new ProcessCall.Result(result.getInvocation(), result.getWaitMs()), List.of());
            case ProcessListRequest list -> new Of(list.getEventId(), list.getAttempt(),
                    new ProcessCall.Processes(list.isSetNewerThan() ? list.getNewerThan() : null, list.getWaitMs()), List.of());
            default -> throw new IllegalStateException("no call about processes: " + request.getClass().getSimpleName());
        };
    }

    /** @throws IllegalArgumentException for a value that is none */
    static List<StateWrite> writes(List<dev.sand.event.thrift.StateWrite> wire) {
        List<StateWrite> writes = new ArrayList<>(wire.size());
        for (dev.sand.event.thrift.StateWrite write : wire) {
            writes.add(new StateWrite(write.getKey(), write.isSetValue() ? Messages.payload(write.getValue()) : null));
        }
        return writes;
    }

    // --- to the wire

    private static void answer(BusReply<Object> reply, Answer answer) {
        switch (answer) {
            case Answer.Done() -> reply.answer(null);
            case Answer.Value(Payload value) -> reply.answer(value == null ? new StateValue() : new StateValue().setValue(Messages.payload(value)));
            case Answer.KeyList(List<String> keys) -> reply.answer(keys);
            case Answer.Received(String source, String key, Payload payload) ->
                    reply.answer(new ReceiveReply().setMessage(new Message(source, key, Messages.payload(payload))));
            case Answer.Nothing() -> reply.answer(new ReceiveReply());
            case Answer.Invoked(String invocation, Answer.Outcome outcome) -> {
                ProcessInvoked invoked = new ProcessInvoked(invocation);
                reply.answer(outcome == null ? invoked : invoked.setResult(result(outcome)));
            }
            case Answer.Outcome outcome -> reply.answer(result(outcome));
            case Answer.Listed listed -> {
                List<ProcessEntry> entries = new ArrayList<>(listed.statuses().size());
                listed.statuses().forEach((process, status) -> entries.add(new ProcessEntry(process, status)));
                reply.answer(new ProcessList(listed.version(), entries));
            }
            case Answer.Refused(String error, String message) -> reply.refuse(error, message);
        }
    }

    private static ProcessResult result(Answer.Outcome outcome) {
        ProcessResult result = new ProcessResult().setError(outcome.error()).setCause(outcome.cause());
        return outcome.output() == null ? result : result.setOutput(Messages.payload(outcome.output()));
    }
}
