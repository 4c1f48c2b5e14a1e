// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A device that refuses requests of a connection which is over, before it says that it is, as siw does. The peer's last
 * bytes are delivered, and its orderly end is no failure.
 */
@ExtendWith(LeavesNothingOpen.class)
final class RefusedPostTest {

    private final Inbox client = new Inbox();

    /** Whether the device knows the connection to be over. */
    private volatile boolean over;

    private VerbsExtensions verbs() {
        return InterceptedVerbs.before(TestProvider.tested().extensions(), (method, arguments, real) -> {
            if (over && method.getName().equals("postBatch")) {
                throw new QueuePairInErrorException("over");
            }
            if (over && method.getName().equals("toError")) {
                return null; // it is in error
            }
            return real.make();
        });
    }

    private LoopbackPair<?, ?> pair(Kind kind) {
        return kind.pair(Inbox::new, () -> client).clientsOver(verbs());
    }

    @ParameterizedTest
    @EnumSource
    void lastBytesOfThePeerAreDeliveredAndItsEndIsNoFailure(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = pair(kind)) {
            Channel channel = pair.connect();
            Channel server = pair.accepted();
            ChannelPair.until(server::isActive, "accepted channel is active");
            over = true;
            ChannelFuture[] writes = ChannelPair.onLoop(channel, () -> {
                // Before a post is refused, as the channel does not wait for long after that.
                ChannelPair.await(server.writeAndFlush(ChannelPair.text("last")), "last bytes");
                server.close();
                return new ChannelFuture[] {
                    channel.writeAndFlush(ChannelPair.text("refused")), channel.writeAndFlush(ChannelPair.text("later"))
                };
            });
            assertThat(client.nextText()).isEqualTo("last");
            client.awaitInactive();
            for (ChannelFuture write : writes) {
                assertThatThrownBy(() -> ChannelPair.await(write, "write"))
                        .hasCauseInstanceOf(IOException.class); // of a stream as of TCP's: Broken pipe
            }
            assertThat(client.failures).isEmpty();
        }
    }

    /** The first post of a stream tells the peer of its buffers. */
    @Test
    void streamWhosePeerHasEndedBeforeItsFirstPostIsActiveAndThenInactive() throws Exception {
        try (LoopbackPair<?, ?> pair = pair(Kind.STREAM)) {
            over = true;
            pair.connect();
            client.awaitActive();
            pair.accepted().close();
            client.awaitInactive();
            assertThat(client.failures).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusalIsTheReasonIfTheDeviceNeverSaysThatTheConnectionIsOver(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = pair(kind)) {
            Channel channel = pair.connect();
            over = true;
            ChannelFuture refused = channel.writeAndFlush(ChannelPair.text("refused"));
            assertThat(client.nextFailure()).isInstanceOf(QueuePairInErrorException.class);
            client.awaitInactive();
            assertThatThrownBy(() -> ChannelPair.await(refused, "write"))
                    .hasRootCauseInstanceOf(QueuePairInErrorException.class);
            assertThat(client.failures).isEmpty();
        }
    }
}
