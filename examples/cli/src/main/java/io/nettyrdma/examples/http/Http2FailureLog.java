// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.nettyrdma.examples.guard.FailureLog;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.PeerText;

/**
 * The last handler of a connection of HTTP/2: prints a line if the client breaks the protocol, and leaves it to the
 * codec to say so to the client and then to close.
 *
 * <p>Threading: any event loop.
 */
@Sharable
final class Http2FailureLog extends ChannelInboundHandlerAdapter {

    private final PeerLog log;
    private final FailureLog others;

    /** @param others handles failures that are not of the protocol */
    Http2FailureLog(PeerLog log, FailureLog others) {
        this.log = log;
        this.others = others;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) == null) {
            others.exceptionCaught(context, cause);
        } else {
            log.accept(context.channel().remoteAddress() + " closed: " + PeerText.reason(cause));
        }
    }
}
