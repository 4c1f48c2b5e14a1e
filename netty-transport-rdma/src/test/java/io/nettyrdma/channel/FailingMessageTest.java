// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.strict.StrictDevice;
import io.nettyrdma.verbs.strict.Trait;
import io.nettyrdma.verbs.strict.Verb;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A message that cannot be posted says nothing about those before it. */
class FailingMessageTest {

    private static final int BYTES = 100_000;

    static Stream<Supplier<Throwable>> causes() {
        return Stream.of(() -> new IOException("injected"), () -> new OutOfMemoryError("injected"));
    }

    @ParameterizedTest
    @MethodSource("causes")
    void messagesBeforeOneThatFailsSucceedIfThePeerGetsThem(Supplier<Throwable> cause) throws Exception {
        StrictDevice device = new StrictDevice(Set.of(Trait.KEYS_CHECKED), 1);
        Inbox server = new Inbox();
        try (ChannelPair pair =
                new ChannelPair(TestProvider.SOFT, () -> server, Inbox::new).clientsOver(device.extensions())) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_MAX_SEND_SIZE, BYTES);
            Channel channel = pair.connect();
            // So that short messages need no registration any more.
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("before")), "write");
            assertThat(server.nextText()).isEqualTo("before");
            List<ChannelFuture> writes = new ArrayList<>();
            ChannelPair.onLoop(channel, () -> {
                writes.add(channel.write(ChannelPair.text("first")));
                writes.add(channel.write(ChannelPair.text("second")));
                writes.add(channel.write(Unpooled.directBuffer(BYTES).writeZero(BYTES)));
                writes.add(channel.write(ChannelPair.text("behind")));
                device.calls().failNext(Verb.REGISTER, cause);
                channel.flush();
            });
            for (ChannelFuture write : writes) {
                assertThat(write.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(writes).extracting(ChannelFuture::isSuccess).containsExactly(true, true, false, false);
            assertThat(writes.get(2).cause()).hasStackTraceContaining("injected");
            assertThat(server.nextText()).isEqualTo("first");
            assertThat(server.nextText()).isEqualTo("second");
            ChannelPair.await(channel.closeFuture(), "close");
            server.awaitInactive();
            assertThat(server.messages).isEmpty();
        }
    }
}
