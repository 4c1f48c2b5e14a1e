// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.nettyrdma.error.RdmaUnsupportedException;
import io.nettyrdma.verbs.ChangedCapabilities;
import io.nettyrdma.verbs.PrivateDataLimits;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
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

    private final Inbox client = new Inbox();

    static Stream<String> capabilities() {
        return Arrays.stream(RdmaCapabilities.class.getDeclaredMethods())
                .filter(method -> method.getReturnType() == boolean.class && Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .sorted();
    }

    @ParameterizedTest
    @MethodSource("capabilities")
    void messagesTravelAndWhatIsMissingIsRefusedByName(String missing) throws Exception {
        try (ChannelPair pair = new ChannelPair(Echo::new, () -> client).clientsOver(verbsWith(missing, false))) {
            Channel channel = pair.connect();
            if (missing.equals("sendInvalidate")) {
                ChannelFuture refused = channel.writeAndFlush(RdmaSend.invalidating(Unpooled.copyInt(1), 7));
                assertThat(ChannelPair.done(refused).cause()).isInstanceOf(RdmaUnsupportedException.class);
            }
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("message")), "write");
            assertThat(client.nextText()).isEqualTo("message");
            ChannelPair.await(channel.close(), "close");
        }
    }

    private static VerbsExtensions verbsWith(String capability, Object value) {
        return ChangedCapabilities.over(Rdma.extensions(), Map.of(capability, value));
    }

    private StreamPair streamsWith(String capability, Object value) {
        return new StreamPair(TestProvider.SOFT, Echo::new, () -> client).clientsOver(verbsWith(capability, value));
    }

    @ParameterizedTest
    @MethodSource("capabilities")
    void bytesTravelWhateverIsMissing(String missing) throws Exception {
        try (StreamPair pair = streamsWith(missing, false)) {
            Channel channel = pair.connect();
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("bytes")), "write");
            assertThat(client.nextText()).isEqualTo("bytes");
            ChannelPair.await(channel.close(), "close");
        }
    }

    @Test
    void streamNeedsRoomForItsPrivateData() throws Exception {
        try (StreamPair pair =
                streamsWith("privateData", PrivateDataLimits.of(39)).listen()) {
            ChannelFuture refused = pair.clientBootstrap.connect(pair.address());
            assertThat(ChannelPair.done(refused).cause())
                    .isInstanceOf(RdmaUnsupportedException.class)
                    .hasMessage("a byte stream needs 40 bytes of private data, but the device carries 39");
            ChannelPair.await(refused.channel().closeFuture(), "close");
        }
    }
}
