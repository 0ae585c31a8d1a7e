package dev.sand.hostlink;

import dev.sand.event.Codec;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.event.Slots;
import dev.sand.event.thrift.network.Accepted;
import dev.sand.event.thrift.network.CallbackAnswer;
import dev.sand.event.thrift.network.Cancel;
import dev.sand.event.thrift.network.Cancelled;
import dev.sand.event.thrift.network.Challenge;
import dev.sand.event.thrift.network.DeleteApplication;
import dev.sand.event.thrift.network.Done;
import dev.sand.event.thrift.network.Drain;
import dev.sand.event.thrift.network.Ended;
import dev.sand.event.thrift.network.Failed;
import dev.sand.event.thrift.network.Hello;
import dev.sand.event.thrift.network.Hopped;
import dev.sand.event.thrift.network.Invoke;
import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.Refused;
import dev.sand.event.thrift.network.Status;
import dev.sand.event.thrift.network.Value;
import dev.sand.event.thrift.network.Watch;
import dev.sand.event.thrift.network.WatchEnded;
import dev.sand.event.thrift.network.Welcome;
import dev.sand.event.thrift.network.host_agentConstants;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One frontend's connection, at the host's end: passes calls on to the host agent, and its answers back. */
final class ServerConnection extends Connection {
    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final HostLinkServer server;
    private final HostAgentPort host;
    private final String address;
    private final byte[] nonce = new byte[ClusterKey.PROOF_BYTES];
    /** Calls that are not answered yet. */
    private final Set<Long> calls = new HashSet<>();
    private final Map<Long, AutoCloseable> watches = new HashMap<>();
    private final RemoteSends sends;
    private Hello hello;
    private boolean stranger = true;

    ServerConnection(HostLinkServer server, String address, Room room, Executor blocking) {
        super(server.options, room, blocking);
        this.server = server;
        this.host = server.parts.host();
        this.address = address;
        this.sends = new RemoteSends(this, host);
    }

    @Override
    void onConnected() {
        RANDOM.nextBytes(nonce);
    }

    @Override
    void onHandshake(Message message) {
        switch (message.getSetField()) {
            case HELLO -> {
                hello = message.getHello();
                if (hello.getProtocol() != host_agentConstants.PROTOCOL) {
                    refuse("this host speaks version " + host_agentConstants.PROTOCOL + " of the protocol, not " + hello.getProtocol());
                } else if (hello.getNonce().length != ClusterKey.PROOF_BYTES || hello.getName().length() > 255) {
                    refuse("that is no hello");
                } else {
                    send(Message.challenge(new Challenge(host_agentConstants.PROTOCOL, server.parts.name(),
                            ByteBuffer.wrap(nonce))));
                }
            }
            case PROOF -> {
                // The host proves itself only to who has: nobody gets to try keys on its proofs.
                if (hello == null || !ClusterKey.same(prove(ClusterKey.Role.FRONTEND), message.getProof().getProof())) {
                    refuse("the frontend does not have this cluster's key");
                    return;
                }
                known();
                opened();
                send(Message.welcome(new Welcome(ByteBuffer.wrap(prove(ClusterKey.Role.HOST)),
                        server.parts.epochs().slots())));
                LOG.atInfo().addKeyValue(LogFields.PEER, hello.getName())
                        .log("frontend {} is connected from {}", hello.getName(), address);
            }
            default -> throw new LinkException("a handshake in disorder");
        }
    }

    private byte[] prove(ClusterKey.Role role) {
        return server.parts.key().prove(role, hello.getNonce(), nonce, hello.getName(), server.parts.name());
    }

    private void refuse(String cause) {
        LOG.warn("refusing {}: {}", address, cause);
        send(Message.refused(new Refused(cause)));
        close(cause);
    }

    private void known() {
        if (stranger) {
            stranger = false;
            server.noStranger();
        }
    }

    @Override
    void onMessage(Message message) {
        switch (message.getSetField()) {
            case INVOKE -> invoke(message.getInvoke());
            case CANCEL -> {
                Cancel cancel = message.getCancel();
                long call = begin(cancel.getCall());
                answer(call, host.cancel(cancel.getExecutionId(), cancel.getError(), cancel.getCause()),
                        found -> Message.cancelled(new Cancelled(call, found)));
            }
            case CALLBACK -> {
                long call = begin(message.getCallback().getCall());
                answer(call, host.callBack(Wire.callback(message.getCallback())),
                        outcome -> Message.callbackAnswer(new CallbackAnswer(call, outcome.name())));
            }
            case COMMAND_PROCESS -> {
                long call = begin(message.getCommandProcess().getCall());
                command(call, Codec.decode(message.getCommandProcess().getCommand(), ProcessCommand.class));
            }
            case SEND_TO_PROCESS -> sends.begin(message.getSendToProcess());
            case HURRY -> sends.hurry(message.getHurry().getCall());
            case LIST_PROCESSES -> {
                long call = begin(message.getListProcesses().getCall());
                answer(call, host.processes(message.getListProcesses().getApplication()),
                        views -> Message.processes(Wire.views(call, views)));
            }
            case WATCH -> watch(message.getWatch());
            case FORGET -> forget(message.getForget().getCall());
            case BUILD -> new RemoteBuild(this, host, server.parts.work()).begin(message.getBuild());
            case RETIRE -> {
                host.retire(message.getRetire().getApplication(), message.getRetire().getVersion());
                send(Message.done(new Done(message.getRetire().getCall())));
            }
            case DELETE_APPLICATION -> {
                DeleteApplication delete = message.getDeleteApplication();
                long call = begin(delete.getCall());
                answer(call, host.deleteApplication(delete.getApplication(), Wire.upTo(delete)),
                        done -> Message.done(new Done(call)));
            }
            case DRAIN -> {
                Drain drain = message.getDrain();
                long call = begin(drain.getCall());
                answer(call, host.drain(drain.getHost(), drain.isOut()).thenApply(HostAgentPort.Drain::onlyDone),
                        done -> Message.done(new Done(call)));
            }
            case STATUS -> {
                Status status = message.getStatus();
                long call = begin(status.getCall());
                if (status.isSetEndsSince()) {
                    // Much of it takes a while to encode.
                    answer(call, host.recentEnds(status.getEndsSince()).thenApplyAsync(
                            ends -> Wire.recentEnds(call, ends.getFirst(), options.frameBytes()), blocking()), Message::hostStatus);
                } else if (status.isSetLook()) {
                    answer(call, host.queued(Wire.look(status.getLook())).thenApplyAsync(
                            queued -> Wire.queued(call, queued.getFirst()), blocking()), Message::hostStatus);
                } else {
                    answer(call, status.isSetApplication() ? host.status(status.getApplication()) : host.status(),
                            told -> Message.hostStatus(Wire.status(call, told.getFirst())));
                }
            }
            default -> throw new LinkException("a frontend does not send " + message.getSetField());
        }
    }

    /** @throws LinkException when the call is under way already */
    long begin(long call) {
        if (!calls.add(call)) {
            throw new LinkException("call " + call + " is under way already");
        }
        return call;
    }

    boolean isUnderWay(long call) {
        return calls.contains(call);
    }

    /** To a question. From any thread. */
    private <T> void answer(long call, CompletableFuture<T> future, Function<T, Message> answer) {
        future.whenCompleteAsync((value, thrown) -> {
            if (thrown != null) {
                fail(call, thrown);
                return;
            }
            try {
                end(call, answer.apply(value));
            } catch (RuntimeException e) {
                // Longer than a frame: nothing of it was sent, and who asked would wait for nothing.
                LOG.warn("an answer cannot be given to {}: {}", peer(), e.toString());
                calls.add(call);
                fail(call, e);
            }
        }, loop());
    }

    /** The call's one answer. */
    void end(long call, Message answer) {
        if (calls.remove(call)) {
            sends.forget(call);
            send(answer);
        }
    }

    void fail(long call, Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        boolean build = cause instanceof HostAgentPort.BuildException;
        Failure failure = build ? ((HostAgentPort.BuildException) cause).failure()
                : Failure.platform(Errors.UNAVAILABLE, "host " + server.parts.name() + ": " + cause.getMessage(), true);
        end(call, Message.failed(new Failed(call, Wire.failure(failure), build)));
    }

    /** A refusal is an answer; what failed otherwise may be asked again. */
    private void command(long call, ProcessCommand command) {
        outcome(call, host.process(command).thenApply(List::of));
    }

    void outcome(long call, CompletableFuture<List<ProcessView>> done) {
        answer(call, done.thenApply(views -> Wire.views(call, views)).exceptionallyCompose(thrown -> {
            Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
            return cause instanceof HostAgentPort.ProcessException refused
                    ? CompletableFuture.completedFuture(Wire.views(call, List.of()).setFailure(Wire.failure(refused.failure())))
                    : CompletableFuture.failedFuture(cause);
        }), Message::processes);
    }

    /** Why this connection cannot take one more call with such a value; null: it can. */
    Failure refusal(Value value) {
        if (calls.size() > options.calls()) {
            return new Failure(Errors.OVERLOADED, "this connection has as many calls under way as it may have",
                    Failure.Source.PLATFORM, true, null, Map.of("limit", options.calls(), "actual", calls.size()));
        }
        return value.isSetBytes() || value.getStreamed() <= options.valueBytes() ? null : Failure.limit(Errors.TOO_LARGE,
                "the value is larger than a host takes", Failure.Source.CALLER, options.valueBytes(), value.getStreamed());
    }

    private void invoke(Invoke invoke) {
        long call = begin(invoke.getCall());
        Failure refusal = refusal(invoke.getInput());
        if (refusal != null) {
            refuse(invoke, refusal);
            return;
        }
        long fromNs = System.nanoTime();
        receive(call, invoke.getInput(), bytes -> {
            long waitedMs = (System.nanoTime() - fromNs) / 1_000_000;
            host.invoke(new InvocationRequest(invoke.getExecutionId(), invoke.getApplication(), invoke.getVersion(),
                    invoke.getTarget(), new Payload(invoke.getInput().getContentType(), bytes, null),
                    Math.max(1, invoke.getTimeoutMs() - waitedMs), invoke.isDurable(), invoke.getTraceparent(),
                    Wire.redrive(invoke.getRedrive()), invoke.getProcess()), listener(call, invoke.getExecutionId()));
        }, why -> refuse(invoke, Failure.platform(Errors.OVERLOADED, why, true)));
    }

    private void refuse(Invoke invoke, Failure failure) {
        ended(invoke.getCall(), invoke.getExecutionId(), new InvocationResult(invoke.getExecutionId(),
                InvocationResult.Status.FAILED, null, failure, List.of()));
    }

    private HostAgentPort.InvocationListener listener(long call, String executionId) {
        return new HostAgentPort.InvocationListener() {
            @Override
            public void onAccepted() {
                int slot = slot(executionId);
                long epoch = server.parts.epochs().epoch(slot);
                accepted(call, slot, epoch);
            }

            @Override
            public void onEnd(InvocationResult result) {
                loop().execute(() -> ended(call, executionId, result));
            }
        };
    }

    /** Any thread. */
    private void accepted(long call, int slot, long epoch) {
        loop().execute(() -> {
            if (isUnderWay(call)) {
                send(Message.accepted(new Accepted(call, slot, epoch)));
            }
        });
    }

    private int slot(String executionId) {
        return Slots.of(executionId, server.parts.epochs().slots());
    }

    private void ended(long call, String executionId, InvocationResult result) {
        int slot = slot(executionId);
        Ended ended = new Ended(call, slot, server.parts.epochs().epoch(slot), result.executionId(), result.status().name(),
                Wire.hops(result.hops()));
        if (result.failure() != null) {
            ended.setFailure(Wire.failure(result.failure()));
        }
        boolean streamed = Wire.isStreamed(result.output());
        if (streamed && outgoingBytes() + result.output().size() > options.outgoingBytes()) {
            // It has ended, and its record says how: whoever asks again finds that.
            ended.setStatus(InvocationResult.Status.FAILED.name()).setFailure(Wire.failure(Failure.mayHaveRun(Errors.OVERLOADED,
                    "outputs of " + outgoingBytes() + " bytes wait to be read by this frontend")));
            streamed = false;
        } else if (result.output() != null) {
            ended.setOutput(Wire.value(result.output()));
        }
        boolean waits = isUnderWay(call);
        end(call, Message.ended(ended));
        if (streamed && waits) {
            stream(call, ValueSource.of(result.output().bytes()));
        }
    }

    private void watch(Watch watch) {
        long call = begin(watch.getCall());
        watches.put(call, host.watch(watch.getExecutionId(), new HostAgentPort.ProgressListener() {
            @Override
            public void onHop(InvocationResult.Hop hop) {
                loop().execute(() -> {
                    if (isUnderWay(call)) {
                        send(Message.hopped(new Hopped(call, Wire.hop(hop))));
                    }
                });
            }

            @Override
            public void onEnd() {
                int slot = slot(watch.getExecutionId());
                long epoch = server.parts.epochs().epoch(slot);
                loop().execute(() -> {
                    watches.remove(call);
                    end(call, Message.watchEnded(new WatchEnded(call, slot, epoch)));
                });
            }
        }));
        if (!isUnderWay(call)) {
            watches.remove(call);
        }
    }

    private void forget(long call) {
        calls.remove(call);
        sends.forget(call);
        forgetValues(call);
        AutoCloseable watch = watches.remove(call);
        if (watch != null) {
            unwatch(watch);
        }
    }

    private static void unwatch(AutoCloseable watch) {
        try {
            watch.close();
        } catch (Exception e) {
            LOG.warn("a watch could not be ended", e);
        }
    }

    @Override
    void onGone(String why) {
        known();
        calls.clear();
        sends.clear();
        watches.values().forEach(ServerConnection::unwatch);
        watches.clear();
        if (hello != null) {
            LOG.atInfo().addKeyValue(LogFields.PEER, hello.getName())
                    .log("frontend {} at {} is gone: {}", hello.getName(), address, why);
        }
    }

    @Override
    String peer() {
        return address;
    }
}
