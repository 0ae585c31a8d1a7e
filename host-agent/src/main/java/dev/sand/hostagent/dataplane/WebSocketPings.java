package dev.sand.hostagent.dataplane;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * A WebSocket's own pings and pongs, and its messages without a byte: they bring as little as those of the protocol. Of the pings that
 * were read at once the last is answered, which RFC 6455 (5.5.3) leaves to us.
 */
final class WebSocketPings extends ChannelInboundHandlerAdapter {
    private final ClientStream stream;
    private PingWebSocketFrame last;

    WebSocketPings(ClientStream stream) {
        this.stream = stream;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        switch (message) {
            case PingWebSocketFrame ping -> {
                forget();
                last = ping;
                stream.broughtNothing(1);
            }
            case PongWebSocketFrame pong -> {
                pong.release();
                stream.broughtNothing(1);
            }
            case ContinuationWebSocketFrame end when end.isFinalFragment() -> context.fireChannelRead(end); // of a message that brought something
            case WebSocketFrame frame when !frame.content().isReadable() -> {
                stream.broughtNothing(1);
                context.fireChannelRead(frame);
            }
            default -> context.fireChannelRead(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (last != null) {
            context.write(new PongWebSocketFrame(last.content())); // it goes with what else is answered
            last = null;
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        forget();
    }

    private void forget() {
        ReferenceCountUtil.release(last);
        last = null;
    }
}
