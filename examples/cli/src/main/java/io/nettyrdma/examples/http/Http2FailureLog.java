/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
