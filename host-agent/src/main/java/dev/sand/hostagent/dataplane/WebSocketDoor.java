package dev.sand.hostagent.dataplane;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;

/**
 * Lets handshakes of RFC 6455 alone through, of which version 13 is the one there is (4.4): the library would take drafts too, and
 * a request that it could not read for the oldest of them.
 */
final class WebSocketDoor extends SimpleChannelInboundHandler<FullHttpRequest> {
    static final String PATH = "/data";
    private static final String VERSION = WebSocketVersion.V13.toHttpHeaderValue();

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (request.decoderResult().isFailure()) {
            refuse(context, request.decoderResult().cause() instanceof TooLongHttpHeaderException
                    ? HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE : HttpResponseStatus.BAD_REQUEST);
        } else if (!request.uri().equals(PATH)) { // nor one with parameters, or a query
            refuse(context, HttpResponseStatus.BAD_REQUEST);
        } else if (request.headers().contains(HttpHeaderNames.UPGRADE)
                && !VERSION.equals(request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))) {
            refuse(context, HttpResponseStatus.UPGRADE_REQUIRED);
        } else {
            context.fireChannelRead(request.retain());
        }
    }

    private static void refuse(ChannelHandlerContext context, HttpResponseStatus status) {
        DefaultFullHttpResponse answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status);
        answer.headers().set(HttpHeaderNames.SEC_WEBSOCKET_VERSION, VERSION).set(HttpHeaderNames.CONTENT_LENGTH, 0)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }
}
