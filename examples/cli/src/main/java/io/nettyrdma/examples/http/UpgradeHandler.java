// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerUpgradeHandler;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2ServerUpgradeCodec;
import io.netty.util.AsciiString;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * Changes a connection from HTTP/1.1 to HTTP/2 if its first request asks for that, as {@code java.net.http} does in
 * clear (RFC 7540, section 3.2; RFC 9113 dropped it). It ignores the wish of a request with a body, which would have to
 * be kept first.
 */
final class UpgradeHandler extends HttpServerUpgradeHandler {

    /**
     * Stands right above the codec of HTTP/1.1.
     *
     * @param codec     leaves with this handler
     * @param streams   the handlers of HTTP/2
     * @param onUpgrade removes the other handlers of HTTP/1.1
     */
    UpgradeHandler(SourceCodec codec, Supplier<Http2ServerUpgradeCodec> streams, Runnable onUpgrade) {
        super(
                codec,
                protocol -> AsciiString.contentEquals(Http2CodecUtil.HTTP_UPGRADE_PROTOCOL_NAME, protocol)
                        ? upgradeCodec(streams.get(), onUpgrade)
                        : null,
                0,
                DefaultHttpHeadersFactory.headersFactory(),
                DefaultHttpHeadersFactory.trailersFactory(),
                true);
    }

    private static UpgradeCodec upgradeCodec(Http2ServerUpgradeCodec streams, Runnable onUpgrade) {
        return new UpgradeCodec() {
            @Override
            public Collection<CharSequence> requiredUpgradeHeaders() {
                return streams.requiredUpgradeHeaders();
            }

            @Override
            public boolean prepareUpgradeResponse(
                    ChannelHandlerContext context, FullHttpRequest request, HttpHeaders headers) {
                return streams.prepareUpgradeResponse(context, request, headers);
            }

            @Override
            public void upgradeTo(ChannelHandlerContext context, FullHttpRequest request) {
                onUpgrade.run();
                streams.upgradeTo(context, request);
            }
        };
    }

    @Override
    protected boolean shouldHandleUpgradeRequest(HttpRequest request) {
        return (request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD))
                && request.headers().get(HttpHeaderNames.CONTENT_LENGTH, "0").equals("0")
                && !request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
    }
}
