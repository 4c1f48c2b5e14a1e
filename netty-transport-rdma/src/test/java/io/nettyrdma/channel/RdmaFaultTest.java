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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaProvider;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.verbs.VerbsExtensions;
import io.nettyrdma.verbs.soft.SoftProvider;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A device that refuses: every promise still completes once, and nothing is left. */
@Timeout(60)
@ExtendWith(LeavesNothingOpen.class)
class RdmaFaultTest {

    private final Inbox client = new Inbox();
    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT, faultyVerbs()));

    /** The method that does nothing, and the one that fails. */
    private volatile String dead = "";

    private volatile String failing = "";

    private VerbsExtensions faultyVerbs() {
        VerbsExtensions verbs = Rdma.provider().extensions();
        return (VerbsExtensions) Proxy.newProxyInstance(
                VerbsExtensions.class.getClassLoader(),
                new Class<?>[] {VerbsExtensions.class},
                (proxy, method, args) -> {
                    if (method.getName().equals(dead)) {
                        return null;
                    }
                    if (method.getName().equals(failing)) {
                        throw new IOException(failing + " fails");
                    }
                    try {
                        return method.invoke(verbs, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void endGroup() throws Exception {
        ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
    }

    private ChannelFuture connect(SocketAddress address) {
        return new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(client)
                .connect(address);
    }

    @Test
    void refusedPostFailsEveryWriteAndClosesTheChannel() throws Exception {
        try (ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new).listen()) {
            Channel channel =
                    ChannelPair.await(connect(pair.address()), "connect").channel();
            failing = "postBatch";
            List<ChannelFuture> writes = new ArrayList<>();
            List<ByteBuf> buffers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                buffers.add(Unpooled.directBuffer().writeInt(i));
                writes.add(channel.write(buffers.get(i)));
            }
            channel.flush();
            for (ChannelFuture write : writes) {
                assertThatThrownBy(() -> ChannelPair.await(write, "write"))
                        .rootCause()
                        .hasMessage("postBatch fails");
            }
            ChannelPair.await(channel.closeFuture(), "close");
            client.awaitInactive();
            awaitNoQueuePairOf(pair);
            assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
        }
    }

    @Test
    void refusedReceivesFailTheConnect() throws Exception {
        try (ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new).listen()) {
            failing = "postReceives";
            assertThatThrownBy(() -> ChannelPair.await(connect(pair.address()), "connect"))
                    .rootCause()
                    .hasMessage("postReceives fails");
            awaitNoQueuePairOf(pair);
        }
    }

    @Test
    void queuePairThatDoesNotFlushIsDestroyedInTheEnd() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new)) {
            dead = "toError";
            ChannelFuture connect = connect(silent.getLocalSocketAddress());
            silent.accept().close(); // the queue pair exists: the peer was called
            ChannelPair.await(connect.channel().close(), "close");
            awaitNoQueuePairOf(pair);
        }
    }

    @Test
    void failingProgressClosesTheChannelsOfTheLoopAndNotTheLoop() throws Exception {
        try (ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new).listen()) {
            Channel channel =
                    ChannelPair.await(connect(pair.address()), "connect").channel();
            failing = "pollCmEvent";
            ChannelPair.await(channel.eventLoop().submit(() -> {}), "turn");
            ChannelPair.await(channel.closeFuture(), "close");
            failing = "";
            ChannelPair.await(channel.eventLoop().submit(() -> {}), "turn");
        }
    }

    /** The other side has none of its own once its listener's peer is gone. */
    private static void awaitNoQueuePairOf(ChannelPair pair) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ChannelPair.WAIT_SECONDS);
        SoftProvider provider = (SoftProvider) RdmaProvider.provider();
        while (provider.openResources().queuePairs() > 0 && System.nanoTime() - end < 0) {
            ChannelPair.await(
                    pair.clientGroup.next().schedule(() -> {}, 10, TimeUnit.MILLISECONDS), "turn of another loop");
        }
        assertThat(provider.openResources().queuePairs()).isZero();
    }
}
