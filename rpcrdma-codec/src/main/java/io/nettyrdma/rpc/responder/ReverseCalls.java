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
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.engine.ResponderEngine.Reception;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.TooManyCallsException;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport.Outcome;
import io.nettyrdma.rpc.session.ReverseMessage;
import io.nettyrdma.rpc.session.RpcRdmaConnection;
import io.nettyrdma.rpc.trace.CallTrace;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reverse calls of one connection, at the client.
 *
 * <p>A responder usually leaves what exceeds its limits in the channel. That is no answer here: replies to the client's own
 * calls are in the same channel, and its answers to reverse calls may depend on them. So a server that keeps to its
 * credits is always read, and one that does not loses the connection.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: calls handed up belong to the next handler.
 */
public final class ReverseCalls {

    /**
     * Replies of which the device has not said that they are sent, beside as many calls as may be in progress. As they come
     * by themselves, a server within its credits is rarely this far ahead of them. Each holds up to the inline threshold.
     */
    public static final int MAX_UNSENT_REPLIES = 128;

    private final RpcRdmaConnection connection;
    private final ResponderEngine engine;
    private final ReplyWriter writer;
    private final int maxCalls;
    private boolean closed;
    private boolean flushWanted;

    /**
     * @param credits  to grant
     * @param maxCalls in progress, at which the next one ends the connection; at least {@code credits}
     */
    public ReverseCalls(ResponderLimits limits, RpcRdmaConnection connection, int credits, int maxCalls) {
        this.connection = connection;
        this.maxCalls = maxCalls;
        engine = new ResponderEngine(RpcRdmaEncoder.LISTS_OFFSET, credits, maxCalls, limits.maxCallBytes());
        writer = new ReplyWriter(connection, engine, new ReductionRules(limits.bindings()), null, null);
        parametersAgreed();
    }

    public void parametersAgreed() {
        engine.setParameters(connection.thresholds(), false);
    }

    /** The call in a message if it is to be executed; otherwise it was answered, dropped, or was one too many. */
    @Nullable
    public ByteBuf received(ChannelHandlerContext ctx, ReverseMessage message) {
        RpcRdmaMessage header = message.header();
        ByteBuf payload = message.content();
        if (closed) {
            payload.release();
            return null;
        }
        // Replies count until they are sent, or a server that takes none of them would make them pile up. But a server
        // can be faster than the completions of the Sends it answers, which a device may deliver late.
        int calls = engine.callsInProgress() + connection.unsent();
        if (!engine.mayRead() || calls >= maxCalls + MAX_UNSENT_REPLIES) {
            payload.release();
            closed = true;
            ctx.fireExceptionCaught(new TooManyCallsException(header.xid(), calls + 1, engine.credits()));
            ctx.close();
            return null;
        }
        if (!(header instanceof RpcRdmaMessage.Msg inline) || !inline.chunks().areAbsent()) {
            payload.release();
            connection.observer().rejected(ctx, Rejection.errChunk(header.xid(), 1, "chunks in a reverse call"));
            writer.writeError(ctx, header.xid(), 1, null, ctx.newPromise());
            flushWanted = true;
            return null;
        }
        if (engine.received(header, payload.readableBytes()) instanceof Reception.Deliver deliver) {
            deliver.call().attach(connection.observer().callStarted(ctx, header.xid()));
            return payload;
        }
        payload.release(); // one with this XID is in progress
        return null;
    }

    /** Takes over a reply. */
    public void reply(
            ChannelHandlerContext ctx, ByteBuf reply, @Nullable List<XdrItem> reducible, ChannelPromise promise) {
        if (closed) {
            int xid = reply.getInt(reply.readerIndex());
            reply.release();
            promise.tryFailure(new ConnectionLostException(xid, null));
        } else {
            writer.writeReply(ctx, reply, reducible, promise);
        }
    }

    public void refuse(ChannelHandlerContext ctx, int xid, ChannelPromise promise) {
        writer.writeRefusal(ctx, xid, promise);
    }

    public void connectionLost() {
        closed = true;
        engine.connectionLost().forEach(call -> CallTrace.endedWithoutReply(call, Outcome.CONNECTION_LOST));
    }

    public void flushIfWanted(ChannelHandlerContext ctx) {
        if (flushWanted) {
            flushWanted = false;
            ctx.flush();
        }
    }
}
