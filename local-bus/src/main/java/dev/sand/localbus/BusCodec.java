package dev.sand.localbus;

import dev.sand.event.thrift.BusError;
import dev.sand.event.thrift.CommandsReply;
import dev.sand.event.thrift.Control;
import dev.sand.event.thrift.ControlReply;
import dev.sand.event.thrift.DataListReply;
import dev.sand.event.thrift.DataValue;
import dev.sand.event.thrift.LocalBus.control_args;
import dev.sand.event.thrift.LocalBus.control_result;
import dev.sand.event.thrift.LocalBus.dataAdd_args;
import dev.sand.event.thrift.LocalBus.dataAdd_result;
import dev.sand.event.thrift.LocalBus.dataDelete_args;
import dev.sand.event.thrift.LocalBus.dataDelete_result;
import dev.sand.event.thrift.LocalBus.dataGet_args;
import dev.sand.event.thrift.LocalBus.dataGet_result;
import dev.sand.event.thrift.LocalBus.dataList_args;
import dev.sand.event.thrift.LocalBus.dataList_result;
import dev.sand.event.thrift.LocalBus.dataPut_args;
import dev.sand.event.thrift.LocalBus.dataPut_result;
import dev.sand.event.thrift.LocalBus.enqueue_args;
import dev.sand.event.thrift.LocalBus.enqueue_result;
import dev.sand.event.thrift.LocalBus.fail_args;
import dev.sand.event.thrift.LocalBus.finish_args;
import dev.sand.event.thrift.LocalBus.object_args;
import dev.sand.event.thrift.LocalBus.object_result;
import dev.sand.event.thrift.LocalBus.processInvoke_args;
import dev.sand.event.thrift.LocalBus.processInvoke_result;
import dev.sand.event.thrift.LocalBus.processList_args;
import dev.sand.event.thrift.LocalBus.processList_result;
import dev.sand.event.thrift.LocalBus.processResult_args;
import dev.sand.event.thrift.LocalBus.processResult_result;
import dev.sand.event.thrift.LocalBus.publish_args;
import dev.sand.event.thrift.LocalBus.publish_result;
import dev.sand.event.thrift.LocalBus.receive_args;
import dev.sand.event.thrift.LocalBus.receive_result;
import dev.sand.event.thrift.LocalBus.send_args;
import dev.sand.event.thrift.LocalBus.send_result;
import dev.sand.event.thrift.LocalBus.stateGet_args;
import dev.sand.event.thrift.LocalBus.stateGet_result;
import dev.sand.event.thrift.LocalBus.stateKeys_args;
import dev.sand.event.thrift.LocalBus.stateKeys_result;
import dev.sand.event.thrift.LocalBus.stateWrite_args;
import dev.sand.event.thrift.LocalBus.stateWrite_result;
import dev.sand.event.thrift.LocalBus.table_args;
import dev.sand.event.thrift.LocalBus.table_result;
import dev.sand.event.thrift.LocalBus.take_args;
import dev.sand.event.thrift.LocalBus.take_result;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.Payload;
import dev.sand.event.thrift.ProcessInvoked;
import dev.sand.event.thrift.ProcessList;
import dev.sand.event.thrift.ProcessResult;
import dev.sand.event.thrift.ReceiveReply;
import dev.sand.event.thrift.StateValue;
import dev.sand.event.thrift.StateWrite;
import dev.sand.event.thrift.TableReply;
import dev.sand.event.thrift.TakeReply;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.protocol.TProtocolException;
import org.apache.thrift.protocol.TProtocolUtil;

/** Frames to calls and results to frames. One an owner thread: it reuses its buffers and protocol objects. */
final class BusCodec {
    private static final int SKIP_DEPTH = 32;
    private static final int LENGTH_BYTES = 4;

    static {
        // A frame of nested unknown structures must not overflow the owner's stack.
        TProtocolUtil.setMaxSkipDepth(SKIP_DEPTH);
    }

    private final FrameTransport transport = new FrameTransport();
    private final FrameProtocol protocol = new FrameProtocol(transport);
    private final int frameBytes;

    BusCodec(int frameBytes) {
        this.frameBytes = frameBytes;
    }

    /** Reads the head of the frame's next {@code length} bytes; {@link #request} must follow, or nothing. */
    TMessage begin(ByteBuf frame, int length) throws TException {
        transport.readFrom(frame, length);
        return protocol.readMessageBegin();
    }

    void end() {
        transport.readDone();
    }

    /** @return the call's one argument; @throws TException when it is not a well-formed one */
    Object request(BusCall call) throws TException {
        Object request = switch (call) {
            case TAKE -> read(new take_args()).getRequest();
            case FINISH -> read(new finish_args()).getRequest();
            case FAIL -> read(new fail_args()).getRequest();
            case PUBLISH -> read(new publish_args()).getRequest();
            case ENQUEUE -> read(new enqueue_args()).getRequest();
            case DATA_GET -> read(new dataGet_args()).getRequest();
            case DATA_PUT -> read(new dataPut_args()).getRequest();
            case DATA_DELETE -> read(new dataDelete_args()).getRequest();
            case DATA_LIST -> read(new dataList_args()).getRequest();
            case DATA_ADD -> read(new dataAdd_args()).getRequest();
            case TABLE -> read(new table_args()).getRequest();
            case OBJECT -> read(new object_args()).getRequest();
            case STATE_GET -> read(new stateGet_args()).getRequest();
            case STATE_KEYS -> read(new stateKeys_args()).getRequest();
            case STATE_WRITE -> read(new stateWrite_args()).getRequest();
            case SEND -> read(new send_args()).getRequest();
            case RECEIVE -> read(new receive_args()).getRequest();
            case PROCESS_INVOKE -> read(new processInvoke_args()).getRequest();
            case PROCESS_RESULT -> read(new processResult_args()).getRequest();
            case PROCESS_LIST -> read(new processList_args()).getRequest();
            case CONTROL -> read(new control_args()).getRequest();
            case COMMANDS -> read(new Control.commands_args()).getRequest();
            case REPORT -> {
                var report = read(new Control.report_args()).getReport();
                yield report == null || report.getSetField() == null ? null : report;
            }
        };
        if (request == null) {
            throw new TProtocolException(TProtocolException.INVALID_DATA, call.wireName + " comes without its argument");
        }
        return request;
    }

    private <T extends TBase<T, ?>> T read(T arguments) throws TException {
        arguments.read(protocol);
        return arguments;
    }

    /** Writes a whole frame. @throws TException when it is longer than a frame may be */
    void reply(ByteBuf out, BusCall call, int sequence, Object result) throws TException {
        write(out, new TMessage(call.wireName, TMessageType.REPLY, sequence), result(call, result));
    }

    /** About what the values in a result take, so that its buffer need not grow around them. */
    static int valueBytes(Object result) {
        return switch (result) {
            case TakeReply reply when reply.isSetEvent() -> {
                int bytes = bytes(reply.getEvent().getPayload());
                for (StateWrite told : reply.getEvent().isSetState() ? reply.getEvent().getState() : List.<StateWrite>of()) {
                    bytes += bytes(told.getValue());
                }
                yield bytes;
            }
            case StateValue state -> bytes(state.getValue());
            case ProcessInvoked invoked when invoked.isSetResult() -> bytes(invoked.getResult().getOutput());
            case ProcessResult ended -> bytes(ended.getOutput());
            case ReceiveReply received when received.isSetMessage() -> bytes(received.getMessage().getPayload());
            case null, default -> 0;
        };
    }

    private static int bytes(Payload value) {
        return value == null || !value.isSetBytes() ? 0 : value.bufferForBytes().remaining();
    }

    void exception(ByteBuf out, String call, int sequence, TApplicationException exception) throws TException {
        int start = start(out, new TMessage(call, TMessageType.EXCEPTION, sequence));
        exception.write(protocol);
        out.setInt(start, out.writerIndex() - start - LENGTH_BYTES);
    }

    private void write(ByteBuf out, TMessage head, TBase<?, ?> body) throws TException {
        int start = start(out, head);
        body.write(protocol);
        out.setInt(start, out.writerIndex() - start - LENGTH_BYTES);
    }

    private int start(ByteBuf out, TMessage head) throws TException {
        int start = out.writerIndex();
        out.writeInt(0);
        transport.writeTo(out, frameBytes);
        protocol.writeMessageBegin(head);
        return start;
    }

    @SuppressWarnings("unchecked") // the handler of stateKeys answers with keys
    private static TBase<?, ?> result(BusCall call, Object result) {
        BusError error = result instanceof BusError e ? e : null;
        return switch (call) {
            case TAKE -> error != null ? new take_result().setError(error) : new take_result().setSuccess((TakeReply) result);
            case PUBLISH -> error != null ? new publish_result().setError(error) : new publish_result();
            case ENQUEUE -> error != null ? new enqueue_result().setError(error)
                    : new enqueue_result().setSuccess((String) result);
            case DATA_GET -> error != null ? new dataGet_result().setError(error)
                    : new dataGet_result().setSuccess((DataValue) result);
            case DATA_PUT -> error != null ? new dataPut_result().setError(error)
                    : new dataPut_result().setSuccess((Long) result);
            case DATA_DELETE -> error != null ? new dataDelete_result().setError(error)
                    : new dataDelete_result().setSuccess((Boolean) result);
            case DATA_LIST -> error != null ? new dataList_result().setError(error)
                    : new dataList_result().setSuccess((DataListReply) result);
            case DATA_ADD -> error != null ? new dataAdd_result().setError(error)
                    : new dataAdd_result().setSuccess((Long) result);
            case TABLE -> error != null ? new table_result().setError(error)
                    : new table_result().setSuccess((TableReply) result);
            case OBJECT -> error != null ? new object_result().setError(error)
                    : new object_result().setSuccess((ObjectReply) result);
            case STATE_GET -> error != null ? new stateGet_result().setError(error)
                    : new stateGet_result().setSuccess((StateValue) result);
            case STATE_KEYS -> error != null ? new stateKeys_result().setError(error)
                    : new stateKeys_result().setSuccess((List<String>) result);
            case STATE_WRITE -> error != null ? new stateWrite_result().setError(error) : new stateWrite_result();
            case SEND -> error != null ? new send_result().setError(error) : new send_result();
            case RECEIVE -> error != null ? new receive_result().setError(error)
                    : new receive_result().setSuccess((ReceiveReply) result);
            case PROCESS_INVOKE -> error != null ? new processInvoke_result().setError(error)
                    : new processInvoke_result().setSuccess((ProcessInvoked) result);
            case PROCESS_RESULT -> error != null ? new processResult_result().setError(error)
                    : new processResult_result().setSuccess((ProcessResult) result);
            case PROCESS_LIST -> error != null ? new processList_result().setError(error)
                    : new processList_result().setSuccess((ProcessList) result);
            case CONTROL -> error != null ? new control_result().setError(error)
                    : new control_result().setSuccess((ControlReply) result);
            case COMMANDS -> error != null ? new Control.commands_result().setError(error)
                    : new Control.commands_result().setSuccess((CommandsReply) result);
            case FINISH, FAIL, REPORT -> throw new IllegalStateException(call + " is not answered");
        };
    }
}
