package dev.sand.localbus;

import dev.sand.event.Errors;
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

/**
 * The broker behind the connections: the calls of {@code sand.thrift}, well-formed, on the owner thread of their connection.
 * A message's byte arrays are the handler's own.
 */
public interface BusHandler {
    /** Answered by {@link BusConnection#handOver} or {@link BusConnection#dismiss}, now or later. Always the same instance on one connection. */
    void onTake(BusConnection connection, TakeRequest request);

    /**
     * An event that was handed over could not be written: nobody has seen it. May come from within handOver; comes before
     * onClosed.
     */
    void onHandOverFailed(BusConnection connection, EventMessage event);

    /** Comes only on a connection that has taken. */
    void onFinish(BusConnection connection, FinishRequest request);

    void onFail(BusConnection connection, FailRequest request);

    void onPublish(BusConnection connection, PublishRequest request, BusReply<Void> reply);

    /** Answered when the message is in the global bus. */
    default void onEnqueue(BusConnection connection, EnqueueRequest request, BusReply<String> reply) {
        reply.refuse(Errors.BAD_REQUEST, "there are no queues here");
    }

    void onDataGet(BusConnection connection, DataGetRequest request, BusReply<DataValue> reply);

    void onDataPut(BusConnection connection, DataPutRequest request, BusReply<Long> reply);

    void onDataDelete(BusConnection connection, DataDeleteRequest request, BusReply<Boolean> reply);

    void onDataList(BusConnection connection, DataListRequest request, BusReply<DataListReply> reply);

    void onDataAdd(BusConnection connection, DataAddRequest request, BusReply<Long> reply);

    void onTable(BusConnection connection, TableRequest request, BusReply<TableReply> reply);

    void onObject(BusConnection connection, ObjectRequest request, BusReply<ObjectReply> reply);

    /**
     * A call about the cloud process that the connection's attempt runs in: the request's class says which. Answered with what
     * {@code sand.thrift} gives for that call, now or when what it waits for has come.
     */
    default void onProcessCall(BusConnection connection, Object request, BusReply<Object> reply) {
        reply.refuse(Errors.BAD_REQUEST, "there are no cloud processes here");
    }

    /** An operation of the platform, for whom the operator lets. Comes only on a connection that has taken. */
    default void onControl(BusConnection connection, ControlRequest request, BusReply<ControlReply> reply) {
        reply.refuse(Errors.DENIED, "nobody controls the platform from here");
    }

    /** Answered by {@link BusConnection#command}. */
    void onCommands(BusConnection connection, CommandsRequest request);

    void onReport(BusConnection connection, Report report);

    /** The last call for this connection, whoever closed it. */
    void onClosed(BusConnection connection);
}
