// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.util.Map;

/** Helps the reverse handlers with their pipeline and the messages written into it. */
public final class ReverseDirection {

    private ReverseDirection() {}

    /**
     * The context of the handler of the forward direction, below a reverse handler.
     *
     * @throws IllegalStateException if there is none, or not on the same executor
     */
    public static ChannelHandlerContext below(ChannelHandlerContext ctx, Class<? extends ChannelHandler> type) {
        for (Map.Entry<String, ChannelHandler> entry : ctx.pipeline()) {
            ChannelHandler handler = entry.getValue();
            if (handler == ctx.handler()) {
                break;
            } else if (type.isInstance(handler)) {
                ChannelHandlerContext forward = ctx.pipeline().context(handler);
                if (forward.executor() != ctx.executor()) {
                    throw new IllegalStateException("runs on another executor than its " + type.getSimpleName());
                }
                return forward;
            }
        }
        throw new IllegalStateException("add this handler above a " + type.getSimpleName() + " in the pipeline");
    }

    /**
     * The credits of the reverse direction.
     *
     * @throws IllegalStateException if it is off
     */
    public static int credits(SessionSettings settings) {
        if (settings.reverseCredits() == 0) {
            throw new IllegalStateException("reverseCredits of the configuration is 0");
        }
        return settings.reverseCredits();
    }

    /** Whether an object is an RPC message of this type. */
    public static boolean isMessage(Object msg, int type) {
        return msg instanceof ByteBuf message && RpcHeaders.isOfType(message, type);
    }
}
