// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A requester and a responder that executes {@link TestProgram}, over RDMA, each with a listener. {@link #close}
 * returns when everything has ended, so that all there is to be told has been told.
 */
public final class ObservedPair implements AutoCloseable {

    /** A call with this XID is refused. */
    public static final int REFUSED_XID = 0xdead;

    private static final int MOST_BYTES = 1 << 20;

    public final ConcurrentLinkedQueue<String> channels = new ConcurrentLinkedQueue<>();
    private final EventLoopGroup group = LoopsOver.group(2);
    private final RpcRdmaClient client;
    private final CallsEnded callsEnded = new CallsEnded();

    /** Counts the ends of calls on both sides. */
    private static final class CallsEnded implements RpcRdmaListener {
        private int ended;

        @Override
        public synchronized void onCallEnded(Channel channel, RpcRdmaCallReport call) {
            ended++;
            notifyAll();
        }

        synchronized void await(int count) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Deadline.SECONDS);
            while (ended < count) {
                long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (millis <= 0) {
                    throw new AssertionError(ended + " of " + count + " calls ended");
                }
                wait(millis);
            }
        }
    }

    public ObservedPair(RpcRdmaListener ofRequester, RpcRdmaListener ofResponder) throws Exception {
        this(List.of(ofRequester), List.of(ofResponder));
    }

    public ObservedPair(List<RpcRdmaListener> ofRequester, List<RpcRdmaListener> ofResponder) throws Exception {
        this(ofRequester, ofResponder, ObservedPair::config);
    }

    private ObservedPair(
            List<RpcRdmaListener> ofRequester,
            List<RpcRdmaListener> ofResponder,
            Supplier<RpcRdmaConfig.Builder> config)
            throws Exception {
        RpcRdmaConfig.Builder responder = config.get();
        ofResponder.forEach(responder::listener);
        RpcRdmaConfig responderConfig = responder.listener(callsEnded).build();
        RpcRdmaConfig.Builder requester = config.get();
        ofRequester.forEach(requester::listener);
        Channel listener = RdmaLoopback.listen(group, pipeline -> {
            channels.add(pipeline.channel().id().asShortText());
            pipeline.addLast(new RpcRdmaResponderHandler(responderConfig), new Program());
        });
        client = RpcRdmaClient.builder(new Bootstrap()
                        .group(group)
                        .channel(RdmaChannel.class)
                        .remoteAddress(listener.localAddress())
                        .handler(new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channels.add(channel.id().asShortText());
                            }
                        }))
                .config(requester.listener(callsEnded).build())
                .build();
    }

    private static final class Program extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            boolean refused = RpcHeaders.xid(call) == REFUSED_XID;
            ctx.writeAndFlush(refused ? new RpcCallRefusal(REFUSED_XID) : TestProgram.reply(call));
        }
    }

    /** Two that speak version 2, and send in fragments what does not fit a Send. */
    public static ObservedPair ofVersion2(List<RpcRdmaListener> ofRequester, List<RpcRdmaListener> ofResponder)
            throws Exception {
        return new ObservedPair(ofRequester, ofResponder, () -> TestLimits.continuationBytes(
                        TestLimits.negotiationTimeout(config(), Deadline.DURATION), MOST_BYTES)
                .versions(2, 2)
                .version2(v2 -> v2.maxContinuedBytes(MOST_BYTES)));
    }

    private static RpcRdmaConfig.Builder config() {
        return RpcRdmaConfig.builder().bindings(TestProgram.BINDINGS);
    }

    public static ByteBuf call(int xid, List<Integer> arguments, List<Integer> results, int trailer) {
        return TestProgram.call(xid, arguments, results, trailer);
    }

    /** A call whose program no binding knows, so that nothing of it is reduced. */
    public static ByteBuf opaqueCall(int xid, int argumentBytes) {
        return call(xid, List.of(argumentBytes), List.of(), 8).setInt(12, TestProgram.PROGRAM + 1);
    }

    /** Octets of the reply. */
    public int execute(ByteBuf call) throws Exception {
        ByteBuf reply = RdmaLoopback.await(client.call(call), "call").getNow();
        int bytes = reply.readableBytes();
        reply.release();
        return bytes;
    }

    /** A call that fails. */
    public Throwable fail(ByteBuf call) throws Exception {
        return RdmaLoopback.failure(client.call(call));
    }

    /** Waits until so many calls have ended on both sides. */
    public void awaitEnds(int calls) throws InterruptedException {
        callsEnded.await(2 * calls);
    }

    @Override
    public void close() {
        boolean closed = client.closeAsync().awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS);
        boolean ended = group.shutdownGracefully(0, 5, TimeUnit.SECONDS)
                .awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS);
        if (!closed || !ended) {
            throw new AssertionError("client or event loops did not end within " + Deadline.SECONDS + " s");
        }
    }
}
