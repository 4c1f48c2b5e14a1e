// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.deadline.Deadline;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The private data of the kernel's two sides as a channel gets them: iWARP brings as many octets as were sent, and RoCE
 * as many as there is room for in that direction, with zeros behind what was sent (RFC 8797, section 4).
 */
@Tag("native")
@Order(4)
class PrivateDataOverNativeTest {

    private static final int NFS_RDMA_PORT = 20_049;
    private static final int BYTES_OF_RPC_RDMA = 8;
    private static final int ROOM_IN_A_REQUEST = 56;
    private static final int ROOM_IN_AN_ACCEPTANCE = 196;
    /** Version 1, the peer may invalidate, 4096 octets in either direction. */
    private static final byte[] OWN = ByteBufUtil.decodeHexDump("f6ab0e1801010303");

    @Sharable
    private static final class Heard extends ChannelInboundHandlerAdapter {

        private final CompletableFuture<byte[]> data = new CompletableFuture<>();

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RdmaPrivateDataEvent heard) {
                data.complete(heard.data());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            data.completeExceptionally(cause);
        }

        void assertIs(String hex, int roomOfRoce) throws Exception {
            byte[] octets = data.get(Deadline.SECONDS, TimeUnit.SECONDS);
            String expected = KernelDevice.isSiw() ? hex : hex + "00".repeat(roomOfRoce - BYTES_OF_RPC_RDMA);
            assertThat(ByteBufUtil.hexDump(octets)).isEqualTo(expected);
        }
    }

    private final Heard heard = new Heard();
    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = KernelDevice.group();
    }

    @AfterEach
    void stop() {
        KernelDevice.end(group);
    }

    @Test
    void serverOfTheKernelAnswersWithItsOwn() throws Exception {
        GuestShell.run("lab_nfsd /export", Deadline.DURATION).assertSucceeded();
        Channel channel = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .option(RdmaChannelOption.RDMA_PRIVATE_DATA, OWN)
                .handler(heard)
                .connect(KernelDevice.address(NFS_RDMA_PORT))
                .sync()
                .channel();
        heard.assertIs("f6ab0e1801000303", ROOM_IN_AN_ACCEPTANCE);
        channel.close().sync();
    }

    @Test
    void clientOfTheKernelBeginsWithItsOwn() throws Exception {
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childOption(RdmaChannelOption.RDMA_PRIVATE_DATA, OWN)
                .childHandler(heard)
                .bind(KernelDevice.address(0))
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        // Nobody answers its calls: it gives up when it is told to.
        try (GuestShell mount = GuestShell.start(
                "modprobe -a nfs nfsv4 rpcrdma; mount -t nfs -o vers=4.1,proto=rdma,soft,retrans=0,timeo=20,port="
                        + port + ' ' + LabGuest.GUEST_ADDRESS + ":/ $(mktemp -d)",
                Deadline.DURATION)) {
            heard.assertIs("f6ab0e1801010303", ROOM_IN_A_REQUEST);
            listener.close().sync();
            assertThat(mount.await().exitCode()).isNotZero();
        }
    }
}
