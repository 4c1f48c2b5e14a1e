// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requester and responder with event loops of their own, over Netty's in-memory message channel. */
class BothEndsTest {

    /** The in-memory channel joins small buffers if they fit into one of the size the allocator suggests. */
    private static final FixedRecvByteBufAllocator NO_MERGING = new FixedRecvByteBufAllocator(1);

    private static final int PROGRAM = 100003;
    private static final int ADD = 1;
    private static final int HOLD = 2;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, LocalIoHandler.newFactory());
    private final AtomicInteger inProgress = new AtomicInteger();
    private final AtomicInteger mostInProgress = new AtomicInteger();
    private Channel server;
    private Channel client;

    @BeforeEach
    void connect() throws Exception {
        LocalAddress address = new LocalAddress(BothEndsTest.class);
        RpcRdmaConfig responder = RpcRdmaConfig.builder().creditsGranted(8).build();
        RpcRdmaConfig requester =
                RpcRdmaConfig.builder().maxCallsWaiting(100_000).build();
        server = new ServerBootstrap()
                .group(group)
                .channel(LocalServerChannel.class)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, NO_MERGING)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new RpcRdmaResponderHandler(responder), new Adder());
                    }
                })
                .bind(address)
                .sync()
                .channel();
        client = new Bootstrap()
                .group(group)
                .channel(LocalChannel.class)
                .option(ChannelOption.RECVBUF_ALLOCATOR, NO_MERGING)
                .handler(new RpcRdmaRequesterHandler(requester))
                .connect(address)
                .sync()
                .channel();
    }

    @AfterEach
    void disconnect() throws Exception {
        client.close().sync();
        server.close().sync();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }

    @Test
    @Requirement("V1-012")
    void manyCallsFromManyThreadsAreAllAnsweredWithinTheGrant() throws Exception {
        RpcRdmaRequester requester = RpcRdmaRequester.of(client);
        ConcurrentLinkedQueue<Future<ByteBuf>> replies = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < 2000; i++) {
                    replies.add(requester.call(call(requester.nextXid(), ADD, i)));
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(replies).hasSize(8000);
        long sum = 0;
        for (Future<ByteBuf> reply : replies) {
            ByteBuf result = reply.sync().getNow();
            assertThat(RpcHeaders.acceptStatus(result)).isEqualTo(RpcHeaders.SUCCESS);
            sum += result.getInt(TestProgram.ACCEPTED_REPLY_BYTES);
            result.release();
        }
        assertThat(sum).isEqualTo(4 * (2000L * 2001 / 2));
        assertThat(mostInProgress.get()).isBetween(1, 8);
    }

    @Test
    @Requirement("V1-122")
    void callInProgressWhenTheServerGoesFails() throws Exception {
        Future<ByteBuf> reply = RpcRdmaRequester.of(client).call(call(1, HOLD, 0));

        assertThat(reply.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class);
    }

    private static ByteBuf call(int xid, int procedure, int argument) {
        return RpcHeaders.call(ByteBufAllocator.DEFAULT, xid, PROGRAM, 3, procedure)
                .writeInt(argument);
    }

    /** Answers a little later, so that calls pile up as far as credits allow. */
    private final class Adder extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            if (RpcHeaders.procedure(call) == HOLD) {
                ctx.close();
                return;
            }
            int xid = RpcHeaders.xid(call);
            int sum = call.getInt(TestProgram.CALL_BYTES) + 1;
            mostInProgress.accumulateAndGet(inProgress.incrementAndGet(), Math::max);
            ctx.executor().execute(() -> {
                inProgress.decrementAndGet();
                ctx.writeAndFlush(RpcHeaders.accepted(ctx.alloc(), xid, RpcHeaders.SUCCESS)
                        .writeInt(sum));
            });
        }
    }
}
