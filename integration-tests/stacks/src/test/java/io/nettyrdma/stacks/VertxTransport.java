// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.deadline.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.transport.Transport;
import java.util.concurrent.TimeUnit;

/**
 * The event loops and channels of {@link StreamTransport} for Vert.x, which makes event loops of its own.
 *
 * <p>The system property {@code vertx.disableDnsResolver} makes Vert.x ask the JDK for addresses.
 */
final class VertxTransport implements Transport, io.vertx.core.spi.transport.Transport {

    /** Returns a new Vert.x, which the caller closes. */
    static Vertx open() {
        // It warns of event loops that were busy for two seconds, which tests beside other builds may be.
        VertxOptions options =
                new VertxOptions().setBlockedThreadCheckInterval(1).setBlockedThreadCheckIntervalUnit(TimeUnit.DAYS);
        return Vertx.builder().with(options).withTransport(new VertxTransport()).build();
    }

    /** Waits for the result, for a minute at most. */
    static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public String name() {
        return StreamTransport.UNDER_TEST.name();
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public Throwable unavailabilityCause() {
        return null;
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return this;
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return StreamTransport.UNDER_TEST.io();
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return new ReflectiveChannelFactory<>(StreamTransport.UNDER_TEST.client());
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return new ReflectiveChannelFactory<>(StreamTransport.UNDER_TEST.server());
    }

    @Override
    @SuppressWarnings("deprecation") // the parameter, which Vert.x declares
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        throw new UnsupportedOperationException("datagrams");
    }

    @Override
    public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
        throw new UnsupportedOperationException("datagrams");
    }
}
