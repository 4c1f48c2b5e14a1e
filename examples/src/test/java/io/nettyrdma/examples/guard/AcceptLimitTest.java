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
package io.nettyrdma.examples.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AcceptLimitTest {

    private final List<String> lines = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final PeerLog log = new PeerLog(lines::add, new LineLimit(10, () -> 0));

    private EmbeddedChannel listener(AcceptLimit limit) {
        return new EmbeddedChannel(limit, new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                failures.add(cause);
            }
        });
    }

    private static Channel accept(EmbeddedChannel listener) {
        EmbeddedChannel connection = new EmbeddedChannel();
        listener.writeInbound(connection);
        return connection;
    }

    @Test
    void oneTooManyIsRefusedUntilOneHasEnded() {
        EmbeddedChannel listener = listener(AcceptLimit.refusing(2, log));
        Channel first = accept(listener);
        accept(listener);
        assertThat(accept(listener).isOpen()).isFalse();
        assertThat(lines)
                .singleElement()
                .asString()
                .endsWith("refused: 2 connections are the most (--max-connections)");
        assertThat(listener.inboundMessages()).hasSize(2);
        first.close();
        assertThat(accept(listener).isOpen()).isTrue();
        assertThat(listener.inboundMessages()).hasSize(3);
    }

    @Test
    void oneTooManyTakesThePlaceOfTheOldest() {
        EmbeddedChannel listener = listener(AcceptLimit.closingOldest(2, log));
        Channel first = accept(listener);
        Channel second = accept(listener);
        Channel third = accept(listener);
        assertThat(first.isOpen()).isFalse();
        assertThat(second.isOpen()).isTrue();
        assertThat(third.isOpen()).isTrue();
        assertThat(accept(listener).isOpen()).isTrue();
        assertThat(second.isOpen()).isFalse();
    }

    @Test
    void listenerThatCannotAcceptRestsAndSaysSoInALine() {
        EmbeddedChannel listener = listener(AcceptLimit.refusing(2, log));
        listener.freezeTime();
        for (int i = 0; i < 100; i++) {
            listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
            assertThat(listener.config().isAutoRead()).isFalse();
            listener.advanceTimeBy(1, TimeUnit.SECONDS);
            listener.runScheduledPendingTasks();
            assertThat(listener.config().isAutoRead()).isTrue();
        }
        assertThat(lines).hasSize(10).allSatisfy(line -> assertThat(line)
                .contains("cannot accept connections: ")
                .contains("Too many open files"));
        assertThat(failures).as("what Netty prints with stack traces").isEmpty();
    }
}
