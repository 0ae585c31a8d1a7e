package dev.sand.hostlink;

import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.Ping;
import dev.sand.event.thrift.network.Value;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection, either end: cuts frames, keeps itself alive, moves large values. Nothing but the handshake passes before
 * both sides have proven that they know the cluster's key. Everything happens on the channel's event loop.
 *
 * <pre>
 * connected ─ handshake done ─▶ open ─ closed, silent, rule broken ─▶ gone
 *           ─ refused, late ─────────────────────────────────────────▶ gone
 * </pre>
 */
abstract class Connection extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
    private static final int HANDSHAKE_FRAME_BYTES = 4096;
    /** Of what is no value. */
    private static final int USUAL_BYTES = 256;
    /** What one read takes at most, once they are full: a chunk of a value comes in one or two. After one, others have their turn. */
    private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(1 << 10, 4 << 10, 512 << 10).maxMessagesPerRead(1);
    private static final int LOW_WATER_BYTES = 256 << 10;
    private static final int HIGH_WATER_BYTES = 1 << 20;

    final LinkOptions options;
    private final Room room;
    private final Executor blocking;
    private final Executor toLoop = this::toLoop;
    private Channel channel;
    private OutgoingValues outgoing;
    private IncomingValues incoming;
    private ScheduledFuture<?> beats;
    private boolean open;
    private boolean gone;
    private boolean wrote;
    private int silentBeats;
    private String why;

    /** @param room for values being received; @param blocking for what takes a while */
    Connection(LinkOptions options, Room room, Executor blocking) {
        this.options = options;
        this.room = room;
        this.blocking = blocking;
    }

    /** The channel is connected. */
    abstract void onConnected();

    /** A message of the handshake. @throws LinkException when it is not the one that comes next, or proves nothing */
    abstract void onHandshake(Message message);

    /** Any other message. @throws LinkException when it breaks a rule */
    abstract void onMessage(Message message);

    /** Called once. @param why for people */
    abstract void onGone(String why);

    abstract String peer();

    @Override
    public final void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
        channel.config().setRecvByteBufAllocator(READS);
        channel.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(LOW_WATER_BYTES, HIGH_WATER_BYTES));
        outgoing = new OutgoingValues(options.chunkBytes(), channel::isWritable, this::send);
        incoming = new IncomingValues(options.windowBytes(), room, toLoop, blocking, this::send);
        if (channel.isActive()) {
            begin();
        }
    }

    @Override
    public final void channelActive(ChannelHandlerContext context) {
        begin();
    }

    private void begin() {
        if (beats != null || gone) {
            return;
        }
        beats = channel.eventLoop().scheduleWithFixedDelay(this::beat, options.beat().toMillis(), options.beat().toMillis(),
                TimeUnit.MILLISECONDS);
        channel.eventLoop().schedule(() -> {
            if (!open) {
                close("the handshake took longer than " + options.handshake().toMillis() + " ms");
            }
        }, options.handshake().toMillis(), TimeUnit.MILLISECONDS);
        onConnected();
    }

    /** Counted in beats and not by the clock, and none is made up for: a loop that was held up does not take its peer for dead. */
    private void beat() {
        if (!open) {
            return;
        }
        if (++silentBeats * options.beat().toMillis() > options.silence().toMillis()) {
            close("nothing was heard for " + options.silence().toMillis() + " ms");
            return;
        }
        if (!wrote) {
            send(Message.ping(new Ping()));
        }
        wrote = false;
    }

    final void opened() {
        open = true;
    }

    final boolean isOpen() {
        return open && !gone;
    }

    @Override
    protected final void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        while (!gone && in.readableBytes() >= MessageCodec.LENGTH_BYTES) {
            int length = in.getInt(in.readerIndex());
            // Who has proven nothing is not given memory.
            int limit = open ? options.frameBytes() : HANDSHAKE_FRAME_BYTES;
            if (length < 0 || length > limit) {
                throw new LinkException("a frame of " + Integer.toUnsignedString(length) + " bytes; the limit is " + limit);
            }
            if (in.readableBytes() < MessageCodec.LENGTH_BYTES + length) {
                return;
            }
            in.skipBytes(MessageCodec.LENGTH_BYTES);
            ChunkFrame chunk = open ? ChunkFrame.of(in, length) : null;
            if (chunk == null) {
                onFrame(MessageCodec.decode(in, length));
            } else {
                silentBeats = 0;
                incoming.onChunk(chunk.call(), chunk.bytes());
                in.skipBytes(length);
            }
        }
        if (gone) {
            in.skipBytes(in.readableBytes());
        }
    }

    private void onFrame(Message message) {
        silentBeats = 0;
        if (message.getSetField() == null) {
            if (!open) {
                throw new LinkException("no handshake");
            }
            return; // Of a kind that a newer version knows.
        }
        switch (message.getSetField()) {
            case PING -> {
                if (!open) {
                    throw new LinkException("a ping before the handshake"); // many of them would be given memory to be read into
                }
            }
            case HELLO, CHALLENGE, PROOF, WELCOME, REFUSED -> {
                if (open) {
                    throw new LinkException("a handshake after the handshake");
                }
                onHandshake(message);
            }
            default -> {
                if (!open) {
                    throw new LinkException("a call before the handshake");
                }
                switch (message.getSetField()) {
                    case CHUNK -> incoming.onChunk(message.getChunk().getCall(), message.getChunk().bytes);
                    case CREDIT -> outgoing.onCredit(message.getCredit().getCall(), message.getCredit().getBytes());
                    default -> onMessage(message);
                }
            }
        }
    }

    @Override
    public final void channelReadComplete(ChannelHandlerContext context) {
        discardSomeReadBytes();
        context.flush();
    }

    @Override
    public final void channelWritabilityChanged(ChannelHandlerContext context) {
        outgoing.pump();
    }

    final void send(Message message) {
        if (gone) {
            return;
        }
        ByteBuf frame = channel.alloc().ioBuffer(message.isSetChunk() ? message.getChunk().bytes.remaining() + USUAL_BYTES : USUAL_BYTES);
        try {
            MessageCodec.encode(message, frame, options.frameBytes());
        } catch (RuntimeException e) {
            frame.release();
            throw e;
        }
        wrote = true;
        channel.writeAndFlush(frame, channel.voidPromise());
        long unsent = channel.unsafe().outboundBuffer() == null ? 0 : channel.unsafe().outboundBuffer().totalPendingWriteBytes();
        if (unsent > options.unsentBytes()) {
            close("the peer has left " + unsent + " bytes unread");
        }
    }

    /** Bytes of large values that wait to be sent. */
    final long outgoingBytes() {
        return outgoing.bytes();
    }

    /** The message that names the streamed value has been sent. */
    final void stream(long call, ValueSource source) {
        if (gone) {
            source.close();
        } else {
            outgoing.add(call, source);
        }
    }

    /** Gives the value's bytes, now or when they have come. */
    final void receive(long call, Value value, Consumer<byte[]> then, Consumer<String> onGone) {
        if (value.isSetBytes()) {
            then.accept(value.getBytes());
            return;
        }
        incoming.receive(call, (int) size(value), then, onGone);
    }

    final void receive(long call, Value value, IncomingValues.Sink sink) {
        incoming.receive(call, size(value), sink);
    }

    private long size(Value value) {
        if (value.getStreamed() < 1 || value.getStreamed() > options.valueBytes()) {
            throw new LinkException("a value of " + value.getStreamed() + " bytes; the limit is " + options.valueBytes());
        }
        return value.getStreamed();
    }

    final void forgetValues(long call) {
        outgoing.forget(call);
        incoming.forget(call);
    }

    /** For callbacks from other threads; they may come when the loop has ended. */
    final Executor loop() {
        return toLoop;
    }

    private void toLoop(Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the event loop has ended; nobody is left to be told");
        }
    }

    final Executor blocking() {
        return blocking;
    }

    final void close(String reason) {
        if (why == null) {
            why = reason;
        }
        if (channel != null) {
            channel.close();
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext context) {
        if (gone) {
            return;
        }
        gone = true;
        if (beats != null) {
            beats.cancel(false);
        }
        String reason = why == null ? "the connection was closed by the other side" : why;
        outgoing.close();
        incoming.close(reason);
        onGone(reason);
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Throwable root = cause instanceof io.netty.handler.codec.DecoderException && cause.getCause() != null
                ? cause.getCause() : cause;
        if (root instanceof LinkException) {
            LOG.warn("closing the connection with {}: {}", peer(), root.getMessage());
        } else if (!(root instanceof IOException)) {
            LOG.error("the connection with {} ends for a fault of its handler", peer(), root);
        }
        close(root.getMessage() == null ? root.toString() : root.getMessage());
    }
}
