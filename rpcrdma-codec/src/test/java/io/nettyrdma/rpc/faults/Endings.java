// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.faults.FaultedCalls.Kind;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How three calls on a connection end: inline, of one kind, inline. Last in the requester's pipeline.
 *
 * <p>Threading: the loop's; {@link #await} and what it has waited for, the test's.
 */
final class Endings extends ChannelInboundHandlerAdapter {

    private static final List<Integer> XIDS = List.of(FaultedCalls.FIRST, FaultedCalls.UNDER_TEST, FaultedCalls.LAST);

    final Map<Integer, AtomicInteger> counts = new HashMap<>();
    final Map<Integer, Boolean> answered = new ConcurrentHashMap<>();
    /** Why the others have failed. */
    final Map<Integer, Throwable> causes = new ConcurrentHashMap<>();

    final Kind kind;
    /** Said if this run fails. */
    String what = "";
    /** Once there is one. */
    volatile @Nullable Channel channel;

    /** Of the connection. */
    @Nullable
    ChannelFuture connected;

    /** Whether a reply that comes has to be the right one. */
    private final boolean trusting;

    private final CountDownLatch open = new CountDownLatch(XIDS.size());
    private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
    private boolean inTurn;
    private int begun;

    Endings(Kind kind, boolean trusting) {
        this.kind = kind;
        this.trusting = trusting;
        XIDS.forEach(xid -> counts.put(xid, new AtomicInteger()));
    }

    private Kind kind(int xid) {
        return xid == FaultedCalls.UNDER_TEST ? kind : Kind.INLINE;
    }

    /** To be called with the future of the connection. */
    void connecting(ChannelFuture future) {
        connected = future;
        future.addListener(done -> {
            if (!done.isSuccess()) {
                notConnected(done.cause());
            }
        });
    }

    private void notConnected(Throwable cause) {
        if (!(cause instanceof IOException)) {
            surprises.add(cause);
        }
        for (int xid : XIDS) {
            causes.put(xid, cause);
            ended(xid, false);
        }
    }

    /** All at once, when it is known whether there is a connection. */
    void begin(ChannelFuture done) {
        if (!done.isSuccess()) {
            notConnected(done.cause());
            return;
        }
        channel = done.channel();
        XIDS.forEach(this::call);
    }

    /** One after the other, from the first moment of the connection on. */
    void beginInTurn() {
        inTurn = true;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        if (inTurn) {
            call(XIDS.get(begun++));
        }
    }

    private void call(int xid) {
        channel.writeAndFlush(kind(xid).call(xid)).addListener(written -> {
            if (written.cause() instanceof IOException) {
                refused(xid, written.cause());
            }
        });
    }

    /** A call that was not accepted ends with its promise; one whose Send failed, with an event that follows it. */
    private void refused(int xid, Throwable cause) {
        channel.eventLoop().execute(() -> {
            if (!answered.containsKey(xid)) {
                causes.put(xid, cause);
                ended(xid, false);
            }
        });
    }

    private void ended(int xid, boolean success) {
        answered.put(xid, success);
        counts.get(xid).incrementAndGet();
        open.countDown();
        if (inTurn && channel != null && begun < XIDS.size()) {
            call(XIDS.get(begun++));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf reply = (ByteBuf) message;
        try {
            int xid = reply.getInt(0);
            if (trusting) {
                ByteBuf call = kind(xid).call(xid);
                ByteBuf expected = TestProgram.reply(call);
                call.release();
                assertThat(reply).isEqualTo(expected);
                expected.release();
            }
            ended(xid, true);
        } catch (AssertionError e) {
            surprises.add(e);
        } finally {
            reply.release();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof RpcCallFailedEvent failed) {
            if (!(failed.cause() instanceof IOException)) {
                surprises.add(failed.cause());
            }
            causes.put(failed.xid(), failed.cause());
            ended(failed.xid(), false);
        } else if (event instanceof RpcRdmaParametersEvent parameters) {
            ctx.channel().attr(CountingService.PARAMETERS).set(parameters);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            surprises.add(cause);
        }
    }

    /** Why the first call that was not answered has failed, {@code null} if all were. */
    @Nullable
    Throwable firstFailure() {
        return XIDS.stream()
                .filter(causes::containsKey)
                .findFirst()
                .map(causes::get)
                .orElse(null);
    }

    /** Whether every call has ended. */
    boolean areOver() {
        return open.getCount() == 0;
    }

    void await() throws Exception {
        assertThat(open.await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("all calls end: %s %s", what, counts)
                .isTrue();
        assertThat(surprises).isEmpty();
    }

    /** Once everything is over: none has ended twice. */
    void check() {
        assertThat(counts.values()).as("%s %s", what, counts).allMatch(count -> count.get() == 1);
    }
}
