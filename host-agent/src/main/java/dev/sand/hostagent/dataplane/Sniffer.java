package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Looks at a connection's first bytes: TLS, a WebSocket's handshake, or the protocol itself. Makes way for what it finds. */
final class Sniffer extends ByteToMessageDecoder {
    private static final int TLS_HANDSHAKE = 22;
    private static final int HTTP_BYTES = 8 * 1024;
    private final DataPlane plane;
    private final PlacedReads reads;
    private boolean encrypted;
    private boolean found;
    private ScheduledFuture<?> patience;

    Sniffer(DataPlane plane, PlacedReads reads) {
        this.plane = plane;
        this.reads = reads;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        patience = context.channel().eventLoop().schedule(() -> context.close(), plane.options().hello().toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (found || in.readableBytes() < Frames.PREFACE.length) {
            return;
        }
        ChannelPipeline pipeline = context.pipeline();
        if (plane.parts().tls() != null && !encrypted) {
            if (in.getUnsignedByte(in.readerIndex()) != TLS_HANDSHAKE) {
                refuse(context, in);
                return;
            }
            encrypted = true;
            pipeline.addBefore(context.name(), "tls", plane.parts().tls().newHandler(context.alloc()));
            // What was read goes through it first.
            ByteBuf read = in.readRetainedSlice(in.readableBytes());
            pipeline.firstContext();
            pipeline.fireChannelRead(read);
            return;
        }
        if (in.getInt(in.readerIndex()) == 0x47455420) { // "GET "
            become(context);
            ClientStream stream = new ClientStream(new DataConnection(plane), null);
            pipeline.addLast(new HttpServerCodec(), new HttpObjectAggregator(HTTP_BYTES), new WebSocketDoor(), new WebSocketPings(stream),
                    new WebSocketServerProtocolHandler(WebSocketServerProtocolConfig.newBuilder().websocketPath(WebSocketDoor.PATH)
                            .maxFramePayloadLength(Frames.PART_BYTES + Frames.FRAME_BYTES).handshakeTimeoutMillis(
                                    plane.options().hello().toMillis()).build()),
                    new WebSocketBytes(), stream);
        } else if (in.getInt(in.readerIndex()) == 0x53445031) { // "SDP1"
            become(context);
            pipeline.addLast(new ClientStream(new DataConnection(plane), encrypted ? null : reads));
        } else {
            refuse(context, in);
            return;
        }
        pipeline.remove(this); // and what was read goes on
    }

    private void become(ChannelHandlerContext context) {
        found = true;
        patience.cancel(false);
    }

    private void refuse(ChannelHandlerContext context, ByteBuf in) {
        plane.figures().refused.increment();
        in.skipBytes(in.readableBytes());
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (!found) {
            found = true;
            patience.cancel(false);
            plane.noConnection();
        }
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close(); // a TLS handshake with a stranger, a reset
    }
}
