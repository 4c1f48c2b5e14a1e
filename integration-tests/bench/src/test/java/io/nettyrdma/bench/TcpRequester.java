// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What a requester over TCP keeps: calls by XID, each with a promise and a deadline, one timer, one flush per read
 * loop.
 *
 * <p>Threading: the event loop's.
 */
final class TcpRequester extends ChannelInboundHandlerAdapter {

    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private record Pending(Promise<ByteBuf> reply, long deadlineNanos) {}

    private final IntObjectMap<Pending> calls = new IntObjectHashMap<>();
    private ChannelHandlerContext context;
    private boolean timerArmed;
    private boolean reading;

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    Future<ByteBuf> call(RpcRdmaCall call) {
        ByteBuf message = call.content();
        int xid = message.getInt(message.readerIndex());
        Promise<ByteBuf> reply = context.executor().newPromise();
        calls.put(key(xid), new Pending(reply, System.nanoTime() + TIMEOUT_NANOS));
        armTimer();
        context.write(message).addListener(written -> {
            if (!written.isSuccess()) {
                calls.remove(key(xid));
                reply.tryFailure(written.cause());
            }
        });
        if (!reading) {
            context.flush();
        }
        return reply;
    }

    /** Spreads consecutive XIDs, over which the map would probe linearly. */
    private static int key(int xid) {
        return xid * 0x9e3779b1;
    }

    private void armTimer() {
        if (!timerArmed) {
            timerArmed = true;
            context.executor().schedule(this::expire, TIMEOUT_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private void expire() {
        long now = System.nanoTime();
        timerArmed = false;
        calls.values()
                .removeIf(call ->
                        call.deadlineNanos() - now <= 0 && call.reply().tryFailure(new TimeoutException("no reply")));
        if (!calls.isEmpty()) {
            armTimer();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ignored, Object message) {
        reading = true;
        ByteBuf reply = (ByteBuf) message;
        Pending call = calls.remove(key(reply.getInt(reply.readerIndex())));
        if (call == null || !call.reply().trySuccess(reply)) {
            reply.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext completed) {
        reading = false;
        completed.flush();
        completed.fireChannelReadComplete();
    }
}
