package dev.sand.localbus;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.unix.Errors;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.util.List;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TMessage;
import org.apache.thrift.protocol.TMessageType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One accepted connection: cuts frames, decodes calls in place, and writes each reply at once in one write. Everything
 * happens on the bus's event loop, in the read that brought the call.
 */
final class SocketConnection extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(SocketConnection.class);
    private static final int LENGTH_BYTES = 4;
    private static final int REPLY_BYTES = 512;

    private final SocketLocalBus bus;
    private final Broker broker;
    private Channel channel;

    SocketConnection(SocketLocalBus bus, BusHandler handler) {
        this.bus = bus;
        this.broker = new Broker(handler, bus.configuration().outstandingCalls());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        while (in.readableBytes() >= LENGTH_BYTES && channel.isOpen()) {
            int length = in.getInt(in.readerIndex());
            if (length < 0 || length > bus.configuration().frameBytes()) {
                in.skipBytes(in.readableBytes());
                broker.violation("", 0, "a frame of " + Integer.toUnsignedString(length) + " bytes; the limit is "
                        + bus.configuration().frameBytes());
                return;
            }
            if (in.readableBytes() < LENGTH_BYTES + length) {
                return;
            }
            in.skipBytes(LENGTH_BYTES);
            onFrame(in, length);
            in.skipBytes(length);
        }
    }

    private void onFrame(ByteBuf in, int length) {
        TMessage head = null;
        BusCall call;
        Object request;
        try {
            head = bus.codec().begin(in, length);
            call = BusCall.of(head.name);
            if (call == null) {
                broker.violation(head.name, head.seqid, "no such call");
                return;
            }
            if (head.type != (call.oneway ? TMessageType.ONEWAY : TMessageType.CALL)) {
                broker.violation(head.name, head.seqid, head.name + " comes as a message of another type");
                return;
            }
            request = bus.codec().request(call);
        } catch (TException e) {
            broker.violation(head == null ? "" : head.name, head == null ? 0 : head.seqid, "not understood: " + e.getMessage());
            return;
        } finally {
            bus.codec().end();
        }
        broker.onCall(call, head.seqid, request);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        // The decoder would ask for more on its own, since nothing comes out of it, though reading has been stopped.
        discardSomeReadBytes();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        bus.onClosed();
        broker.onClosed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof Errors.NativeIoException failure && failure.expectedErr() == Errors.ERRNO_ECONNRESET_NEGATIVE) {
            broker.onReset();
        } else if (!(cause instanceof IOException)) {
            LOG.error("a connection of the local bus ends for a fault of its handler", cause);
        }
        context.close();
    }

    /** The rules, over this channel. */
    private final class Broker extends BrokerConnection {
        Broker(BusHandler handler, int outstandingLimit) {
            super(handler, outstandingLimit);
        }

        @Override
        void send(BusCall call, int sequence, Object result) {
            ByteBuf frame = channel.alloc().ioBuffer(REPLY_BYTES + BusCodec.valueBytes(result));
            try {
                bus.codec().reply(frame, call, sequence, result);
            } catch (TException e) {
                frame.release();
                violation(call.wireName, sequence, "the answer cannot be sent: " + e.getMessage());
                onNotSent(result);
                return;
            }
            if (call == BusCall.TAKE) {
                channel.writeAndFlush(frame).addListener(written -> {
                    if (!written.isSuccess()) {
                        onNotSent(result);
                    }
                });
            } else {
                channel.writeAndFlush(frame, channel.voidPromise());
            }
        }

        @Override
        void violation(String call, int sequence, String message) {
            bus.onViolation();
            LOG.warn("closing a connection of the local bus: {} {}", call, message);
            ByteBuf frame = channel.alloc().ioBuffer(REPLY_BYTES);
            try {
                bus.codec().exception(frame, call, sequence,
                        new TApplicationException(TApplicationException.PROTOCOL_ERROR, message));
                channel.writeAndFlush(frame).addListener(ChannelFutureListener.CLOSE);
            } catch (TException e) {
                frame.release();
                channel.close();
            }
            channel.config().setAutoRead(false);
        }

        @Override
        void readable(boolean readable) {
            channel.config().setAutoRead(readable);
        }

        @Override
        public boolean inOwnerThread() {
            return channel.eventLoop().inEventLoop();
        }

        @Override
        public void execute(Runnable task) {
            channel.eventLoop().execute(task);
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}
