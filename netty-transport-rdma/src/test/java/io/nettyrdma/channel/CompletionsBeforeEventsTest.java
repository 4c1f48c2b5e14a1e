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

import com.ibm.disni.verbs.RdmaEventChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.verbs.VerbsExtensions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A connection event that a loop finds after it has looked for completions may have come behind completions that it has
 * not seen: queues and events of a device are two lists, and only the order within each is kept.
 */
@Timeout(60)
@ExtendWith(LeavesNothingOpen.class)
class CompletionsBeforeEventsTest {

    private static final int MESSAGES = 200; // more than are handled in a turn

    private final VerbsExtensions real = Rdma.provider().extensions();
    private final Inbox client = new Inbox();
    /** Whether the loop, when it asks for connection events, is held until there is one. */
    private volatile boolean holding;

    private VerbsExtensions verbs() {
        return (VerbsExtensions) Proxy.newProxyInstance(
                VerbsExtensions.class.getClassLoader(),
                new Class<?>[] {VerbsExtensions.class},
                (proxy, method, args) -> {
                    try {
                        if (holding && method.getName().equals("pollCmEvent")) {
                            return nextEvent((RdmaEventChannel) args[0]);
                        }
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Object nextEvent(RdmaEventChannel events) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ChannelPair.WAIT_SECONDS);
        Object event = null;
        while (event == null && System.nanoTime() - end < 0) {
            real.progress(events);
            event = real.pollCmEvent(events);
        }
        holding = false;
        return event;
    }

    @Test
    void messagesBeforeAnEndAreDeliveredBeforeIt() throws Exception {
        RdmaIoHandlerConfig oneAtATime = RdmaIoHandlerConfig.DEFAULT.withMaxCompletionsPerRun(1);
        var group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory(oneAtATime, verbs()));
        try (ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new)
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, MESSAGES)
                .listen()) {
            Channel channel = ChannelPair.await(
                            new Bootstrap()
                                    .group(group)
                                    .channel(RdmaChannel.class)
                                    .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, MESSAGES)
                                    .option(ChannelOption.AUTO_READ, true)
                                    .handler(client)
                                    .connect(pair.address()),
                            "connect")
                    .channel();
            Channel child = pair.accepted();
            ChannelPair.until(child::isActive, "the accepted channel is active");
            holding = true;
            for (int i = 0; i < MESSAGES; i++) {
                child.write(ChannelPair.text("m" + i));
            }
            child.writeAndFlush(ChannelPair.text("")).addListener(f -> child.close());
            for (int i = 0; i < MESSAGES; i++) {
                assertThat(client.nextText()).isEqualTo("m" + i);
            }
            client.awaitInactive();
            ChannelPair.await(channel.closeFuture(), "close");
        } finally {
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        }
    }
}
