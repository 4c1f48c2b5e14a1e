// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;

/** Lets all writes fail, as a channel does that has no work requests left. */
public final class FailingWrites extends ChannelOutboundHandlerAdapter {

    private final IOException cause;

    public FailingWrites() {
        this(new IOException("no more work requests"));
    }

    public FailingWrites(IOException cause) {
        this.cause = cause;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        ReferenceCountUtil.release(msg);
        promise.setFailure(cause);
    }
}
