// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.nettyrdma.agent.Hooks;
import io.nettyrdma.error.RdmaConnectRejectedException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Adds to the error of a connect that failed which option leaves its address to TCP. The peer may not speak RDMA. Then
 * it leaves the pipeline.
 *
 * <p>Threading: the event loop's.
 */
final class ConnectAdvice extends ChannelOutboundHandlerAdapter {

    private final @Nullable Object address;

    /**
     * @param address the one that the agent's options were compared with, not always that of the connect; {@code null}
     *                if the program had not told any
     */
    ConnectAdvice(@Nullable Object address) {
        this.address = address;
    }

    @Override
    public void connect(
            ChannelHandlerContext ctx, SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
        ctx.pipeline().remove(this);
        ChannelPromise connected = ctx.newPromise();
        connected.addListener(done -> {
            if (done.isSuccess()) {
                if (!promise.trySuccess()) {
                    ctx.close(); // cancelled meanwhile
                }
            } else if (done.isCancelled()) {
                promise.cancel(false);
            } else {
                promise.tryFailure(advise(done.cause()));
            }
        });
        promise.addListener(done -> {
            if (done.isCancelled()) {
                connected.cancel(false);
            }
        });
        ctx.connect(remote, local, connected);
    }

    private Throwable advise(Throwable cause) {
        if (String.valueOf(cause.getMessage()).startsWith("Connection refused")) { // by TCP
            return cause;
        }
        String message = cause.getMessage() + "; if no RDMA program listens there, " + advice();
        if (cause instanceof ConnectTimeoutException) {
            return new ConnectTimeoutException(message).initCause(cause);
        }
        return cause instanceof ConnectException || cause instanceof RdmaConnectRejectedException
                ? new ConnectException(message).initCause(cause)
                : cause;
    }

    private String advice() {
        if (!(address instanceof InetSocketAddress inet)) {
            return "name the other addresses by the agent's option rdma=: this client makes its channels before it"
                    + " tells their address, so tcp= has no effect on them";
        }
        String host = inet.getHostString();
        return Hooks.toLeave((host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + inet.getPort());
    }
}
