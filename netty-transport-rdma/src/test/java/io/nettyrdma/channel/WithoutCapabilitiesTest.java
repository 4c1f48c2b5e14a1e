// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.error.RdmaUnsupportedException;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.verbs.ChangedCapabilities;
import io.nettyrdma.verbs.PrivateDataLimits;
import io.nettyrdma.verbs.RdmaCapabilities;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each capability is missing in turn: what needs it is refused by name, and everything else goes on. netty #14680,
 * #14718, #15671 used features of the kernel without asking.
 */
@ExtendWith(LeavesNothingOpen.class)
class WithoutCapabilitiesTest {

    static Stream<String> capabilities() {
        return Arrays.stream(RdmaCapabilities.class.getDeclaredMethods())
                .filter(method -> method.getReturnType() == boolean.class && Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .sorted();
    }

    @ParameterizedTest
    @MethodSource("capabilities")
    void messagesTravelAndWhatIsMissingIsRefusedByName(String missing) throws Exception {
        Inbox client = new Inbox();
        var group = groupWith(missing, false);
        try (ChannelPair pair = new ChannelPair(Echo::new, Inbox::new).listen()) {
            Channel channel = ChannelPair.await(
                            new Bootstrap()
                                    .group(group)
                                    .channel(RdmaChannel.class)
                                    .handler(client)
                                    .connect(pair.address()),
                            "connect")
                    .channel();
            if (missing.equals("sendInvalidate")) {
                ChannelFuture refused = channel.writeAndFlush(RdmaSend.invalidating(Unpooled.copyInt(1), 7));
                assertThat(ChannelPair.done(refused).cause()).isInstanceOf(RdmaUnsupportedException.class);
            }
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("message")), "write");
            assertThat(client.nextText()).isEqualTo("message");
            ChannelPair.await(channel.close(), "close");
        } finally {
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        }
    }

    private static EventLoopGroup groupWith(String capability, Object value) {
        return new MultiThreadIoEventLoopGroup(
                1,
                RdmaIoHandler.newFactory(
                        RdmaIoHandlerConfig.defaults(),
                        ChangedCapabilities.over(Rdma.extensions(), Map.of(capability, value))));
    }

    @ParameterizedTest
    @MethodSource("capabilities")
    void bytesTravelWhateverIsMissing(String missing) throws Exception {
        Inbox client = new Inbox();
        EventLoopGroup group = groupWith(missing, false);
        try (StreamPair pair = new StreamPair(TestProvider.SOFT, Echo::new, Inbox::new).listen()) {
            Channel channel = ChannelPair.await(streams(group, client).connect(pair.address()), "connect")
                    .channel();
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("bytes")), "write");
            assertThat(client.nextText()).isEqualTo("bytes");
            ChannelPair.await(channel.close(), "close");
        } finally {
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        }
    }

    private static Bootstrap streams(EventLoopGroup group, Inbox client) {
        return new Bootstrap().group(group).channel(RdmaSocketChannel.class).handler(client);
    }

    @Test
    void streamNeedsRoomForItsPrivateData() throws Exception {
        EventLoopGroup group = groupWith("privateData", PrivateDataLimits.of(39));
        try (StreamPair pair = new StreamPair(TestProvider.SOFT, Echo::new, Inbox::new).listen()) {
            ChannelFuture refused = streams(group, new Inbox()).connect(pair.address());
            assertThat(ChannelPair.done(refused).cause())
                    .isInstanceOf(RdmaUnsupportedException.class)
                    .hasMessage("a byte stream needs 40 bytes of private data, but the device carries 39");
            ChannelPair.await(refused.channel().closeFuture(), "close");
        } finally {
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        }
    }
}
