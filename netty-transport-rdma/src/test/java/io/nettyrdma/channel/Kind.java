// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The kinds of channels, for tests of what both promise. */
enum Kind {
    MESSAGES(RdmaChannel.class) {
        @Override
        LoopbackPair<?, ?> pair(Supplier<ChannelHandler> serverHandler, Supplier<ChannelHandler> clientHandler) {
            return new ChannelPair(serverHandler, clientHandler);
        }
    },
    STREAM(RdmaSocketChannel.class) {
        @Override
        LoopbackPair<?, ?> pair(Supplier<ChannelHandler> serverHandler, Supplier<ChannelHandler> clientHandler) {
            return new StreamPair(TestProvider.tested(), serverHandler, clientHandler);
        }
    };

    final Class<? extends Channel> channel;

    Kind(Class<? extends Channel> channel) {
        this.channel = channel;
    }

    abstract LoopbackPair<?, ?> pair(Supplier<ChannelHandler> serverHandler, Supplier<ChannelHandler> clientHandler);

    /** Returns the kinds that are tested over the provider of this JVM: over DiSNI's API, streams have not been run. */
    static Stream<Kind> tested() {
        return Stream.of(values()).filter(kind -> kind == MESSAGES || Lane.tested() != Lane.DISNI);
    }

    /** Returns each of these kinds with each of the values, but without the one that only streams have. */
    static <E> Stream<Arguments> testedWith(E[] values, E ofStreams) {
        return tested().flatMap(kind -> Stream.of(values)
                .filter(value -> kind == STREAM || value != ofStreams)
                .map(value -> Arguments.of(kind, value)));
    }
}
