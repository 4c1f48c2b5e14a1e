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
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.error.TooManyCallsException;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ReverseMessage;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection that are executed, in the reverse direction, at the client.
 *
 * <p>A responder usually leaves what exceeds its limits in the channel. That is no answer here: replies to the client's
 * own calls are in the same channel, and its answers to reverse calls may depend on them. So a server that keeps to its
 * credits is always read, and one that does not loses the connection.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: calls handed up belong to the next handler.
 */
public final class ReverseCalls extends ReceivedCalls {

    /**
     * Replies of which the device has not said that they are sent, beside as many calls as may be in progress. As they
     * come by themselves, a server within its credits is rarely this far ahead of them. Each holds up to the inline
     * threshold.
     */
    public static final int MAX_UNSENT_REPLIES = 128;

    private final ReplyWriter writer;
    private final int maxCalls;

    /**
     * @param credits  to grant
     * @param maxCalls in progress, at which the next one ends the connection; at least {@code credits}
     */
    public ReverseCalls(MessageLink link, ResponderLimits limits, int credits, int maxCalls) {
        super(link, new ResponderEngine(credits, maxCalls, limits.maxCallBytes()));
        this.maxCalls = maxCalls;
        writer = new ReplyWriter(link, engine(), new ReductionRules(limits.bindings()), null, null);
    }

    @Override
    ReplyWriter writer() {
        return writer;
    }

    /** The two sides have agreed on what the link tells. */
    public void onParametersAgreed() {
        setParameters(false);
    }

    /** Takes a message: hands a call up that is to be executed, answers it, drops it, or it was one too many. */
    public void receive(ChannelHandlerContext ctx, ReverseMessage message) {
        ByteBuf payload = message.content();
        if (isClosed()) {
            payload.release();
            return;
        }
        int xid = message.header().xid();
        // Replies count until they are sent, or a server that takes none of them would make them pile up. But a server
        // can be faster than the completions of the Sends it answers, which a device may deliver late.
        int calls = engine().callsInProgress() + link().unsent();
        if (!engine().mayRead() || calls >= maxCalls + MAX_UNSENT_REPLIES) {
            payload.release();
            close();
            ctx.fireExceptionCaught(new TooManyCallsException(xid, calls + 1, engine().credits()));
            ctx.close();
        } else if (message.header() instanceof RpcRdmaMessage.Msg inline
                && inline.chunks().areAbsent()) {
            deliver(ctx, xid, payload);
        } else {
            payload.release();
            Rejection rejection =
                    Rejection.errChunk(xid, link().version(), "chunks in a reverse call", link().listsOffset(), 1, 0);
            link().observer().onRejected(ctx, rejection);
            writer.writeAnswer(ctx, rejection);
            wantFlush();
        }
    }

    private void deliver(ChannelHandlerContext ctx, int xid, ByteBuf payload) {
        @Nullable ResponderCall call = engine().receivedInline(xid);
        if (call == null) {
            payload.release(); // one with this XID is in progress
        } else {
            observe(ctx, call);
            ctx.fireChannelRead(payload);
        }
    }
}
