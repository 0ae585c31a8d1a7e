package dev.sand.localbus;

import dev.sand.event.thrift.Control;
import dev.sand.event.thrift.ControlReply;
import dev.sand.event.thrift.ControlRequest;
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
import java.util.List;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;

/**
 * One connection to a local bus as a grain runtime has it: blocking calls, used by one thread. The calls of cloud processes are
 * refused here, as a bus does that does not know them.
 */
public interface BusClient extends dev.sand.event.thrift.LocalBus.Iface, Control.Iface, AutoCloseable {
    @Override
    void close();

    @Override
    default StateValue stateGet(StateGetRequest request) throws TException {
        throw unknown("stateGet");
    }

    @Override
    default List<String> stateKeys(StateKeysRequest request) throws TException {
        throw unknown("stateKeys");
    }

    @Override
    default void stateWrite(StateWriteRequest request) throws TException {
        throw unknown("stateWrite");
    }

    @Override
    default void send(SendRequest request) throws TException {
        throw unknown("send");
    }

    @Override
    default ReceiveReply receive(ReceiveRequest request) throws TException {
        throw unknown("receive");
    }

    @Override
    default ProcessInvoked processInvoke(ProcessInvokeRequest request) throws TException {
        throw unknown("processInvoke");
    }

    @Override
    default ProcessResult processResult(ProcessResultRequest request) throws TException {
        throw unknown("processResult");
    }

    @Override
    default ProcessList processList(ProcessListRequest request) throws TException {
        throw unknown("processList");
    }

    @Override
    default ControlReply control(ControlRequest request) throws TException {
        throw unknown("control");
    }

    private static TApplicationException unknown(String call) {
        return new TApplicationException(TApplicationException.UNKNOWN_METHOD, "no call " + call);
    }
}
