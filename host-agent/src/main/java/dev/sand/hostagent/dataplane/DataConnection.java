package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Frames.BadFrame;
import dev.sand.dataplane.Grant;
import dev.sand.dataplane.Grants;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.hostagent.segments.SegmentServer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: cuts frames, holds the client to the limits, and passes its invocations to {@link Invocations}. Nothing but
 * a grant passes before there is one. Everything happens on the channel's event loop. While a large value has no place yet, or the
 * client does not read its answers, it is not read from.
 *
 * <pre> connected ─ preface, hello ─▶ open ─ closed, silent, unread, rule broken ─▶ gone </pre>
 */
final class DataConnection extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(DataConnection.class);
    private static final int STRANGERS_FRAME_BYTES = 8 * 1024;
    private static final int LOW_WATER_BYTES = 256 << 10;
    private static final int HIGH_WATER_BYTES = 1 << 20;
    private static final long LOOK_MS = 500;

    private final DataPlane plane;
    private final DataPlaneOptions options;
    private final Map<Long, Call> calls = new HashMap<>();
    private Channel channel;
    private OutgoingValues outgoing;
    private Invocations invocations;
    private ScheduledFuture<?> look;
    private Grant grant;
    private String client = "a stranger";
    private boolean prefaced;
    private boolean gone;
    private String why;
    private int preparing;
    private int partLeft;
    private long partOf;
    private long beganNs;
    private long heardNs;
    private long readNs;

    DataConnection(DataPlane plane) {
        this.plane = plane;
        this.options = plane.options();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
        channel.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(LOW_WATER_BYTES, HIGH_WATER_BYTES));
        outgoing = new OutgoingValues(options.partBytes(), channel::isWritable, this::write);
        beganNs = System.nanoTime();
        heardNs = beganNs;
        readNs = beganNs;
        look = channel.eventLoop().scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    // --- what comes

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        heardNs = System.nanoTime();
        while (!gone && preparing == 0 && in.isReadable()) {
            if (partLeft > 0) {
                int length = Math.min(partLeft, in.readableBytes());
                partLeft -= length;
                take(in, length);
            } else if (!prefaced) {
                if (in.readableBytes() < Frames.PREFACE.length) {
                    return;
                }
                byte[] preface = new byte[Frames.PREFACE.length];
                in.readBytes(preface);
                if (!Arrays.equals(preface, Frames.PREFACE)) {
                    throw new BadFrame("it does not begin as a data plane's stream does");
                }
                prefaced = true;
            } else if (!frame(in)) {
                return;
            }
        }
        if (gone) {
            in.skipBytes(in.readableBytes());
        }
    }

    /** @return false when it has not come to its end */
    private boolean frame(ByteBuf in) {
        if (in.readableBytes() <= Frames.LENGTH_BYTES) {
            return false;
        }
        int at = in.readerIndex();
        long length = in.getUnsignedInt(at);
        byte kind = in.getByte(at + Frames.LENGTH_BYTES);
        int limit = grant == null ? STRANGERS_FRAME_BYTES : Frames.limit(kind);
        if (length < 1 || length > limit) {
            throw new BadFrame("a frame of " + length + " bytes; the limit is " + limit);
        }
        if (kind == Frames.PART && grant != null) {
            if (in.readableBytes() < Frames.PART_HEAD_BYTES) {
                return false;
            }
            if (length < 1 + Long.BYTES) {
                throw new BadFrame("a frame that ends too early");
            }
            partOf = in.getLong(at + Frames.LENGTH_BYTES + 1);
            partLeft = (int) length - 1 - Long.BYTES;
            in.skipBytes(Frames.PART_HEAD_BYTES);
            return true;
        }
        if (in.readableBytes() < Frames.LENGTH_BYTES + length) {
            return false;
        }
        Frame frame = Frames.decode(in.nioBuffer(at + Frames.LENGTH_BYTES, (int) length));
        in.skipBytes(Frames.LENGTH_BYTES);
        if (frame != null) {
            onFrame(frame);
        }
        in.skipBytes((int) length);
        return true;
    }

    /** Of an invocation that was refused meanwhile, what still comes is dropped. */
    private void take(ByteBuf in, int length) {
        Call call = calls.get(partOf);
        if (call == null || !call.isReceiving()) {
            in.skipBytes(length);
            return;
        }
        if (!call.take(in, length)) {
            throw new BadFrame("more of a value than its " + call.asked.size() + " bytes");
        }
        if (!call.isReceiving()) {
            plane.incoming(-call.asked.size());
            invocations.begin(call);
        }
    }

    private void onFrame(Frame frame) {
        if (grant == null) {
            if (!(frame instanceof Frame.Hello hello)) {
                throw new BadFrame("an invocation without a grant");
            }
            onHello(hello);
            return;
        }
        switch (frame) {
            case Frame.Invoke invoke -> onInvoke(invoke);
            case Frame.Cancel cancel -> onCancel(cancel.request());
            case Frame.Ping ping -> send(new Frame.Pong(ping.number()));
            case Frame.Pong pong -> { }
            default -> throw new BadFrame("a " + frame.getClass().getSimpleName() + " is not for a client to send");
        }
    }

    private void onHello(Frame.Hello hello) {
        Grant shown;
        try {
            if (hello.version() != Frames.VERSION) {
                refuse(Errors.BAD_REQUEST, "this host speaks version " + Frames.VERSION + " of the protocol, not " + hello.version(), false);
                return;
            }
            shown = plane.parts().grants().read(hello.grant(), plane.nowMs());
        } catch (Grants.Refusal e) {
            refuse(Errors.DENIED, e.getMessage(), e.fault() == Grants.Fault.EXPIRED);
            return;
        }
        if (plane.isKilled(shown)) {
            refuse(Errors.NOT_FOUND, "process " + shown.process() + " was killed after this grant was issued", true);
            return;
        }
        client = hello.client();
        if (!plane.isHere(shown)) {
            send(new Frame.Moved(0, ""));
            close("its grant is for another place");
            return;
        }
        grant = shown;
        invocations = new Invocations(plane, this, grant);
        plane.opened(this, grant);
        send(new Frame.Welcome(Frames.VERSION, plane.parts().host(), grant.process(), grant.epoch(), plane.nowMs(), options.inFlight(),
                options.valueBytes(), options.partBytes(), (int) options.idle().toMillis()));
    }

    private void refuse(String error, String cause, boolean retryable) {
        plane.figures().refused.increment();
        send(new Frame.Refused(error, cause, retryable));
        close(cause);
    }

    private void onInvoke(Frame.Invoke invoke) {
        if (calls.containsKey(invoke.request())) {
            throw new BadFrame("a second invocation with the number " + invoke.request());
        }
        Failure refusal = invocations.refusal(invoke, calls.size());
        if (refusal != null) {
            send(Invocations.failed(invoke.request(), "", refusal));
            return;
        }
        Call call = invocations.call(invoke);
        calls.put(call.request, call);
        if (call.isLarge()) {
            plane.incoming(call.asked.size());
        }
        invocations.prepare(call);
    }

    private void onCancel(long request) {
        Call call = calls.get(request);
        if (call == null) {
            return; // It has ended meanwhile.
        }
        if (call.isRunning()) {
            plane.parts().agent().cancel(call.executionId, "the client of its process cancelled it");
        } else {
            end(call, new Frame.Failed(request, Frame.Status.CANCELLED, Frame.Source.PLATFORM, false, call.executionId, Errors.CANCELLED,
                    "the client cancelled it before it began", ""));
        }
    }

    // --- for Invocations, on the loop

    /** Nothing is read until {@link #prepared}: the value that comes next has no place yet. */
    void preparing() {
        preparing++;
        readOrNot();
    }

    void prepared() {
        preparing--;
        readOrNot();
        if (!gone && preparing == 0) {
            channel.pipeline().context(this).executor().execute(() -> {
                try {
                    channelRead(channel.pipeline().context(this), Unpooled.EMPTY_BUFFER);
                } catch (Exception e) {
                    exceptionCaught(channel.pipeline().context(this), e);
                }
            });
        }
    }

    boolean isOpen(Call call) {
        return !gone && calls.get(call.request) == call;
    }

    /** The call's last frame, unless it was ended before. */
    void end(Call call, Frame last) {
        if (!calls.remove(call.request, call)) {
            return;
        }
        plane.incoming(call.isLarge() && !call.isRunning() ? -call.asked.size() : 0);
        call.abandon();
        invocations.count(call, last, 0);
        send(last);
    }

    /** On any thread. */
    void onEnd(Call call, InvocationResult result, SegmentServer.Mapped output) {
        if (!run(() -> answer(call, result, output)) && output != null) {
            output.close();
        }
    }

    /** @return false when nothing runs on the loop any more */
    boolean run(Runnable step) {
        try {
            channel.eventLoop().execute(step);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void answer(Call call, InvocationResult result, SegmentServer.Mapped output) {
        boolean moved = result.failure() != null && result.failure().error().equals(Errors.MOVED);
        if (!isOpen(call) || moved) {
            if (output != null) {
                output.close();
            }
            if (moved && isOpen(call)) {
                invocations.onMoved(call);
            }
            return;
        }
        if (result.failure() != null || result.output() == null) {
            end(call, Invocations.failed(call.request, result));
            return;
        }
        Payload value = result.output();
        ByteBuffer memory = output != null ? output.memory() : ByteBuffer.wrap(value.bytes());
        boolean small = memory.remaining() <= Frames.INLINE_BYTES;
        Frame.Result head = new Frame.Result(call.request, result.executionId(), value.contentType(), memory.remaining(),
                small ? memory : ByteBuffer.allocate(0));
        calls.remove(call.request);
        invocations.count(call, head, memory.remaining());
        send(head);
        if (small) {
            if (output != null) {
                output.close();
            }
        } else {
            outgoing.add(call.request, memory, output);
        }
    }

    // --- what goes

    void send(Frame frame) {
        if (gone) {
            return;
        }
        ByteBuffer head = Frames.head(frame);
        ByteBuffer value = Frames.value(frame);
        ByteBuf bytes = channel.alloc().ioBuffer(head.remaining() + value.remaining()).writeBytes(head).writeBytes(value.duplicate());
        channel.writeAndFlush(bytes).addListener(written -> readNs = System.nanoTime());
    }

    private void write(long request, ByteBuf part, Runnable done) {
        ByteBuffer head = ByteBuffer.allocate(Frames.PART_HEAD_BYTES).putInt(1 + Long.BYTES + part.readableBytes()).put(Frames.PART)
                .putLong(request).flip();
        channel.write(channel.alloc().ioBuffer(Frames.PART_HEAD_BYTES).writeBytes(head), channel.voidPromise());
        channel.writeAndFlush(part).addListener(written -> {
            readNs = System.nanoTime();
            done.run();
        });
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        discardSomeReadBytes();
        context.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        outgoing.pump();
        readOrNot();
    }

    private void readOrNot() {
        channel.config().setAutoRead(preparing == 0 && channel.isWritable());
    }

    // --- time, and the end

    private void look() {
        long nowNs = System.nanoTime();
        boolean unread = !outgoing.isEmpty() || channel.unsafe().outboundBuffer() != null
                && channel.unsafe().outboundBuffer().totalPendingWriteBytes() > 0;
        if (grant == null && nowNs - beganNs > options.hello().toNanos()) {
            close("it has shown no grant for " + options.hello().toMillis() + " ms");
        } else if (unread && nowNs - readNs > options.unread().toNanos()) {
            close("it has read nothing of its answers for " + options.unread().toMillis() + " ms");
        } else if (!unread && preparing == 0 && nowNs - heardNs > options.idle().toNanos()) {
            send(new Frame.GoAway(Errors.TIMEOUT, "nothing was heard for " + options.idle().toMillis() + " ms"));
            close("nothing was heard for " + options.idle().toMillis() + " ms");
        } else {
            if (!unread) {
                readNs = nowNs;
            }
            for (Call call : List.copyOf(calls.values())) {
                if (call.isReceiving() && nowNs - call.untilNs > 0) {
                    end(call, Invocations.failed(call.request, call.executionId, Failure.platform(Errors.TIMEOUT,
                            "its input had not come when its time was over", true)));
                }
            }
        }
    }

    boolean isFor(String application, String process) {
        return grant != null && grant.application().equals(application) && grant.process().equals(process);
    }

    /** The host ends it, on the loop. */
    void goAway(String error, String cause) {
        send(new Frame.GoAway(error, cause));
        close(cause);
    }

    void close(String reason) {
        why = why == null ? reason : why;
        channel.flush();
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (gone) {
            return;
        }
        gone = true;
        look.cancel(false);
        outgoing.close();
        for (Call call : calls.values()) {
            plane.incoming(call.isLarge() && !call.isRunning() ? -call.asked.size() : 0);
            call.abandon();
        }
        calls.clear();
        plane.closed(this, grant);
        LOG.debug("the connection of {} at {} has ended: {}", client, channel.remoteAddress(), why == null ? "closed by the client" : why);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Throwable root = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (root instanceof BadFrame) {
            plane.figures().refused.increment();
            LOG.info("closing the connection of {} at {}: {}", client, channel.remoteAddress(), root.getMessage());
            send(new Frame.GoAway(Errors.BAD_REQUEST, root.getMessage()));
        } else if (!(root instanceof IOException)) {
            LOG.error("the connection of {} at {} ends for a fault of its handler", client, channel.remoteAddress(), root);
        }
        close(root.getMessage() == null ? root.toString() : root.getMessage());
    }
}
