package dev.sand.localbus;

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
import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.PublishRequest;
import dev.sand.event.thrift.Report;
import dev.sand.event.thrift.TableReply;
import dev.sand.event.thrift.TableRequest;
import dev.sand.event.thrift.TableResult;
import dev.sand.event.thrift.TakeRequest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Notes every call in order, and answers nothing but data calls, with fixed values. */
final class RecordingBroker implements BusHandler {
    record Call(String name, BusConnection connection, Object request, boolean inOwnerThread) {}

    final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
    final BlockingQueue<BusReply<DataValue>> heldGets = new LinkedBlockingQueue<>();
    volatile boolean holdGets;

    private void note(String name, BusConnection connection, Object request) {
        calls.add(new Call(name, connection, request, connection.inOwnerThread()));
    }

    @Override
    public void onTake(BusConnection connection, TakeRequest request) {
        note("take", connection, request);
    }

    @Override
    public void onHandOverFailed(BusConnection connection, EventMessage event) {
        note("handOverFailed", connection, event);
    }

    @Override
    public void onFinish(BusConnection connection, FinishRequest request) {
        note("finish", connection, request);
    }

    @Override
    public void onFail(BusConnection connection, FailRequest request) {
        note("fail", connection, request);
    }

    @Override
    public void onPublish(BusConnection connection, PublishRequest request, BusReply<Void> reply) {
        note("publish", connection, request);
        reply.answer(null);
    }

    @Override
    public void onDataGet(BusConnection connection, DataGetRequest request, BusReply<DataValue> reply) {
        note("dataGet", connection, request);
        if (holdGets) {
            heldGets.add(reply);
        } else {
            reply.answer(new DataValue(7));
        }
    }

    @Override
    public void onDataPut(BusConnection connection, DataPutRequest request, BusReply<Long> reply) {
        note("dataPut", connection, request);
        reply.refuse("Sand.Conflict", "it is at version 3");
    }

    @Override
    public void onDataDelete(BusConnection connection, DataDeleteRequest request, BusReply<Boolean> reply) {
        reply.answer(true);
    }

    @Override
    public void onDataList(BusConnection connection, DataListRequest request, BusReply<DataListReply> reply) {
        reply.answer(new DataListReply(List.of("a", "b"), true));
    }

    @Override
    public void onDataAdd(BusConnection connection, DataAddRequest request, BusReply<Long> reply) {
        // From another thread, as an adapter's answer comes.
        Thread.ofVirtual().start(() -> reply.answer(request.getDelta() + 1));
    }

    @Override
    public void onTable(BusConnection connection, TableRequest request, BusReply<TableReply> reply) {
        note("table", connection, request);
        reply.answer(new TableReply(List.of(new TableResult(9).setNumber(3))));
    }

    @Override
    public void onObject(BusConnection connection, ObjectRequest request, BusReply<ObjectReply> reply) {
        reply.answer(new ObjectReply(4).setBytes(request.getBytes()).setSize(2));
    }

    @Override
    public void onControl(BusConnection connection, ControlRequest request, BusReply<ControlReply> reply) {
        if (request.getTicket().isEmpty()) {
            BusHandler.super.onControl(connection, request, reply);
            return;
        }
        note("control", connection, request);
        reply.answer(new ControlReply(200, ByteBuffer.wrap(new byte[] {'1'})));
    }

    @Override
    public void onCommands(BusConnection connection, CommandsRequest request) {
        note("commands", connection, request);
    }

    @Override
    public void onReport(BusConnection connection, Report report) {
        note("report", connection, report);
    }

    @Override
    public void onClosed(BusConnection connection) {
        note("closed", connection, null);
    }
}
