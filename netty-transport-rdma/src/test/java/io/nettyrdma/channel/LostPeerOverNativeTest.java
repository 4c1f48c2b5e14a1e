// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaProgressTimeoutException;
import io.nettyrdma.error.RdmaWorkRequestException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A peer whose machine goes without a word: that of {@code -Dtest.peer=ADDRESS:PORT}, which has to go when this test
 * says that it is connected.
 */
@Tag("native")
@ExtendWith(LeavesNothingOpen.class)
final class LostPeerOverNativeTest {

    /** rxe repeats a packet, and waits seconds for each answer; siw leaves that to TCP, and has no limit. */
    private static final long PATIENCE_SECONDS = 90;

    /** Two guests on processors that are emulated answer late if others have work, too: 30 s were too few once. */
    private static final int CONNECT_MILLIS = 90_000;

    private static final int BYTES = 64;
    private static final int PROGRESS_MILLIS_OF_SIW = 10_000;
    private static final long PAUSE_MILLIS = 200;

    @Test
    void peerThatIsGoneIsFoundOutByWhatIsSentToIt() throws Exception {
        String[] peer = System.getProperty("test.peer", "").split(":");
        assumeTrue(peer.length == 2, "needs a peer that can vanish");
        Inbox inbox = new Inbox();
        try (ChannelPair pair = new ChannelPair(TestProvider.NATIVE, Inbox::new, () -> inbox)) {
            boolean rxe = Lane.tested() == Lane.RXE;
            if (!rxe) {
                pair.clientBootstrap.option(RdmaChannelOption.RDMA_PROGRESS_TIMEOUT_MILLIS, PROGRESS_MILLIS_OF_SIW);
            }
            RdmaChannel channel = (RdmaChannel) pair.clientBootstrap
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                    .connect(new InetSocketAddress(peer[0], Integer.parseInt(peer[1])))
                    .sync()
                    .channel();
            System.out.println("connected to the peer");
            while (isThere(peer[0])) {
                Thread.sleep(PAUSE_MILLIS);
            }

            ChannelFuture sent = channel.writeAndFlush(Unpooled.copyInt(1));
            ChannelFuture read =
                    channel.writeAndFlush(new RdmaRead(new RemoteSegment(1, 0, BYTES), Unpooled.directBuffer(BYTES)));

            assertThat(channel.closeFuture().await(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("closed, as nothing is answered")
                    .isTrue();
            if (rxe) {
                assertThat(inbox.nextFailure())
                        .isInstanceOf(RdmaWorkRequestException.class)
                        .hasMessageContaining("IBV_WC_RETRY_EXC_ERR");
                assertThat(sent.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(sent.cause()).isInstanceOf(RdmaWorkRequestException.class);
            } else {
                assertThat(inbox.nextFailure()).isInstanceOf(RdmaProgressTimeoutException.class);
            }
            assertThat(read.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(read.cause()).isInstanceOf(IOException.class);
        }
    }

    private static boolean isThere(String address) throws Exception {
        Process ping = new ProcessBuilder("busybox", "ping", "-c", "1", "-W", "1", address)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return ping.waitFor() == 0;
    }
}
