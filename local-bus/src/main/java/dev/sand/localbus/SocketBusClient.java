package dev.sand.localbus;

import dev.sand.event.thrift.CommandsReply;
import dev.sand.event.thrift.CommandsRequest;
import dev.sand.event.thrift.Control;
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
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.LocalBus;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.ProcessInvokeRequest;
import dev.sand.event.thrift.ProcessInvoked;
import dev.sand.event.thrift.ProcessList;
import dev.sand.event.thrift.ProcessListRequest;
import dev.sand.event.thrift.ProcessResult;
import dev.sand.event.thrift.ProcessResultRequest;
import dev.sand.event.thrift.PublishRequest;
import dev.sand.event.thrift.ReceiveReply;
import dev.sand.event.thrift.ReceiveRequest;
import dev.sand.event.thrift.Report;
import dev.sand.event.thrift.SendRequest;
import dev.sand.event.thrift.StateGetRequest;
import dev.sand.event.thrift.StateKeysRequest;
import dev.sand.event.thrift.StateValue;
import dev.sand.event.thrift.StateWriteRequest;
import dev.sand.event.thrift.TableReply;
import dev.sand.event.thrift.TableRequest;
import dev.sand.event.thrift.TakeReply;
import dev.sand.event.thrift.TakeRequest;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.TIOStreamTransport;
import org.apache.thrift.transport.layered.TFramedTransport;

/** The generated clients over one Unix socket: what a grain runtime in Java would use, and what the tests and benches do. */
public final class SocketBusClient implements BusClient {
    private final SocketChannel channel;
    private final LocalBus.Client bus;
    private final Control.Client control;

    private SocketBusClient(SocketChannel channel, TProtocol protocol) {
        this.channel = channel;
        this.bus = new LocalBus.Client(protocol);
        this.control = new Control.Client(protocol);
    }

    public static SocketBusClient connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        try {
            TFramedTransport framed = new TFramedTransport(
                    new TIOStreamTransport(Channels.newInputStream(channel), Channels.newOutputStream(channel)));
            return new SocketBusClient(channel, new TBinaryProtocol(framed, true, true));
        } catch (TException e) {
            channel.close();
            throw new IOException("cannot speak to " + socket, e);
        }
    }

    @Override
    public TakeReply take(TakeRequest request) throws TException {
        return bus.take(request);
    }

    @Override
    public void finish(FinishRequest request) throws TException {
        bus.finish(request);
    }

    @Override
    public void fail(FailRequest request) throws TException {
        bus.fail(request);
    }

    @Override
    public void publish(PublishRequest request) throws TException {
        bus.publish(request);
    }

    @Override
    public String enqueue(EnqueueRequest request) throws TException {
        return bus.enqueue(request);
    }

    @Override
    public DataValue dataGet(DataGetRequest request) throws TException {
        return bus.dataGet(request);
    }

    @Override
    public long dataPut(DataPutRequest request) throws TException {
        return bus.dataPut(request);
    }

    @Override
    public boolean dataDelete(DataDeleteRequest request) throws TException {
        return bus.dataDelete(request);
    }

    @Override
    public DataListReply dataList(DataListRequest request) throws TException {
        return bus.dataList(request);
    }

    @Override
    public long dataAdd(DataAddRequest request) throws TException {
        return bus.dataAdd(request);
    }

    @Override
    public TableReply table(TableRequest request) throws TException {
        return bus.table(request);
    }

    @Override
    public ObjectReply object(ObjectRequest request) throws TException {
        return bus.object(request);
    }

    @Override
    public StateValue stateGet(StateGetRequest request) throws TException {
        return bus.stateGet(request);
    }

    @Override
    public List<String> stateKeys(StateKeysRequest request) throws TException {
        return bus.stateKeys(request);
    }

    @Override
    public void stateWrite(StateWriteRequest request) throws TException {
        bus.stateWrite(request);
    }

    @Override
    public void send(SendRequest request) throws TException {
        bus.send(request);
    }

    @Override
    public ReceiveReply receive(ReceiveRequest request) throws TException {
        return bus.receive(request);
    }

    @Override
    public ProcessInvoked processInvoke(ProcessInvokeRequest request) throws TException {
        return bus.processInvoke(request);
    }

    @Override
    public ProcessResult processResult(ProcessResultRequest request) throws TException {
        return bus.processResult(request);
    }

    @Override
    public ProcessList processList(ProcessListRequest request) throws TException {
        return bus.processList(request);
    }

    @Override
    public ControlReply control(ControlRequest request) throws TException {
        return bus.control(request);
    }

    @Override
    public CommandsReply commands(CommandsRequest request) throws TException {
        return control.commands(request);
    }

    @Override
    public void report(Report report) throws TException {
        control.report(report);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException("closing a socket failed", e);
        }
    }
}
