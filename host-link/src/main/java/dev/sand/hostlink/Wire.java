package dev.sand.hostlink;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.event.Codec;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationResult;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.event.Redrive;
import dev.sand.event.TaskCallback;
import dev.sand.event.thrift.network.Callback;
import dev.sand.event.thrift.network.DeleteApplication;
import dev.sand.event.thrift.network.GrainStatus;
import dev.sand.event.thrift.network.Hop;
import dev.sand.event.thrift.network.HostStatus;
import dev.sand.event.thrift.network.Processes;
import dev.sand.event.thrift.network.SandboxStatus;
import dev.sand.event.thrift.network.SendToProcess;
import dev.sand.event.thrift.network.Value;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** The contract's values as they travel, and back. */
final class Wire {
    private static final JsonMapper DETAILS = new JsonMapper();

    /** Of an application that is known, and had none yet. */
    private static final String NO_SANDBOX = "";

    /** Of an answer beside what it tells. */
    private static final int FRAME_REST_BYTES = 2048;

    /** Steps in one: each width that is shown is a multiple or a part of one of them. */
    private static final int[] COARSER = {2, 6, 30, RecentEnds.STEPS};

    private Wire() {}

    /** @param redrive or null */
    static byte[] redrive(Redrive redrive) {
        return redrive == null ? null : Codec.encode(redrive);
    }

    static Redrive redrive(byte[] sent) {
        return sent == null ? null : Codec.decode(sent, Redrive.class);
    }

    // --- processes

    static Processes views(long call, List<ProcessView> views) {
        return new Processes(call, views.stream().map(view -> ByteBuffer.wrap(Codec.encode(view))).toList());
    }

    static List<ProcessView> views(Processes sent) {
        return sent.getViews().stream().map(view -> {
            byte[] bytes = new byte[view.remaining()];
            view.duplicate().get(bytes);
            return Codec.decodeDescription(bytes, ProcessView.class);
        }).toList();
    }

    static HostPeer.ProcessOutcome outcome(Processes sent) {
        return sent.isSetFailure() ? new HostPeer.ProcessOutcome(null, failure(sent.getFailure()))
                : new HostPeer.ProcessOutcome(sent.getViews().isEmpty() ? null : views(sent).getFirst(), null);
    }

    static boolean isStreamed(Payload payload) {
        return payload != null && payload.bytes().length > Limits.INLINE_BYTES;
    }

    /** @param payload with bytes: references mean nothing on another machine */
    static Value value(Payload payload) {
        Value value = new Value(payload.contentType());
        return isStreamed(payload) ? value.setStreamed(payload.bytes().length) : value.setBytes(payload.bytes());
    }

    static dev.sand.event.thrift.network.Failure failure(Failure failure) {
        var sent = new dev.sand.event.thrift.network.Failure(failure.error(), failure.cause() == null ? "" : failure.cause(),
                failure.source().name(), failure.retryable());
        sent.setStackTrace(failure.stackTrace());
        if (failure.details() != null && !failure.details().isEmpty()) {
            try {
                sent.setDetails(DETAILS.writeValueAsString(failure.details()));
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException("the details of a failure are plain values: " + failure.details(), e);
            }
        }
        return sent;
    }

    static Failure failure(dev.sand.event.thrift.network.Failure sent) {
        Map<String, Object> details = Map.of();
        if (sent.isSetDetails()) {
            try {
                details = DETAILS.readValue(sent.getDetails(), new TypeReference<>() {});
            } catch (JsonProcessingException e) {
                throw new LinkException("the details of a failure are not JSON");
            }
        }
        return new Failure(sent.getError(), sent.getCause(), name(Failure.Source.class, sent.getSource()), sent.isRetryable(),
                sent.getStackTrace(), details);
    }

    static List<Hop> hops(List<InvocationResult.Hop> hops) {
        List<Hop> sent = new ArrayList<>(hops.size());
        for (InvocationResult.Hop hop : hops) {
            sent.add(hop(hop));
        }
        return sent;
    }

    static Hop hop(InvocationResult.Hop hop) {
        return new Hop(hop.eventId(), hop.grain(), hop.attempt(), hop.queuedNs(), hop.handedNs(), hop.startedNs(), hop.endedNs(),
                hop.returnedNs(), hop.cpuUs(), hop.peakMemoryBytes()).setError(hop.error());
    }

    static InvocationResult.Hop hop(Hop hop) {
        return new InvocationResult.Hop(hop.getEventId(), hop.getGrain(), hop.getAttempt(), hop.getError(), hop.getQueuedNs(),
                hop.getHandedNs(), hop.getStartedNs(), hop.getEndedNs(), hop.getReturnedNs(), hop.getCpuUs(),
                hop.getPeakMemoryBytes());
    }

    static HostStatus status(long call, HostAgentPort.HostStatus status) {
        List<SandboxStatus> sandboxes = new ArrayList<>();
        for (var sandbox : status.sandboxes()) {
            List<GrainStatus> grains = new ArrayList<>();
            for (var grain : sandbox.grains()) {
                grains.add(new GrainStatus(grain.grain(), grain.workerState(), grain.workerPid(), grain.idle(), grain.running(),
                        grain.queued(), grain.oldestMs(), grain.restarts(), grain.inPerSecond(), grain.outPerSecond()));
            }
            String id = sandbox.id() == null ? NO_SANDBOX : sandbox.id();
            sandboxes.add(new SandboxStatus(sandbox.application(), sandbox.version(), id, sandbox.state(), sandbox.startedMs(),
                    sandbox.executions(), grains, sandbox.memoryBytes()));
        }
        return new HostStatus(call, status.host(), status.sandboxKind(), status.draining(), sandboxes);
    }

    static HostAgentPort.HostStatus status(HostStatus sent) {
        List<HostAgentPort.SandboxStatus> sandboxes = new ArrayList<>();
        for (SandboxStatus sandbox : sent.getSandboxes()) {
            List<HostAgentPort.GrainStatus> grains = new ArrayList<>();
            for (GrainStatus grain : sandbox.getGrains()) {
                grains.add(new HostAgentPort.GrainStatus(grain.getGrain(), grain.getWorkerState(), grain.getWorkerPid(),
                        grain.getIdle(), grain.getRunning(), grain.getQueued(), grain.getOldestMs(), grain.getRestarts(),
                        grain.getInPerSecond(), grain.getOutPerSecond()));
            }
            sandboxes.add(new HostAgentPort.SandboxStatus(sandbox.getApplication(), sandbox.getVersion(),
                    sandbox.getId().equals(NO_SANDBOX) ? null : sandbox.getId(),
                    sandbox.getState(), sandbox.getStartedMs(), sandbox.getExecutions(), sandbox.getMemoryBytes(), grains));
        }
        return new HostAgentPort.HostStatus(sent.getHost(), sent.getSandboxKind(), sent.isDraining(), sandboxes);
    }

    /** As a status of nothing else, in steps as fine as a frame has room for: of an hour of many applications, a minute long and more. */
    static HostStatus recentEnds(long call, RecentEnds ends, int frameBytes) {
        byte[] encoded = Codec.encode(ends);
        for (int i = 0; encoded.length > frameBytes - FRAME_REST_BYTES; i++) {
            encoded = Codec.encode(i < COARSER.length ? ends.inSpansOf(COARSER[i] * RecentEnds.STEP_MS)
                    : RecentEnds.silent(ends.host(), "it has more to tell than an answer has room for"));
        }
        return new HostStatus(call, ends.host(), "", false, List.of()).setEnds(encoded);
    }

    static RecentEnds recentEnds(HostStatus sent) {
        return sent.isSetEnds() ? Codec.decodeDescription(sent.getEnds(), RecentEnds.class)
                : RecentEnds.silent(sent.getHost(), "its platform is an earlier one, which does not tell");
    }

    /** As a status of nothing else. With as many events as are told, and their previews, it fits into a frame. */
    static HostStatus queued(long call, QueuedEvents queued) {
        return new HostStatus(call, queued.host(), "", false, List.of()).setQueued(Codec.encode(queued));
    }

    static QueuedEvents queued(HostStatus sent) {
        return sent.isSetQueued() ? Codec.decodeDescription(sent.getQueued(), QueuedEvents.class)
                : QueuedEvents.silent(sent.getHost(), "its platform is an earlier one, which does not tell");
    }

    static QueuedEvents.Look look(byte[] sent) {
        try {
            return Codec.decodeDescription(sent, QueuedEvents.Look.class);
        } catch (UncheckedIOException e) {
            throw new LinkException("what is asked about a queue cannot be read");
        }
    }

    static Callback callback(long call, TaskCallback callback) {
        Callback message = new Callback(call, callback.token(), callback.kind().name()).setError(callback.error())
                .setCause(callback.cause());
        return callback.output() == null ? message : message.setOutput(callback.output().bytes());
    }

    /** Older frontends do not say. */
    static int upTo(DeleteApplication sent) {
        return sent.isSetUpTo() ? sent.getUpTo() : HostAgentPort.LAST_VERSION;
    }

    static TaskCallback callback(Callback sent) {
        return new TaskCallback(sent.getToken(), name(TaskCallback.Kind.class, sent.getKind()),
                sent.isSetOutput() ? Payload.json(sent.getOutput()) : null, sent.getError(), sent.getCause());
    }

    /** @throws LinkException when a peer sends a name that this version does not know */
    static <E extends Enum<E>> E name(Class<E> type, String name) {
        try {
            return Enum.valueOf(type, name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new LinkException("'" + name + "' is no " + type.getSimpleName());
        }
    }

    static SendToProcess early(SendToProcess send, HostAgentPort.Early early) {
        if (early != null) {
            send.setEarly(true).setMayBeHeld(true);
        }
        if (early != null && early.behind() != null) {
            send.setBehindSender(early.behind().sender()).setBehindOrdinal(early.behind().ordinal());
        }
        return send;
    }

    /** @return null: its sender waits until it is durable */
    static HostAgentPort.Early early(SendToProcess send, Consumer<Runnable> taken) {
        ProcessMessage.Name behind = send.isSetBehindSender() ? new ProcessMessage.Name(send.getBehindSender(), send.getBehindOrdinal()) : null;
        return send.isEarly() ? new HostAgentPort.Early(behind, taken) : null;
    }
}
