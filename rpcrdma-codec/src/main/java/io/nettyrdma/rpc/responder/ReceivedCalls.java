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
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.message.RpcMessage;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport.Outcome;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.trace.CallTrace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection that are executed, in one of its directions: what both directions have in common, which
 * is how calls end.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: releases the replies given to it.
 */
public abstract class ReceivedCalls {

    private final MessageLink link;
    private final ResponderEngine engine;
    private boolean closed;
    /** Whether Reads or errors were written since the last flush. */
    private boolean flushWanted;

    ReceivedCalls(MessageLink link, ResponderEngine engine) {
        this.link = link;
        this.engine = engine;
        setParameters(false);
    }

    /**
     * What the link tells holds from the next reply on: the defaults, and then what the two sides have agreed on.
     *
     * @param remoteInvalidation whether replies may invalidate
     */
    final void setParameters(boolean remoteInvalidation) {
        engine.setParameters(
                link.listsOffset(),
                link.thresholds().replyBytes(),
                link.withoutChunks(false).replyBytes(),
                remoteInvalidation);
    }

    final MessageLink link() {
        return link;
    }

    final ResponderEngine engine() {
        return engine;
    }

    abstract ReplyWriter writer();

    /** A call may have ended, so there may be room for others. */
    void onCallEnded(ChannelHandlerContext ctx) {}

    final void observe(ChannelHandlerContext ctx, ResponderCall call) {
        call.attach(link.observer().callStarted(ctx, call.xid()));
    }

    /**
     * Takes over a reply.
     *
     * @param named results that may be in write chunks, {@code null} if the binding is to find them
     */
    public final void reply(
            ChannelHandlerContext ctx, ByteBuf reply, @Nullable List<XdrItem> named, ChannelPromise promise) {
        int bytes = reply.readableBytes();
        if (bytes < 4) {
            reply.release();
            promise.tryFailure(new MalformedRpcMessageException(0, "reply of " + bytes + " octets has no XID"));
        } else if (closed) {
            int xid = RpcMessage.xid(reply);
            reply.release();
            promise.tryFailure(new ConnectionLostException(xid, null));
        } else {
            writer().writeReply(ctx, reply, named, promise);
            onCallEnded(ctx);
        }
    }

    /** Ends a call without a reply. */
    public final void refuse(ChannelHandlerContext ctx, int xid, ChannelPromise promise) {
        writer().writeRefusal(ctx, xid, promise);
        onCallEnded(ctx);
    }

    final boolean isClosed() {
        return closed;
    }

    /** Takes no more calls and no more replies. */
    final void close() {
        closed = true;
    }

    /** Ends all calls. Idempotent. */
    public void onConnectionLost() {
        close();
        engine.endAll().forEach(call -> CallTrace.onEndedWithoutReply(call, Outcome.CONNECTION_LOST));
    }

    final void wantFlush() {
        flushWanted = true;
    }

    /** Flushes what was written by itself, and not because somebody above has written it. */
    public final void flushIfWanted(ChannelHandlerContext ctx) {
        if (flushWanted) {
            flushWanted = false;
            ctx.flush();
        }
    }

    /** Somebody else has flushed. */
    public final void onFlushed() {
        flushWanted = false;
    }
}
