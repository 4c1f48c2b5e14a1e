/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.verbs.ChangedCapabilities;
import io.nettyrdma.verbs.RdmaCapabilities;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each capability is missing in turn: what needs it is refused by name, and everything else goes on. netty #14680,
 * #14718, #15671 used features of the kernel without asking.
 */
@Timeout(60)
@ExtendWith(LeavesNothingOpen.class)
class WithoutCapabilitiesTest {

    static Stream<String> capabilities() {
        return Arrays.stream(RdmaCapabilities.class.getRecordComponents())
                .filter(component -> component.getType() == boolean.class)
                .map(RecordComponent::getName);
    }

    @ParameterizedTest
    @MethodSource("capabilities")
    void messagesTravelAndWhatIsMissingIsRefusedByName(String missing) throws Exception {
        Inbox client = new Inbox();
        var group = new MultiThreadIoEventLoopGroup(
                1,
                RdmaIoHandler.newFactory(
                        RdmaIoHandlerConfig.defaults(),
                        ChangedCapabilities.over(Rdma.provider().extensions(), Map.of(missing, false))));
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
                assertThat(refused.await(ChannelPair.WAIT_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                assertThat(refused.cause()).isInstanceOf(RdmaUnsupportedException.class);
            }
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("message")), "write");
            assertThat(client.nextText()).isEqualTo("message");
            ChannelPair.await(channel.close(), "close");
        } finally {
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        }
    }
}
