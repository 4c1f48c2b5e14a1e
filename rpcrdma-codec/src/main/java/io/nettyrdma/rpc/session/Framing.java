// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ReplyShortage;
import io.nettyrdma.rpc.engine.WindowCredits;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.Rejection;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages in one version of the protocol, in one direction of a connection.
 *
 * <p>To send a message takes two steps. It is framed when its header is known, and written when its turn has come. What
 * is framed must be written once, or discarded. Framing throws what the allocator throws if there is no memory for it.
 *
 * <p>This is a class and not an interface so that a JVM that has loaded one version calls it directly.
 *
 * <p>Threading: confined to the executor of its handler.
 */
public abstract class Framing {

    /** Returns what holds now; it changes only when parameters are agreed on. */
    public abstract LinkTerms terms();

    /**
     * Returns which calls may be sent.
     *
     * @param window the credits of version 1, with those that were granted so far
     */
    public abstract CallCredits credits(WindowCredits window);

    /**
     * Frames a message whose payload stream, or what is left of it, is in the Send.
     *
     * @param credits          requested or granted, where the version counts calls
     * @param payload          its reference is taken over, also if there is no memory for the header
     * @param invalidateHandle of the peer, to be invalidated by the Send; 0 for none
     * @param answer           of the call that it answers, its from now on if it is framed; of no meaning in a call
     */
    public abstract Object frame(
            ByteBufAllocator alloc,
            int xid,
            int credits,
            ChunkLists chunks,
            ByteBuf payload,
            int invalidateHandle,
            OwedAnswer answer);

    /** Frames a message whose payload stream is in a chunk; parameters as for {@link #frame}. */
    public abstract Object frameLong(
            ByteBufAllocator alloc, int xid, int credits, ChunkLists chunks, int invalidateHandle, OwedAnswer answer);

    /**
     * Frames the error that ends a call without a reply.
     *
     * @param shortage what the call should have offered for its reply; {@code null} if there is none to be sent
     */
    public abstract Object frameError(
            ByteBufAllocator alloc, int xid, int credits, @Nullable ReplyShortage shortage, OwedAnswer answer);

    /** Frames the answer that a rejection asks for; {@code null} if it asks for none. */
    public abstract @Nullable Object frameAnswer(
            ByteBufAllocator alloc, Rejection rejection, int credits, OwedAnswer answer);

    /** Returns a rejection as listeners and logs see it: with the answer that {@link #frameAnswer} makes. */
    public Rejection reported(Rejection rejection) {
        return rejection;
    }

    /**
     * Writes what was framed, or queues it until there are credits; the caller flushes.
     *
     * @param ctx of the handler at the bottom of the pipeline
     */
    protected abstract void write(ChannelHandlerContext ctx, Object framed, ChannelPromise promise);

    /** Releases what was framed, and is not written. */
    public abstract void discard(Object framed);
}
