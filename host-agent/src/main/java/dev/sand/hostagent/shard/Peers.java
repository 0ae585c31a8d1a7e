package dev.sand.hostagent.shard;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProcessException;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.process.Change.Outgoing;
import dev.sand.hostagent.segments.SegmentServer;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** Asks other hosts, for functions here, for what is theirs of cloud processes: over the links between hosts, as a frontend does. */
final class Peers {
    private static final Failure NONE = Failure.platform(Errors.UNAVAILABLE, "this host agent reaches no other one", true);
    private final SegmentServer segments;
    private final LargePayloads payloads;
    private final Work work;
    /** Null: there are no others, or not yet. */
    private volatile HostAgentPort hosts;

    Peers(SegmentServer segments, LargePayloads payloads, Work work) {
        this.segments = segments;
        this.payloads = payloads;
        this.work = work;
    }

    void reaches(HostAgentPort all) {
        hosts = all;
    }

    void find(Shard shard, Action.FindElsewhere find) {
        HostAgentPort all = hosts;
        if (all == null) {
            tell(shard, () -> find.then().accept(null, NONE));
            return;
        }
        all.process(new ProcessCommand(find.application(), find.version(), find.process(), ProcessCommand.Kind.DESCRIBE))
                .whenComplete((view, thrown) -> tell(shard, () -> find.then().accept(view, failure(thrown))));
    }

    void send(Shard shard, Action.SendElsewhere send) {
        Outgoing message = send.message();
        withBytes(send.application(), message.payload(), payload -> hosts.send(new ProcessMessage(send.application(), send.version(),
                message.sender(), message.ordinal(), message.source(), message.destination(), message.key(), payload, send.waitMs()), early(shard, send))
                .whenComplete((done, thrown) -> tell(shard, () -> send.then().accept(failure(thrown)))),
                failure -> tell(shard, () -> send.then().accept(failure)));
    }

    private static HostAgentPort.Early early(Shard shard, Action.SendElsewhere send) {
        HostAgentPort.Early early = send.early();
        return early == null ? null : new HostAgentPort.Early(early.behind(), hurry -> tell(shard, () -> early.taken().accept(hurry)));
    }

    void list(Shard shard, Action.ListElsewhere list) {
        HostAgentPort all = hosts;
        if (all == null) {
            tell(shard, () -> list.then().accept(null, NONE));
            return;
        }
        all.processes(list.application()).whenComplete((views, thrown) -> tell(shard, () -> list.then().accept(views, failure(thrown))));
    }

    void invoke(Shard shard, Action.InvokeElsewhere invoke) {
        InvocationRequest request = invoke.request();
        withBytes(request.application(), request.input(), payload -> hosts.invoke(LargePayloads.withInput(request, payload),
                new InvocationListener() {
                    @Override
                    public void onAccepted() {
                        tell(shard, invoke.accepted());
                    }

                    @Override
                    public void onEnd(InvocationResult result) {
                        ended(shard, invoke, result);
                    }
                }), failure -> ended(shard, invoke, failed(request, failure)));
    }

    /** A large output comes into this host's memory, for as long as whoever asked runs. */
    private void ended(Shard shard, Action.InvokeElsewhere invoke, InvocationResult result) {
        if (!LargePayloads.isLarge(result.output())) {
            tell(shard, () -> invoke.then().accept(result));
            return;
        }
        payloads.store(invoke.request().application(), invoke.caller(), result.output(), (reference, failure) -> tell(shard,
                () -> invoke.then().accept(failure != null ? failed(invoke.request(), failure)
                        : new InvocationResult(result.executionId(), result.status(), reference, result.failure(), result.hops()))));
    }

    private static InvocationResult failed(InvocationRequest request, Failure failure) {
        return new InvocationResult(request.executionId(), InvocationResult.Status.FAILED, null, failure, List.of());
    }

    /** References mean nothing on another machine. */
    private void withBytes(String application, Payload payload, Consumer<Payload> then, Consumer<Failure> failed) {
        if (hosts == null) {
            failed.accept(NONE);
        } else if (payload.reference() == null) {
            then.accept(payload);
        } else if (!work.tryRun(() -> read(application, payload, then, failed))) {
            failed.accept(Failure.platform(Errors.OVERLOADED, "the host agent has too much to do", true));
        }
    }

    private void read(String application, Payload payload, Consumer<Payload> then, Consumer<Failure> failed) {
        Payload read;
        try {
            read = new Payload(payload.contentType(), segments.read(application, payload.reference()), null);
        } catch (StoreException e) {
            failed.accept(Failure.platform(Errors.UNAVAILABLE, e.getMessage(), true));
            return;
        }
        then.accept(read);
    }

    private static void tell(Shard shard, Runnable then) {
        shard.submit(new Input.FromElsewhere(then));
    }

    private static Failure failure(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return cause == null ? null : cause instanceof ProcessException refused ? refused.failure()
                : Failure.platform(Errors.UNAVAILABLE, String.valueOf(cause.getMessage()), true);
    }
}
