// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.ExpectedLog;
import io.nettyrdma.logs.Logs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What channels make of the failures of a kernel's device and of peers on it. */
@Tag("native")
@ExtendWith(LeavesNothingOpen.class)
final class DeviceFailuresOverNativeTest {

    private static final TestProvider PROVIDER = TestProvider.NATIVE;
    /** More than the registered memory of a loop has left for a read. */
    private static final int BYTES = 4 << 20;

    private final Inbox client = new Inbox();
    private final Inbox server = new Inbox();

    private static void awaitEnd(RdmaChannel channel, String why) throws Exception {
        assertThat(channel.closeFuture().await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("closed because of: " + why)
                .isTrue();
    }

    /** A program that listens, and is ended without a word. */
    @Test
    void killedPeerEndsTheConnection() throws Exception {
        InetAddress address = TestProvider.address();
        int port = 7174;
        Process peer = new ProcessBuilder("rping", "-s", "-a", address.getHostAddress(), "-p", Integer.toString(port))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (ChannelPair pair = new ChannelPair(PROVIDER, Inbox::new, Inbox::new)) {
            AtomicReference<Channel> connected = new AtomicReference<>();
            ChannelPair.until(
                    () -> {
                        ChannelFuture attempt = pair.clientBootstrap
                                .connect(new InetSocketAddress(address, port))
                                .awaitUninterruptibly();
                        connected.set(attempt.channel());
                        return attempt.isSuccess();
                    },
                    "rping listens");
            RdmaChannel channel = (RdmaChannel) connected.get();

            peer.destroyForcibly().waitFor();

            awaitEnd(channel, "the peer's death");
        } finally {
            peer.destroyForcibly();
        }
    }

    /** A mistake that is easily made, as all that needs no device is tried there. */
    @Test
    void connectingToTheLoopbackAddressSaysWhatToDo() throws Exception {
        assumeTrue(Lane.tested() == Lane.SIW, "rxe finds its way");
        try (ChannelPair pair = new ChannelPair(PROVIDER, Inbox::new, () -> client)) {
            ChannelFuture connected =
                    pair.clientBootstrap.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9));
            assertThat(connected.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(connected.cause())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("take an address of the device's interface");
        }
    }

    /** What needs a key fails and says why; who has keys goes on, and so does all when there are some again. */
    @Test
    void keysThatAreUsedUpFailWhatNeedsOne() throws Exception {
        try (ChannelPair pair = new ChannelPair(PROVIDER, Echo::new, () -> client);
                DeviceObjects objects = new DeviceObjects()) {
            RdmaChannel channel = pair.connect();
            pair.clientBootstrap.handler(server);
            RdmaChannel other = pair.connect();
            channel.writeAndFlush(ChannelPair.text("before"));
            assertThat(client.nextText()).isEqualTo("before");
            RdmaRead read = new RdmaRead(new RemoteSegment(1, 0, BYTES), Unpooled.directBuffer(BYTES, BYTES));

            objects.allow("0");

            assertThatThrownBy(() -> ChannelPair.onLoop(channel, () -> channel.allocateMemory(BYTES, RdmaAccess.LOCAL)))
                    .hasStackTraceContaining("the device failed to register " + BYTES + " bytes");
            ChannelFuture refused = other.writeAndFlush(read);
            assertThat(refused.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(refused.cause())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("failed to register " + BYTES + " bytes");
            awaitEnd(other, "a write that the device has refused");
            pair.clientBootstrap.handler(new Inbox());
            ChannelFuture another = pair.clientBootstrap.connect(channel.remoteAddress());
            assertThat(another.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(another.cause()).isInstanceOf(IOException.class);
            channel.writeAndFlush(ChannelPair.text("meanwhile"));
            assertThat(client.nextText()).isEqualTo("meanwhile");

            objects.allow("max");

            ChannelPair.onLoop(channel, () -> channel.allocateMemory(BYTES, RdmaAccess.LOCAL))
                    .release();
            Inbox later = new Inbox();
            pair.clientBootstrap.handler(later);
            pair.connect().writeAndFlush(ChannelPair.text("after"));
            assertThat(later.nextText()).isEqualTo("after");
        }
    }

    /** Siw ends its connections; rxe says that its port is down, and goes on when it is up again. */
    @Test
    void linkThatIsDownIsLoggedAndWhatComesAfterItWorks() throws Exception {
        NetworkInterface card = NetworkInterface.getByInetAddress(TestProvider.address());
        assumeTrue(card != null && !card.isLoopback(), "needs a card that can be switched off");
        ExpectedLog log = Logs.allow("io.nettyrdma.verbs.ffm.AsyncEvents", "is down");
        try (ChannelPair pair = new ChannelPair(PROVIDER, this::echo, () -> client)) {
            RdmaChannel channel = pair.connect();
            String routes = HostCommand.run("ip", "route", "show", "default");
            try {
                HostCommand.run("ip", "link", "set", card.getName(), "down");
                ChannelPair.until(() -> !log.lines().isEmpty(), "the port's end is logged");
                if (Lane.tested() == Lane.SIW) {
                    awaitEnd(channel, "the link is down");
                }
            } finally {
                HostCommand.run("ip", "link", "set", card.getName(), "up");
                if (!routes.isBlank()) {
                    HostCommand.run(
                            "sh",
                            "-c",
                            "ip route replace " + routes.lines().findFirst().orElseThrow());
                }
            }
            Inbox later = new Inbox();
            pair.clientBootstrap.handler(later);
            RdmaChannel again = pair.connect();
            again.writeAndFlush(ChannelPair.text("up"));
            assertThat(later.nextText()).isEqualTo("up");
            assertThat(client.failures).isEmpty();
            assertThat(server.failures).isEmpty();
        }
    }

    /** Sends back what it receives; failures of all its channels go to {@link #server}. */
    private ChannelHandler echo() {
        return Handlers.adding(new Echo(), new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                server.failures.add(cause);
            }
        });
    }
}
