// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.net.ConnectException;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a loop owes to the connection events of a device that is no more helpful than rdma_cm. */
@ExtendWith(LeavesNothingOpen.class)
class ConnectionEventsTest {

    private static final int MESSAGES = 1100; // more than IoLoop handles in a turn

    private final VerbsExtensions real = Rdma.extensions();
    private final Inbox client = new Inbox();
    private final AtomicInteger unacknowledged = new AtomicInteger();
    /** Whether the loop, when it asks for connection events, is held until there is one. */
    private volatile boolean holding;

    private VerbsExtensions verbs() {
        return InterceptedVerbs.before(real, (method, arguments, call) -> switch (method.getName()) {
            case "pollCmEvent" -> {
                RdmaCmEvent event = holding ? nextEvent((RdmaEventChannel) arguments[0]) : (RdmaCmEvent) call.make();
                yield event == null ? null : new CountedEvent(event);
            }
            case "peerParameters" -> real.peerParameters(((CountedEvent) arguments[0]).original);
            default -> call.make();
        });
    }

    private final class CountedEvent extends RdmaCmEvent {
        private final RdmaCmEvent original;

        CountedEvent(RdmaCmEvent original) throws IOException {
            super(original.getEvent(), original.getListenIdPriv(), original.getConnIdPriv());
            this.original = original;
            status = original.getStatus();
            unacknowledged.incrementAndGet();
        }

        @Override
        public void ackEvent() throws IOException {
            unacknowledged.decrementAndGet();
            original.ackEvent();
        }
    }

    private RdmaCmEvent nextEvent(RdmaEventChannel events) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Deadline.SECONDS);
        RdmaCmEvent event = null;
        while (event == null && System.nanoTime() - end < 0) {
            real.progress(events);
            event = real.pollCmEvent(events);
        }
        holding = false;
        return event;
    }

    /** {@code rdma_destroy_id} holds its caller until every event of the id is acknowledged. */
    @Test
    void eventsAreAcknowledgedBeforeTheyAreHandled() throws Exception {
        Deque<Integer> seen = new ConcurrentLinkedDeque<>();
        Supplier<ChannelHandler> seeing = () -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                seen.add(unacknowledged.get());
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
                seen.add(unacknowledged.get());
            }
        };
        try (ChannelPair pair = new ChannelPair(Inbox::new, seeing).clientsOver(verbs())) {
            Channel channel = pair.connect();
            pair.accepted().close();
            ChannelPair.await(channel.closeFuture(), "close");
            ChannelPair.await(pair.listener.close(), "close of the listener");
            ChannelFuture refused = pair.clientBootstrap.connect(pair.address());
            refused.addListener(f -> seen.add(unacknowledged.get()));
            assertThat(ChannelPair.done(refused).cause()).isInstanceOf(ConnectException.class);
        }
        assertThat(seen).containsExactly(0, 0, 0);
    }

    /**
     * An event that a loop finds after it has looked for completions may have come behind some that it has not seen:
     * queues and events of a device are two lists, and only the order within each is kept.
     */
    @Test
    void messagesBeforeAnEndAreDeliveredBeforeIt() throws Exception {
        try (ChannelPair pair = new ChannelPair(Inbox::new, () -> client)
                .clientsOver(verbs())
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, MESSAGES)) {
            // All are posted, as this loop posts none while it is held.
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS, 0);
            Channel channel = pair.connect();
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
        }
    }
}
