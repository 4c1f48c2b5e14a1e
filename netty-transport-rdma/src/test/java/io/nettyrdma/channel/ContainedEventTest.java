// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.nettyrdma.engine.Listener;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the handling of one connection's event throws ends that connection, and no other of its loop. */
@ExtendWith(LeavesNothingOpen.class)
final class ContainedEventTest {

    private static final int NONE = -1;

    /** The kind of the event that fails next, or {@link #NONE}. */
    private final AtomicInteger failing = new AtomicInteger(NONE);

    /** Fails when it is asked for what a peer has said, as if the class of that could not be loaded. */
    private final VerbsExtensions verbs =
            InterceptedVerbs.before(TestProvider.SOFT.extensions(), (method, arguments, real) -> {
                if (method.getName().equals("peerParameters")
                        && failing.compareAndSet(((RdmaCmEvent) arguments[0]).getEvent(), NONE)) {
                    throw new NoClassDefFoundError("injected");
                }
                return real.make();
            });

    private static void echo(Channel channel, String text) throws Exception {
        ChannelPair.await(channel.writeAndFlush(ChannelPair.text(text)), "write");
        assertThat(channel.pipeline().get(Inbox.class).nextText()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(ints = {VerbsConstants.CM_ADDR_RESOLVED, VerbsConstants.CM_CONNECT_REQUEST})
    void eventThatThrowsEndsItsConnectionAlone(int kind) throws Exception {
        if (kind == VerbsConstants.CM_CONNECT_REQUEST) {
            Logs.expect(Listener.class, "failed to make a channel for a connection request");
        }
        try (StreamPair pair = new StreamPair(TestProvider.SOFT, verbs, Echo::new, Inbox::new).listen()) {
            Channel first = pair.connect();
            echo(first, "before");
            failing.set(kind);
            ChannelFuture refused = pair.clientBootstrap.connect(pair.address());
            assertThat(ChannelPair.done(refused).isSuccess()).isFalse();
            assertThat(failing).hasValue(NONE);
            echo(first, "after");
            echo(pair.connect(), "next");
        }
    }
}
