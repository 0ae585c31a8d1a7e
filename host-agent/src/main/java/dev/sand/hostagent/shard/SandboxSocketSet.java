package dev.sand.hostagent.shard;

import dev.sand.event.thrift.CommandsRequest;
import dev.sand.event.thrift.ControlReply;
import dev.sand.event.thrift.ControlRequest;
import dev.sand.event.thrift.DataAddRequest;
import dev.sand.event.thrift.DataDeleteRequest;
import dev.sand.event.thrift.DataGetRequest;
import dev.sand.event.thrift.DataListReply;
import dev.sand.event.thrift.DataListRequest;
import dev.sand.event.thrift.DataPutRequest;
import dev.sand.event.thrift.DataValue;
import dev.sand.event.thrift.EnqueueRequest;
import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.PublishRequest;
import dev.sand.event.thrift.Report;
import dev.sand.event.thrift.TableReply;
import dev.sand.event.thrift.TableRequest;
import dev.sand.event.thrift.TakeRequest;
import dev.sand.hostagent.log.LogEndpoint;
import dev.sand.hostagent.sandbox.SandboxEndpoint;
import dev.sand.hostagent.segments.SegmentServer;
import dev.sand.localbus.BusConnection;
import dev.sand.localbus.BusEndpoint;
import dev.sand.localbus.BusHandler;
import dev.sand.localbus.BusReply;
import dev.sand.localbus.LocalBus;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets of one sandbox, open before its supervisor starts. Blank at first: only a supervisor may speak, and its poll is
 * kept. Once claimed, every call goes to the shard that owns the application.
 */
final class SandboxSocketSet implements SandboxEndpoint, BusHandler {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxSocketSet.class);

    private final String place;
    private final Path directory;
    private final String token;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> lost = new CompletableFuture<>();
    private volatile BusConnection supervisor;
    private volatile SandboxCalls owner;
    private BusEndpoint bus;
    private LogEndpoint logs;
    private SegmentServer.Endpoint segments;

    SandboxSocketSet(String place, Path directory, String token) {
        this.place = place;
        this.directory = directory;
        this.token = token;
    }

    void opened(BusEndpoint newBus, LogEndpoint newLogs, SegmentServer.Endpoint newSegments) {
        bus = newBus;
        logs = newLogs;
        segments = newSegments;
    }

    /** It is an application's now: called on the shard's thread, once the supervisor is ready. */
    void claimedBy(SandboxCalls newOwner, LocalBus newBus) {
        owner = newOwner;
        bus.moveTo(newBus);
    }

    /** The connection on which the supervisor polls for its first commands. */
    BusConnection supervisor() {
        return supervisor;
    }

    LogEndpoint logs() {
        return logs;
    }

    SegmentServer.Endpoint segments() {
        return segments;
    }

    // --- what the runtime sees

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public String token() {
        return token;
    }

    @Override
    public CompletableFuture<Void> supervisorReady() {
        return ready;
    }

    @Override
    public CompletableFuture<Void> supervisorLost() {
        return lost;
    }

    @Override
    public void close() {
        bus.close();
        segments.close();
        logs.close();
    }

    // --- calls, on the owner thread of their connection

    @Override
    public void onCommands(BusConnection connection, CommandsRequest request) {
        if (!token.equals(request.getCaller())) {
            if (ownerOf(connection) instanceof SandboxCalls calls) {
                calls.onWorkerPoll(connection, request.getCaller());
            }
        } else if (supervisor == null) {
            supervisor = connection;
            ready.complete(null);
        } else if (connection == supervisor) {
            onShard(connection, () -> owner.onSupervisorPoll(connection));
        } else {
            LOG.warn("sandbox {}: a second supervisor connects", place);
            connection.close();
        }
    }

    @Override
    public void onReport(BusConnection connection, Report report) {
        if (owner == null) {
            LOG.warn("sandbox {} is blank and reports {}", place, report.getSetField());
            connection.close();
        } else {
            onShard(connection, () -> owner.onReport(report));
        }
    }

    /** The supervisor of a claimed sandbox may have connected on another shard's thread. */
    private void onShard(BusConnection connection, Runnable call) {
        SandboxCalls calls = owner;
        if (calls == null) {
            LOG.warn("sandbox {} is blank, and its supervisor polls twice", place);
            connection.close();
        } else {
            calls.execute(call);
        }
    }

    @Override
    public void onClosed(BusConnection connection) {
        if (connection == supervisor) {
            lost.complete(null);
        }
        SandboxCalls calls = owner;
        if (calls != null) {
            if (connection == supervisor) {
                calls.execute(calls::onSupervisorLost);
            } else {
                calls.onClosed(connection);
            }
        }
    }

    @Override
    public void onTake(BusConnection connection, TakeRequest request) {
        if (ownerOf(connection) instanceof SandboxCalls calls) {
            calls.onTake(connection, request);
        }
    }

    @Override
    public void onHandOverFailed(BusConnection connection, EventMessage event) {
        owner.onHandOverFailed(connection, event);
    }

    @Override
    public void onFinish(BusConnection connection, FinishRequest request) {
        owner.onFinish(connection, request);
    }

    @Override
    public void onFail(BusConnection connection, FailRequest request) {
        owner.onFail(connection, request);
    }

    @Override
    public void onPublish(BusConnection connection, PublishRequest request, BusReply<Void> reply) {
        owner.onPublish(connection, request, reply);
    }

    @Override
    public void onEnqueue(BusConnection connection, EnqueueRequest request, BusReply<String> reply) {
        withData(connection, (data, application) -> data.enqueue(application, request, reply));
    }

    @Override
    public void onDataGet(BusConnection connection, DataGetRequest request, BusReply<DataValue> reply) {
        withData(connection, (data, application) -> data.get(application, request, reply));
    }

    @Override
    public void onDataPut(BusConnection connection, DataPutRequest request, BusReply<Long> reply) {
        withData(connection, (data, application) -> data.put(application, request, reply));
    }

    @Override
    public void onDataDelete(BusConnection connection, DataDeleteRequest request, BusReply<Boolean> reply) {
        withData(connection, (data, application) -> data.delete(application, request, reply));
    }

    @Override
    public void onDataList(BusConnection connection, DataListRequest request, BusReply<DataListReply> reply) {
        withData(connection, (data, application) -> data.list(application, request, reply));
    }

    @Override
    public void onDataAdd(BusConnection connection, DataAddRequest request, BusReply<Long> reply) {
        withData(connection, (data, application) -> data.add(application, request, reply));
    }

    @Override
    public void onTable(BusConnection connection, TableRequest request, BusReply<TableReply> reply) {
        withData(connection, (data, application) -> data.table(application, request, reply));
    }

    @Override
    public void onObject(BusConnection connection, ObjectRequest request, BusReply<ObjectReply> reply) {
        withData(connection, (data, application) -> data.object(application, request, reply));
    }

    @Override
    public void onProcessCall(BusConnection connection, Object request, BusReply<Object> reply) {
        if (ownerOf(connection) instanceof SandboxCalls calls) {
            calls.onProcessCall(connection, request, reply);
        }
    }

    @Override
    public void onControl(BusConnection connection, ControlRequest request, BusReply<ControlReply> reply) {
        SandboxCalls calls = ownerOf(connection);
        if (calls != null) {
            calls.onControl(connection, request, reply);
        }
    }

    private void withData(BusConnection connection, BiConsumer<GrainData, String> call) {
        SandboxCalls calls = ownerOf(connection);
        if (calls != null && calls.isDeleted()) {
            connection.close(); // what it writes would be found in the next application of that name
        } else if (calls != null) {
            call.accept(calls.data(), calls.application());
        }
    }

    /** Nobody but the supervisor has anything to say before the claim, nor on a connection that was made before it. */
    private SandboxCalls ownerOf(BusConnection connection) {
        SandboxCalls calls = owner;
        if (calls == null || !calls.inOwnerThread()) {
            LOG.warn("sandbox {} is blank, and a process other than its supervisor speaks", place);
            connection.close();
            return null;
        }
        return calls;
    }
}
