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
import io.nettyrdma.rpc.engine.ReplyPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.WriteChunk;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what replies in chunks make a responder hold for a requester that does not take them, though it keeps to its
 * credits. A call counts with what its chunks offer room for, as nobody knows how much of it the application will use;
 * its reply with what is written to them, until the Send behind that has completed. Calls wait, whole, while there is
 * no room; one that offers more than the bound is executed when nothing else is.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: owns the messages of calls that wait.
 */
final class PushBudget {

    private record Waiting(ResponderCall call, ByteBuf message, AdmittedCalls receiver) {}

    private final long limitBytes;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private long bytes;
    private boolean scheduled;

    /** @param limitBytes of replies in chunks, executed or sent */
    PushBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Whether calls wait. */
    boolean isReached() {
        return !waiting.isEmpty();
    }

    /**
     * Takes a complete call into account.
     *
     * @param message becomes this object's if the call has to wait
     * @return whether it may be handed up now
     */
    boolean admit(ResponderCall call, ByteBuf message, AdmittedCalls receiver) {
        long offered = offeredBytes(call.chunks());
        if (offered > 0 && (isReached() || !hasRoomFor(offered))) {
            waiting.add(new Waiting(call, message, receiver));
            return false;
        }
        take(call, offered);
        return true;
    }

    private void take(ResponderCall call, long offered) {
        bytes += offered;
        call.setReplyBytes(offered);
    }

    private boolean hasRoomFor(long offered) {
        return bytes == 0 || offered <= limitBytes - bytes;
    }

    private static long offeredBytes(ChunkLists chunks) {
        long offered = 0;
        for (WriteChunk chunk : chunks.writeList()) {
            offered += chunk.lengthBytes();
        }
        @Nullable WriteChunk replyChunk = chunks.replyChunk();
        return replyChunk == null ? offered : offered + replyChunk.lengthBytes();
    }

    /** The reply to a call is about to be sent; {@code promise} completes when the peer has taken it. */
    void onReply(ChannelHandlerContext ctx, ResponderCall call, ReplyPlan plan, ChannelPromise promise) {
        if (call.replyBytes() == 0) {
            return;
        }
        long pushed = 0;
        for (ReplyPlan.Push push : plan.pushes()) {
            pushed += push.lengthBytes();
        }
        give(ctx, call.replyBytes() - pushed);
        call.setReplyBytes(0);
        if (pushed > 0) {
            long held = pushed;
            promise.addListener(done -> {
                if (ctx.executor().inEventLoop()) {
                    give(ctx, held);
                } else {
                    ctx.executor().execute(() -> give(ctx, held));
                }
            });
        }
    }

    /** A call ends without a reply. */
    void onEnded(ChannelHandlerContext ctx, ResponderCall call) {
        give(ctx, call.replyBytes());
        call.setReplyBytes(0);
    }

    private void give(ChannelHandlerContext ctx, long given) {
        bytes -= given;
        @Nullable Waiting next = waiting.peek();
        if (next != null && !scheduled && hasRoomFor(offeredBytes(next.call().chunks()))) {
            scheduled = true;
            ctx.executor().execute(() -> admitWaiting(ctx)); // later: the application is writing a reply now
        }
    }

    private void admitWaiting(ChannelHandlerContext ctx) {
        scheduled = false;
        @Nullable AdmittedCalls last = null;
        for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
            long offered = offeredBytes(next.call().chunks());
            if (!hasRoomFor(offered)) {
                break;
            }
            waiting.remove();
            take(next.call(), offered);
            last = next.receiver();
            last.onAdmitted(ctx, next.message());
        }
        if (last != null) {
            last.onAdmissionEnded(ctx);
        }
    }

    /** Drops the calls that wait. */
    void onConnectionLost() {
        waiting.forEach(it -> it.message().release());
        waiting.clear();
    }
}
