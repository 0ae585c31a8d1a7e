package dev.sand.hostagent.segments;

import dev.sand.event.Errors;
import dev.sand.event.Ids;
import dev.sand.event.thrift.BusError;
import dev.sand.event.thrift.SegmentAllocateRequest;
import dev.sand.event.thrift.SegmentOpenRequest;
import dev.sand.event.thrift.SegmentReply;
import dev.sand.event.thrift.Segments;
import java.nio.ByteBuffer;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;

/** The Thrift service Segments: one frame in, one frame and at most one descriptor out. */
final class SegmentCalls {
    private static final int PUSHED = -1;

    private final SegmentPool pool;

    SegmentCalls(SegmentPool pool) {
        this.pool = pool;
    }

    /** @param fd negative: none; else to be closed once it is sent */
    record Reply(byte[] frame, int fd) {}

    /** A connection's other end says whose it is. */
    interface Caller {
        void is(String instance);
    }

    private record Answer(SegmentReply value, int fd) {}

    /** @param application null: the sandbox belongs to none yet; @throws TException when the frame is no call */
    Reply answer(String application, byte[] frame, Caller caller) throws TException {
        TBinaryProtocol in = new TBinaryProtocol(new TMemoryInputTransport(frame), true, true);
        TMessage call = in.readMessageBegin();
        return switch (call.name) {
            case "allocate" -> {
                Segments.allocate_args arguments = new Segments.allocate_args();
                arguments.read(in);
                introduce(caller, arguments.request.instance);
                Segments.allocate_result result = new Segments.allocate_result();
                yield reply(call, result, () -> allocate(application, arguments.request), result::setSuccess, result::setError);
            }
            case "open" -> {
                Segments.open_args arguments = new Segments.open_args();
                arguments.read(in);
                introduce(caller, arguments.request.instance);
                Segments.open_result result = new Segments.open_result();
                yield reply(call, result, () -> open(application, arguments.request), result::setSuccess, result::setError);
            }
            default -> new Reply(frame(new TMessage(call.name, TMessageType.EXCEPTION, call.seqid),
                    new TApplicationException(TApplicationException.UNKNOWN_METHOD, "Segments has no method " + call.name)::write),
                    -1);
        };
    }

    private static void introduce(Caller caller, String instance) {
        if (instance != null) {
            caller.is(instance);
        }
    }

    private interface Work {
        Answer run() throws SegmentException, KernelException;
    }

    private interface Setter<T> {
        void set(T value);
    }

    private static Reply reply(TMessage call, TBase<?, ?> result, Work work, Setter<SegmentReply> success, Setter<BusError> failure)
            throws TException {
        int fd = -1;
        try {
            Answer answer = work.run();
            success.set(answer.value());
            fd = answer.fd();
        } catch (SegmentException e) {
            failure.set(new BusError(e.error(), e.getMessage()));
        } catch (KernelException e) {
            failure.set(new BusError(Errors.UNAVAILABLE, e.getMessage()));
        }
        return new Reply(frame(new TMessage(call.name, TMessageType.REPLY, call.seqid), result::write), fd);
    }

    private Answer allocate(String application, SegmentAllocateRequest request) throws SegmentException, KernelException {
        String owner = request.eventId.substring(0, Math.min(Ids.LENGTH, request.eventId.length()));
        if (!Ids.isValid(owner)) {
            throw new SegmentException(Errors.BAD_REQUEST, "not an event id: " + request.eventId, null);
        }
        SegmentObject object = pool.allocate(bound(application), owner, request.size);
        try {
            return new Answer(new SegmentReply(object.id, object.size), object.file.openWritable());
        } finally {
            pool.endUse(object);
        }
    }

    private Answer open(String application, SegmentOpenRequest request) throws SegmentException {
        SegmentPool.Opened opened = pool.open(bound(application), request.object);
        SegmentReply reply = new SegmentReply(opened.object().id, opened.object().size);
        return new Answer(reply.setExecution(opened.object().execution), opened.fd());
    }

    /** A reply to open that nobody has asked for; null: it cannot be had at once. */
    Reply pushed(String application, String object) {
        SegmentPool.Opened opened = application == null ? null : pool.openAtOnce(application, object);
        if (opened == null) {
            return null;
        }
        Segments.open_result result = new Segments.open_result();
        result.setSuccess(new SegmentReply(opened.object().id, opened.object().size).setExecution(opened.object().execution));
        try {
            return new Reply(frame(new TMessage("open", TMessageType.REPLY, PUSHED), result::write), opened.fd());
        } catch (TException e) {
            Kernel.close(opened.fd());
            throw new IllegalStateException("a reply that cannot be written", e);
        }
    }

    private static String bound(String application) throws SegmentException {
        if (application == null) {
            throw new SegmentException(Errors.DENIED, "this sandbox belongs to no application yet", null);
        }
        return application;
    }

    private interface Body {
        void write(TBinaryProtocol out) throws TException;
    }

    private static byte[] frame(TMessage message, Body body) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(256);
        TBinaryProtocol out = new TBinaryProtocol(buffer, true, true);
        out.writeMessageBegin(message);
        body.write(out);
        out.writeMessageEnd();
        return ByteBuffer.allocate(4 + buffer.length()).putInt(buffer.length()).put(buffer.getArray(), 0, buffer.length()).array();
    }
}
