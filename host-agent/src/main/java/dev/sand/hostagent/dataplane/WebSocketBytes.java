package dev.sand.hostagent.dataplane;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.util.ReferenceCountUtil;

/** The stream of a connection in the binary messages of a WebSocket, one after another; where one ends means nothing. */
final class WebSocketBytes extends ChannelDuplexHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        switch (message) {
            case BinaryWebSocketFrame binary -> context.fireChannelRead(binary.content());
            case ContinuationWebSocketFrame more -> context.fireChannelRead(more.content());
            default -> {
                ReferenceCountUtil.release(message);
                context.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.INVALID_MESSAGE_TYPE, "binary messages only"))
                        .addListener(written -> context.close());
            }
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        context.write(message instanceof ByteBuf bytes ? new BinaryWebSocketFrame(bytes) : message, promise);
    }
}
