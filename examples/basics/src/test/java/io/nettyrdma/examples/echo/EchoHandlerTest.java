// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class EchoHandlerTest {

    @Test
    void readsNoMoreThanItsPeerTakes() {
        EmbeddedChannel channel = new EmbeddedChannel(new EchoHandler());
        assertThat(channel.config().isAutoRead()).isTrue();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isFalse();
        channel.writeInbound(Unpooled.copyInt(1));
        assertThat(channel.config().isAutoRead()).isFalse();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
        channel.finishAndReleaseAll();
    }
}
