// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedResponder;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.requester.CallMemory.Region;
import io.nettyrdma.rpc.wire.CmPrivateData;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The memory of an RDMA channel, and what a peer reaches of it. */
@Over
@ExtendWith(NoVerbsLeft.class)
final class CallMemoryTest {

    private static final int BYTES = 100;
    private static final byte[] CONTENT = ByteBufUtil.getBytes(TestProgram.pattern(BYTES, 1));

    private final CountDownLatch received = new CountDownLatch(1);
    private RdmaLoopback loopback;
    private Channel channel;
    private Channel peer;

    @BeforeEach
    void connect() throws Exception {
        loopback = new RdmaLoopback(new CmPrivateData(true, 4096, 4096), ChannelInboundHandlerAdapter::new);
        channel = loopback.connect(RpcRdmaConfig.defaults());
        channel.pipeline().addFirst(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
                received.countDown();
            }
        });
        peer = loopback.accepted();
    }

    @AfterEach
    void close() {
        loopback.close();
    }

    @Test
    @Requirement("PD-016")
    void handleThatThePeerHasInvalidatedIsGivenBackOnceMoreAndNoOtherIs() throws Exception {
        TestProvider.tested().expectUnhandledReason();
        Region invalidated = expose();
        Region other = expose();
        ByteBuf message = Unpooled.directBuffer().writeZero(28);
        RdmaLoopback.await(
                peer.writeAndFlush(
                        RdmaSend.invalidating(message, invalidated.segment().handle())),
                "Send with Invalidate");
        assertThat(received.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(readBy(other)).isEqualTo(CONTENT);

        assertThat(regionsEndedBy(invalidated)).isOne();
        assertThat(regionsEndedBy(invalidated)).isZero();
        assertThat(readBy(other)).isEqualTo(CONTENT);

        assertThat(regionsEndedBy(other)).isOne();
        assertThatThrownBy(() -> readBy(other)).isInstanceOf(AssertionError.class);
        RdmaLoopback.await(channel.closeFuture(), "close");
        release(invalidated);
        release(other);
    }

    @Test
    @Requirement("PD-016")
    void handleThatThePeerHasInvalidatedIsDead() throws Exception {
        TestProvider.tested().expectUnhandledReason();
        Region invalidated = expose();
        ByteBuf message = Unpooled.directBuffer().writeZero(28);
        peer.write(RdmaSend.invalidating(message, invalidated.segment().handle()));

        assertThatThrownBy(() -> readBy(invalidated)).isInstanceOf(AssertionError.class);

        RdmaLoopback.await(channel.closeFuture(), "close");
        assertThat(regionsEndedBy(invalidated)).isOne();
        release(invalidated);
    }

    private Region expose() throws Exception {
        return onLoop(() -> new CallMemory.OfChannel((RdmaChannel) channel)
                .expose(Unpooled.directBuffer(BYTES).writeBytes(CONTENT), RdmaAccess.REMOTE_READ));
    }

    /** What the peer reads there. */
    private byte[] readBy(Region region) throws Exception {
        ByteBuf target = Unpooled.directBuffer(BYTES);
        try {
            RdmaRead read = new RdmaRead(ScriptedResponder.remote(region.segment()), target.retain());
            RdmaLoopback.await(peer.writeAndFlush(read), "Read");
            return ByteBufUtil.getBytes(target);
        } finally {
            target.release();
        }
    }

    /** How many registrations there are less after it. */
    private int regionsEndedBy(Region region) throws Exception {
        return onLoop(() -> {
            int before = regions();
            region.invalidate();
            return before - regions();
        });
    }

    private static int regions() throws Exception {
        return LoopsOver.openResources().memoryRegions();
    }

    private void release(Region region) throws Exception {
        onLoop(() -> {
            region.release();
            return region;
        });
    }

    private <T> T onLoop(Callable<T> task) throws Exception {
        return RdmaLoopback.await(channel.eventLoop().submit(task), "task").getNow();
    }
}
