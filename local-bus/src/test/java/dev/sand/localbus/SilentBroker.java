package dev.sand.localbus;

import dev.sand.event.thrift.CommandsRequest;
import dev.sand.event.thrift.DataAddRequest;
import dev.sand.event.thrift.DataDeleteRequest;
import dev.sand.event.thrift.DataGetRequest;
import dev.sand.event.thrift.DataListReply;
import dev.sand.event.thrift.DataListRequest;
import dev.sand.event.thrift.DataPutRequest;
import dev.sand.event.thrift.DataValue;
import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.PublishRequest;
import dev.sand.event.thrift.Report;
import dev.sand.event.thrift.TableReply;
import dev.sand.event.thrift.TableRequest;

/** Answers nothing: for benches that need take and finish alone. */
abstract class SilentBroker implements BusHandler {
    @Override
    public void onHandOverFailed(BusConnection connection, EventMessage event) {}

    @Override
    public void onFail(BusConnection connection, FailRequest request) {}

    @Override
    public void onPublish(BusConnection connection, PublishRequest request, BusReply<Void> reply) {}

    @Override
    public void onDataGet(BusConnection connection, DataGetRequest request, BusReply<DataValue> reply) {}

    @Override
    public void onDataPut(BusConnection connection, DataPutRequest request, BusReply<Long> reply) {}

    @Override
    public void onDataDelete(BusConnection connection, DataDeleteRequest request, BusReply<Boolean> reply) {}

    @Override
    public void onDataList(BusConnection connection, DataListRequest request, BusReply<DataListReply> reply) {}

    @Override
    public void onDataAdd(BusConnection connection, DataAddRequest request, BusReply<Long> reply) {}

    @Override
    public void onTable(BusConnection connection, TableRequest request, BusReply<TableReply> reply) {}

    @Override
    public void onObject(BusConnection connection, ObjectRequest request, BusReply<ObjectReply> reply) {}

    @Override
    public void onCommands(BusConnection connection, CommandsRequest request) {}

    @Override
    public void onReport(BusConnection connection, Report report) {}

    @Override
    public void onClosed(BusConnection connection) {}
}
