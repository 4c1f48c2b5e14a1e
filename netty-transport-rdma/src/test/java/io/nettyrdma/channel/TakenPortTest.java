// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.strict.Calls;
import io.nettyrdma.verbs.strict.StrictDevice;
import io.nettyrdma.verbs.strict.Trait;
import io.nettyrdma.verbs.strict.Verb;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ClosedChannelException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A local port that turns out to be taken when the device connects is given up for another, unless it is the
 * application's choice: siw binds its TCP socket to the port that the connection manager has chosen, which knows RDMA's
 * ports only.
 */
class TakenPortTest {

    /** How many ports a connect tries. */
    private static final int PORTS = 4;

    private final StrictDevice device = new StrictDevice(Collections.unmodifiableSet(EnumSet.allOf(Trait.class)), 1);
    private final Calls calls = device.calls();
    private final AtomicInteger deviceEvents = new AtomicInteger();
    private final Inbox inbox = new Inbox();
    private ChannelPair pair;

    @BeforeEach
    void listen() throws Exception {
        pair = new ChannelPair(Echo::new, () -> Handlers.adding(new DeviceEvents(), inbox))
                .clientsOver(device.extensions())
                .listen();
    }

    @AfterEach
    void end() throws Exception {
        calls.reset();
        pair.close();
        assertThat(device.openResources()).isEqualTo(OpenResources.NONE);
    }

    private final class DeviceEvents extends ChannelInboundHandlerAdapter {

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RdmaDeviceEvent) {
                deviceEvents.incrementAndGet();
            }
            context.fireUserEventTriggered(event);
        }
    }

    private void portsAreTaken(int count) {
        calls.reset();
        calls.failNext(count, Verb.CONNECT, () -> new BindException("Address already in use"));
        calls.record();
    }

    private long idsMade() {
        return calls.made().stream().filter(Verb.CREATE_ID::equals).count();
    }

    @Test
    void connectsFromAnother() throws Exception {
        portsAreTaken(PORTS - 1);
        Channel channel = pair.connect();
        assertThat(idsMade()).isEqualTo(PORTS);
        assertThat(deviceEvents).hasValue(1);
        ChannelPair.await(channel.writeAndFlush(ChannelPair.text("message")), "write");
        assertThat(inbox.nextText()).isEqualTo("message");
        ChannelPair.await(channel.close(), "close");
    }

    @Test
    void givesUpAfterSome() throws Exception {
        portsAreTaken(Integer.MAX_VALUE);
        ChannelFuture connect = pair.clientBootstrap.connect(pair.address());
        assertFails(connect, "Address already in use");
        assertThat(idsMade()).isEqualTo(PORTS);
        ChannelPair.await(connect.channel().closeFuture(), "close");
    }

    @Test
    void theApplicationsOwnChoiceIsTriedOnce() throws Exception {
        try (ServerSocket chosen = new ServerSocket(0)) {
            portsAreTaken(Integer.MAX_VALUE);
            InetSocketAddress local = new InetSocketAddress(TestProvider.address(), chosen.getLocalPort());
            assertFails(pair.clientBootstrap.connect(pair.address(), local), "Address already in use: " + local);
            assertThat(idsMade()).isOne();
        }
    }

    @Test
    void theApplicationsAddressIsKept() throws Exception {
        portsAreTaken(1);
        pair.clientBootstrap.localAddress(new InetSocketAddress(TestProvider.address(), 0));
        Channel channel = pair.connect();
        assertThat(idsMade()).isEqualTo(2);
        assertThat(((InetSocketAddress) channel.localAddress()).getAddress()).isEqualTo(TestProvider.address());
        ChannelPair.await(channel.close(), "close");
    }

    private static void assertFails(ChannelFuture connect, String message) {
        assertThatThrownBy(() -> ChannelPair.await(connect, "connect"))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(BindException.class)
                .hasMessage(message);
    }

    @Test
    void mayBeClosedBeforeTheNextIsTried() throws Exception {
        portsAreTaken(1);
        calls.hold(Verb.DESTROY_ID);
        ChannelFuture connect = pair.clientBootstrap.connect(pair.address());
        ChannelPair.until(() -> calls.held() == 1, "the first id is being destroyed");
        ChannelPair.await(connect.channel().close(), "close");
        assertThatThrownBy(() -> ChannelPair.await(connect, "connect"))
                .cause()
                .isInstanceOf(ClosedChannelException.class);
        calls.release(Verb.DESTROY_ID);
        assertThat(idsMade()).isOne();
    }
}
