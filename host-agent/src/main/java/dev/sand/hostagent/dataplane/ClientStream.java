package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Frames.BadFrame;
import dev.sand.event.Errors;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client sends, cut into frames for its {@link DataConnection}. The bytes of parts go to their place in shared memory, from the
 * socket at once where nothing lies in between. While a value has no place yet, nothing is read; nor while too much came that brings
 * nothing, see {@link Chatter}. On the channel's event loop.
 */
final class ClientStream extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(ClientStream.class);
    private static final int STRANGERS_FRAME_BYTES = 8 * 1024;
    /** Less of a part than this is read with what follows it. */
    private static final int PLACED_BYTES = 16 << 10;
    /** A frame that nobody knows counts once more for so many bytes each; less of a part for which nobody waits counts. */
    private static final int CHATTER_BYTES = 1 << 10;
    /** That of which too much came, and one that was under way. */
    private static final int READS_IN_PAUSE = 2;

    private final DataConnection connection;
    private final PlacedReads reads;
    private final Chatter chatter;
    private Channel channel;
    private ChannelHandlerContext context;
    private ByteBuf placed;
    private boolean prefaced;
    private int preparing;
    private boolean pauses;
    private int readsInPause;
    private int partLeft;
    private long partOf;
    private long heardNs = System.nanoTime();

    /** @param reads the channel's own, when its bytes are the client's; null: something decodes them before */
    ClientStream(DataConnection connection, PlacedReads reads) {
        this.connection = connection;
        this.reads = reads;
        this.chatter = new Chatter(connection.options().chatter(), connection.options().chatterPerSecond(), heardNs);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        this.context = context;
        channel = context.channel();
        connection.begin(channel, this);
        if (reads != null) {
            reads.ask(this::place);
        }
    }

    long heardNs() {
        return heardNs;
    }

    boolean isPreparing() {
        return preparing > 0;
    }

    /** Nothing is read until {@link #prepared}: the value that comes next has no place yet. */
    void preparing() {
        preparing++;
        readOrNot();
    }

    void prepared() {
        preparing--;
        readOrNot();
        if (!connection.isGone() && preparing == 0) {
            context.executor().execute(this::goOn);
        }
    }

    /** With what was read, and could not be worked off yet. */
    private void goOn() {
        try {
            channelRead(context, Unpooled.EMPTY_BUFFER);
        } catch (Exception e) {
            exceptionCaught(context, e);
        }
        readEnded();
    }

    private void readOrNot() {
        channel.config().setAutoRead(preparing == 0 && !pauses && channel.isWritable());
    }

    // --- what brings nothing

    Chatter chatter() {
        return chatter;
    }

    /** So many frames; after too many of them nothing is read for a while, and what was read waits. */
    void broughtNothing(int frames) {
        chatter.spend(frames, System.nanoTime());
        long pauseNs = chatter.pauseNs();
        if (pauseNs > 0 && !pauses && !connection.isGone()) {
            pauses = true;
            readOrNot();
            context.executor().schedule(this::pausesNoMore, pauseNs, TimeUnit.NANOSECONDS);
        }
    }

    private void pausesNoMore() {
        pauses = false;
        readsInPause = 0;
        if (!connection.isGone()) {
            goOn();
            readOrNot();
        }
    }

    // --- bytes that go to their place without being looked at

    private ByteBuf place() {
        if (partLeft < PLACED_BYTES || preparing > 0 || pauses || actualReadableBytes() > 0 || connection.isGone()) {
            return null;
        }
        Call call = connection.call(partOf);
        if (!isAwaited(call)) {
            return null;
        }
        ByteBuffer room = call.room(partLeft);
        placed = room == null ? null : Unpooled.wrappedBuffer(room).clear();
        return placed;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        connection.onRead();
        if (message != placed) {
            super.channelRead(context, message);
            return;
        }
        int length = placed.readableBytes();
        placed.release();
        placed = null;
        heardNs = System.nanoTime();
        partLeft -= length;
        Call call = connection.call(partOf);
        call.filled(length);
        connection.onBytes(call);
    }

    // --- bytes that are looked at

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        heardNs = System.nanoTime();
        while (!connection.isGone() && preparing == 0 && !pauses && in.isReadable()) {
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
        if (connection.isGone()) {
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
        int limit = connection.isKnown() ? Frames.limit(kind) : STRANGERS_FRAME_BYTES;
        if (length < 1 || length > limit) {
            throw new BadFrame("a frame of " + length + " bytes; the limit is " + limit);
        }
        if (kind == Frames.PART && connection.isKnown()) {
            if (in.readableBytes() < Frames.PART_HEAD_BYTES) {
                return false;
            }
            if (length < 1 + Long.BYTES) {
                throw new BadFrame("a frame that ends too early");
            }
            partOf = in.getLong(at + Frames.LENGTH_BYTES + 1);
            partLeft = (int) length - 1 - Long.BYTES;
            in.skipBytes(Frames.PART_HEAD_BYTES);
            if (partLeft == 0 || partLeft < CHATTER_BYTES && !isAwaited(connection.call(partOf))) {
                broughtNothing(1);
            }
            return true;
        }
        if (in.readableBytes() < Frames.LENGTH_BYTES + length) {
            return false;
        }
        Frame frame = Frames.decode(in.nioBuffer(at + Frames.LENGTH_BYTES, (int) length));
        in.skipBytes(Frames.LENGTH_BYTES);
        if (frame != null) {
            connection.onFrame(frame);
        } else {
            broughtNothing(1 + (int) length / CHATTER_BYTES);
        }
        in.skipBytes((int) length);
        return true;
    }

    /** Of an invocation that was refused meanwhile, what still comes is dropped. */
    private void take(ByteBuf in, int length) {
        Call call = connection.call(partOf);
        if (!isAwaited(call)) {
            in.skipBytes(length);
            return;
        }
        if (!call.take(in, length)) {
            throw new BadFrame("more of a value than its " + call.asked.size() + " bytes");
        }
        connection.onBytes(call);
    }

    private static boolean isAwaited(Call call) {
        return call != null && call.isReceiving();
    }

    // --- the channel

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        readEnded();
        if (pauses && chatter.isSpent() && ++readsInPause > READS_IN_PAUSE) {
            // It has hung up: all that the kernel still has of it is read then, reading or not, and would lie here.
            connection.close("it has hung up, and what is left of it brings nothing");
        }
    }

    private void readEnded() {
        discardSomeReadBytes();
        chatter.nextTurn();
        connection.onReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        connection.onWritable();
        readOrNot();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connection.onClosed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Throwable fault = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (fault instanceof BadFrame) {
            LOG.info("closing {}: {}", connection, fault.getMessage());
            connection.refuse(Errors.BAD_REQUEST, fault.getMessage());
            return;
        }
        if (fault instanceof DecoderException || fault instanceof WebSocketHandshakeException) { // what a client sent is no WebSocket's
            LOG.info("closing {}: {}", connection, fault.getMessage());
        } else if (!(fault instanceof IOException)) {
            LOG.error("{} ends for a fault of its handler", connection, fault);
        }
        connection.close(fault.getMessage() == null ? fault.toString() : fault.getMessage());
    }
}
