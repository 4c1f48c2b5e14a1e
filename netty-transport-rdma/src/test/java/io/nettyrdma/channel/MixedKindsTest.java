// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.error.RdmaConnectRejectedException;
import io.nettyrdma.error.RdmaStreamProtocolException;
import org.junit.jupiter.api.Test;

/** A channel that keeps messages apart meets a byte stream. */
final class MixedKindsTest {

    private final Inbox server = new Inbox();

    private static void connect(LoopbackPair<?, ?> from, LoopbackPair<?, ?> to) throws Exception {
        ChannelPair.await(from.clientBootstrap.connect(to.listen().address()), "connect");
    }

    @Test
    void clientOfMessagesLearnsThatTheListenerMayBeOfByteStreams() {
        try (ChannelPair messages = new ChannelPair(Inbox::new, Inbox::new);
                StreamPair streams = new StreamPair(TestProvider.tested(), () -> server, Inbox::new)) {
            assertThatThrownBy(() -> connect(messages, streams))
                    .cause()
                    .isInstanceOf(RdmaConnectRejectedException.class)
                    .hasMessage("the peer rejected the connection: " + streams.address() + "; its log may say why, for"
                            + " example that only one of the two sides is a byte stream (RdmaSocketChannel,"
                            + " RdmaServerSocketChannel) or has flow control (RdmaFlowControlHandler), or that the"
                            + " initializer of the peer's channel failed");
        }
    }

    /** The listener reads nothing: words of a stream are data for a channel of messages. */
    @Test
    void byteStreamLearnsThatTheListenerIsOfMessages() throws Exception {
        try (ChannelPair messages = new ChannelPair(() -> server, Inbox::new);
                StreamPair streams = new StreamPair(TestProvider.tested(), Inbox::new, Inbox::new)) {
            assertThatThrownBy(() -> connect(streams, messages))
                    .cause()
                    .isInstanceOf(RdmaStreamProtocolException.class)
                    .hasMessage("the peer is no byte stream, such as RdmaSocketChannel: it may be an RdmaChannel, which"
                            + " keeps messages apart; use the same kind on both sides (octets of the peer's private"
                            + " data: 0, expected: 40 or more)");
            server.awaitInactive();
            assertThat(server.messages).isEmpty();
        }
    }
}
