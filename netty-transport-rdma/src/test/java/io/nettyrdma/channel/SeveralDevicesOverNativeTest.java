// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Event loops whose connections are on two devices of the kernel, the second of which is {@code -Dtest.device2} with
 * the address {@code -Dtest.address2}; it is removed in the end.
 */
@Tag("native")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class SeveralDevicesOverNativeTest {

    private static final int BYTES = 4096;
    private static final int MESSAGES = 200;

    private static String secondAddress;
    private static String secondDevice;

    @BeforeAll
    static void secondDeviceIsThere() {
        secondAddress = System.getProperty("test.address2", "");
        secondDevice = System.getProperty("test.device2", "");
        assumeTrue(!secondAddress.isEmpty() && !secondDevice.isEmpty(), "needs a second device");
    }

    /** Remembers what pipelines were told, and has nobody else told. */
    @Sharable
    private static final class Failures extends ChannelInboundHandlerAdapter {
        private final Queue<Throwable> told = new ConcurrentLinkedQueue<>();

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            told.add(cause);
        }

        int ofRemoval() {
            assertThat(told).allSatisfy(cause -> assertThat(cause)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("RDMA device was removed"));
            return told.size();
        }
    }

    private final Failures ofListener = new Failures();
    private final Failures ofServer = new Failures();
    private final Failures ofClients = new Failures();

    private static InetSocketAddress listenOnSecond(ChannelPair pair) throws Exception {
        ChannelFuture bound = pair.serverBootstrap.bind(new InetSocketAddress(secondAddress, 0));
        ChannelPair.await(bound, "bind to the second device");
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private RdmaChannel connect(ChannelPair pair, InetSocketAddress to, EchoCaller caller) throws Exception {
        ChannelFuture connected = pair.clientBootstrap
                .clone()
                .handler(Handlers.adding(ofClients, caller))
                .connect(to);
        ChannelPair.await(connected, "connect to " + to);
        return (RdmaChannel) connected.channel();
    }

    private ChannelPair pair() throws Exception {
        ChannelPair pair = new ChannelPair(
                TestProvider.NATIVE,
                RdmaIoHandlerConfig.defaults(),
                1,
                () -> Handlers.adding(new EchoCaller.Server(), ofServer),
                Inbox::new);
        pair.serverBootstrap.handler(ofListener);
        return pair.listen();
    }

    @Test
    @Order(1)
    void oneLoopHasConnectionsOnBoth() throws Exception {
        try (ChannelPair pair = pair()) {
            InetSocketAddress second = listenOnSecond(pair);
            List<EchoCaller> callers = new ArrayList<>();
            List<RdmaChannel> channels = new ArrayList<>();
            for (InetSocketAddress to : List.of(pair.address(), second, pair.address(), second)) {
                EchoCaller caller = new EchoCaller(BYTES, MESSAGES, 4);
                callers.add(caller);
                channels.add(connect(pair, to, caller));
            }
            for (EchoCaller caller : callers) {
                assertThat(caller.await()).isEqualTo(MESSAGES);
            }
            assertThat(channels)
                    .extracting(channel -> channel.localAddress().getAddress().getHostAddress())
                    .containsExactly(
                            TestProvider.address().getHostAddress(),
                            secondAddress,
                            TestProvider.address().getHostAddress(),
                            secondAddress);
            for (RdmaChannel channel : channels) {
                ChannelPair.await(channel.close(), "close");
            }
        }
    }

    /** The kernel waits with the removal until this process has let go of the device, at the latest when it ends. */
    @Test
    @Order(2)
    void endOfOneDeviceEndsItsConnectionsAndNoOthers() throws Exception {
        try (ChannelPair pair = pair()) {
            InetSocketAddress second = listenOnSecond(pair);
            EchoCaller lasting = new EchoCaller(BYTES, Integer.MAX_VALUE, 4);
            EchoCaller ending = new EchoCaller(BYTES, Integer.MAX_VALUE, 4);
            RdmaChannel lastingChannel = connect(pair, pair.address(), lasting);
            RdmaChannel endingChannel = connect(pair, second, ending);

            new ProcessBuilder("rdma", "link", "delete", secondDevice)
                    .inheritIO()
                    .start();

            assertThat(endingChannel.closeFuture().await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("closed because its device is removed")
                    .isTrue();
            assertThatThrownBy(ending::await).isInstanceOf(ExecutionException.class);
            ChannelPair.until(() -> pair.accepted.stream().anyMatch(child -> !child.isOpen()), "the other end closes");
            ChannelPair.until(() -> !ofListener.told.isEmpty(), "the listener has heard of it");
            assertThat(ofListener.ofRemoval()).isOne();
            // Whoever hears of it first ends the connection, and the other side may hear of that before.
            assertThat(ofClients.ofRemoval() + ofServer.ofRemoval()).isBetween(1, 2);

            EchoCaller later = new EchoCaller(BYTES, MESSAGES, 4);
            connect(pair, pair.address(), later);
            assertThat(later.await()).isEqualTo(MESSAGES);
            assertThat(lastingChannel.isActive()).isTrue();
            assertThatThrownBy(() -> connect(pair, second, new EchoCaller(BYTES, 1, 1)))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(IOException.class);
            lasting.endAfterWhatIsUnderWay(lastingChannel);
            ChannelPair.await(lastingChannel.close(), "close");
        }
    }
}
