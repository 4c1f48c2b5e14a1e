// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.nettyrdma.error.RdmaConnectRejectedException;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The promise and the time limit of a connection being made. Completes the promise exactly once.
 *
 * <p>Threading: the loop's.
 */
final class ConnectAttempt {

    // The status of every event where the provider has none, as libdisni.
    private static final int UNKNOWN = -1;

    private static final String SILENCE =
            "; it cannot be reached, or the program there does not speak RDMA or has a blocked event loop";
    private static final String REJECTED = "the peer rejected the connection";
    private static final String ADVICE = "; its log may say why, for example that only one of the two sides is a byte"
            + " stream (RdmaSocketChannel, RdmaServerSocketChannel) or has flow control (RdmaFlowControlHandler), or"
            + " that the initializer of the peer's channel failed";

    /** How many local ports are tried where the provider chooses them. */
    static final int PORTS = 4;

    private final InetSocketAddress remote;
    private final @Nullable SocketAddress local;
    private final ChannelPromise promise;
    private final UnaryOperator<Throwable> annotate;
    private @Nullable Future<?> timer;
    private int portsTried = 1;

    /**
     * @param local where to connect from, or {@code null} if the provider chooses that
     * @param annotate adds the address to the exception of a system, as Netty does
     */
    ConnectAttempt(
            InetSocketAddress remote,
            @Nullable SocketAddress local,
            ChannelPromise promise,
            UnaryOperator<Throwable> annotate) {
        this.remote = remote;
        this.local = local;
        this.promise = promise;
        this.annotate = annotate;
    }

    InetSocketAddress remote() {
        return remote;
    }

    /** Where to connect from, or {@code null} if the provider chooses that. */
    @Nullable
    SocketAddress local() {
        return local;
    }

    /** Whether no port has been tried before the present one. */
    boolean isFirst() {
        return portsTried == 1;
    }

    /**
     * Whether to try another local port because the present one is taken, unless the application has chosen it. On siw,
     * the connection manager chooses among those that no RDMA connection has, and then it may turn out that TCP has
     * given it to another program, or that an earlier connection has not quite ended.
     */
    boolean triesAnotherPort(Throwable cause) {
        boolean chosen = local instanceof InetSocketAddress inet && inet.getPort() != 0;
        return cause instanceof BindException && !chosen && portsTried++ < PORTS;
    }

    boolean isFor(ChannelPromise other) {
        return promise == other;
    }

    /** Starts the clock; {@code expired} gets the exception to fail with. */
    void limit(EventLoop loop, int timeoutMillis, Consumer<Throwable> expired) {
        if (timeoutMillis > 0) {
            timer = loop.schedule(
                    () -> expired.accept(new ConnectTimeoutException(
                            "connection timed out after " + timeoutMillis + " ms: " + remote + SILENCE)),
                    timeoutMillis,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Completes the promise; {@code false} if it was cancelled or failed before. */
    boolean succeed() {
        stop();
        return promise.trySuccess();
    }

    void fail(Throwable cause) {
        stop();
        promise.tryFailure(
                cause instanceof BindException refused && local != null ? Listener.withAddress(refused, local) : cause);
    }

    private void stop() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** Why a connection failed, as an exception. */
    Throwable failure(int cmEvent, int status, byte[] privateData, @Nullable String reason) {
        String suffix = remote + (reason == null ? "" : " (" + reason + ')');
        boolean saysWhy = reason != null && !REJECTED.endsWith(reason);
        return switch (cmEvent) {
            case VerbsConstants.CM_REJECTED ->
                status == VerbsConstants.ECONNREFUSED
                        ? annotate.apply(new ConnectException("Connection refused"))
                        : new RdmaConnectRejectedException(
                                saysWhy ? REJECTED + ": " + suffix : REJECTED + ": " + remote + ADVICE, privateData);
            case VerbsConstants.CM_UNREACHABLE ->
                status == VerbsConstants.EHOSTUNREACH || status == VerbsConstants.ENETUNREACH
                        ? annotate.apply(
                                new NoRouteToHostException(reason == null ? ErrorNumbers.describe(status) : reason))
                        : new ConnectTimeoutException("connection timed out: " + suffix);
            case VerbsConstants.CM_DISCONNECTED -> new ConnectException("the peer hung up on: " + suffix);
            default ->
                new ConnectException(
                        reason == null
                                ? "connection to " + remote + " failed"
                                        + (status == UNKNOWN ? "" : ": " + ErrorNumbers.describe(status))
                                : "connection to " + remote + " failed: " + reason);
        };
    }
}
