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
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.ReplyShortage;
import io.nettyrdma.rpc.engine.SegmentLimits;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport.Outcome;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.v1.InlineHeader;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is below calls and replies: their headers, in the version of the protocol that the connection speaks. Whoever is
 * above deals in RPC messages, chunk lists and rejections, and hands the version on without looking at it.
 *
 * <p>To send something takes two steps. It is framed when its header is known, and written when its turn has come. What
 * is framed is written once, or released. Framing throws what the allocator throws if there is no memory for it.
 *
 * <p>This is a class and not an interface so that a JVM that has loaded one version calls it directly.
 *
 * <p>Threading: confined to the executor of its handler.
 */
public abstract class MessageLink {

    /** Octets of a header without chunks, in the version with the shortest ones. */
    public static final int MIN_HEADER_BYTES = InlineHeader.BYTES;

    private final RpcRdmaObserver observer;
    private final boolean reverse;
    private @Nullable ChannelHandlerContext callContext;
    private @Nullable CallReceiver calls;
    private @Nullable ReplyReceiver replies;
    private int unsent;
    private Deliveries deliveries = new Deliveries();

    /** @param reverse whether the link is that of a handler above the one at the bottom of the pipeline */
    protected MessageLink(RpcRdmaObserver observer, boolean reverse) {
        this.observer = observer;
        this.reverse = reverse;
    }

    /**
     * The link of the same connection in the reverse direction, in which this side has the other role. What was called
     * so before is not told of messages any more.
     *
     * @param bottom of the handler at the bottom of the pipeline, which what is sent goes around
     */
    public abstract MessageLink reversed(ChannelHandlerContext bottom);

    /** In the reverse direction: hands calls of the peer to a receiver, from now on. */
    public void takeCalls(ChannelHandlerContext ctx, CallReceiver receiver) {
        callContext = ctx;
        calls = receiver;
    }

    /** In the reverse direction: hands replies of the peer to a receiver, from now on. */
    public void takeReplies(ReplyReceiver receiver) {
        replies = receiver;
    }

    /** In the reverse direction: the handler that takes messages is gone. */
    public void takeNothing() {
        callContext = null;
        calls = null;
        replies = null;
    }

    /** The handler that takes calls of the reverse direction, {@code null} without one. */
    public final @Nullable CallReceiver calls() {
        return calls;
    }

    /** The context for {@link #calls}. */
    public final ChannelHandlerContext callContext() {
        return Objects.requireNonNull(callContext, "no handler accepts calls");
    }

    /** The handler that takes replies of the reverse direction, {@code null} without one. */
    public final @Nullable ReplyReceiver replies() {
        return replies;
    }

    /** What this link of the same connection hands on answers the same {@code read()}. */
    public final void shareDeliveries(MessageLink other) {
        deliveries = other.deliveries;
    }

    /** A message has come, for the handler at the bottom of the pipeline. */
    public final void onReceived() {
        deliveries.onReceived();
    }

    /** The message at hand is the program's, now or when it is whole. */
    public final void onHandedOn() {
        deliveries.onHandedOn();
    }

    /** What was to be handed on never is; returns whether to read again now. */
    public final boolean readAgainForDropped(Channel channel) {
        return deliveries.readAgainForDropped(channel);
    }

    /** Whether to read again behind a batch of messages, as the program has got none of them. */
    public final boolean readAgain(Channel channel) {
        return deliveries.readAgain(channel);
    }

    /**
     * Which calls may be sent, to be asked for once.
     *
     * @param requested calls this side may have unanswered
     */
    public abstract CallCredits callCredits(int requested);

    /** The channel has become active. */
    public void onActive(ChannelHandlerContext ctx) {}

    /** The messages that were received together are handled. */
    public void onReadCompleted(ChannelHandlerContext ctx) {}

    /** Somebody else has flushed, or is about to. */
    public void onFlushed() {}

    /** The program has asked for the end of the connection. */
    public void onClosing() {}

    /** Nothing can be sent any more, and nothing comes. Idempotent. */
    public void onClosed(ChannelHandlerContext ctx) {}

    /** A call that was handed to its receiver is neither executed nor answered. */
    public void onCallDropped() {}

    /** This side grants another number of calls from now on. */
    public void onGrantChanged(ChannelHandlerContext ctx, int credits) {}

    /** Whether the version is known, and with it how calls have to be conveyed. */
    public boolean isVersionKnown() {
        return true;
    }

    /** Where what happens is told. */
    public final RpcRdmaObserver observer() {
        return observer;
    }

    /** Whether this is the reverse direction (RFC 8167). */
    public final boolean isReverse() {
        return reverse;
    }

    /**
     * In the reverse direction, what the peer takes of calls; {@code null} if the version does not have it told.
     */
    public @Nullable ReverseLevel reverseLevel() {
        return null;
    }

    /** Whether errors say what would have been accepted, so that a call can be made again accordingly. */
    public boolean tellsWhatIsNeeded() {
        return false;
    }

    /** How a call has ended that was answered by an error, as listeners see it. */
    public Outcome errorOutcome() {
        return Outcome.ERR_CHUNK;
    }

    /** Whether a chunk may also contain the XDR padding of its item. */
    public boolean allowsPaddedChunks() {
        return true;
    }

    /** Whether calls may have chunks. */
    public boolean mayHaveChunks() {
        return !reverse;
    }

    /** Whether a call that is one too many is answered, so that the connection can stay. */
    public boolean answersExcessCalls() {
        return false;
    }

    /** The version of headers that this side makes. */
    public abstract int version();

    /** Octet of a header with chunk lists at which these begin. */
    public abstract int listsOffset();

    /** The longest Sends. */
    public abstract InlineThresholds thresholds();

    /**
     * The longest messages, headers included, that are sent without chunks.
     *
     * @param chunksPossible whether there could be some: then these are the longest for which there are none
     */
    public InlineThresholds withoutChunks(boolean chunksPossible) {
        return thresholds();
    }

    /** Octets that a message in several Sends needs behind its header in the last one. */
    public int lastRoomBytes() {
        return 0;
    }

    /** What the responder takes of segments. */
    public SegmentLimits segmentLimits() {
        return SegmentLimits.NONE;
    }

    /** Whether {@link #thresholds} are final. */
    public abstract boolean isAgreed();

    /** Takes over a message that was received by a responder. */
    public abstract void receiveCall(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver);

    /** Takes over a message that was received by a requester. */
    public abstract void receiveReply(ChannelHandlerContext ctx, ByteBuf message, ReplyReceiver receiver);

    /**
     * A message whose payload stream, or what is left of it, is in the Send.
     *
     * @param credits          requested or granted, where the version counts calls
     * @param payload          its reference is taken over, also if there is no memory for the header
     * @param invalidateHandle of the peer, to be invalidated by the Send; 0 for none
     */
    public abstract Object frame(
            ChannelHandlerContext ctx, int xid, int credits, ChunkLists chunks, ByteBuf payload, int invalidateHandle);

    /** A message whose payload stream is in a chunk; parameters as for {@link #frame}. */
    public abstract Object frameLong(
            ChannelHandlerContext ctx, int xid, int credits, ChunkLists chunks, int invalidateHandle);

    /**
     * The error that ends a call which has no reply.
     *
     * @param shortage what the call should have offered for its reply; {@code null} if there is none to be sent
     */
    public abstract Object frameError(
            ChannelHandlerContext ctx, int xid, int credits, @Nullable ReplyShortage shortage);

    /** A rejection as listeners and logs see it: with the answer that {@link #frameAnswer} makes. */
    public Rejection reported(Rejection rejection) {
        return rejection;
    }

    /** The answer that a rejection asks for, {@code null} if it asks for none. */
    public abstract @Nullable Object frameAnswer(ChannelHandlerContext ctx, Rejection rejection, int credits);

    /**
     * Where RDMA Reads and Writes are written, so that they are in order with the messages of this link.
     *
     * @param ctx of the handler
     */
    public ChannelHandlerContext transfers(ChannelHandlerContext ctx) {
        return ctx;
    }

    /** Writes what was framed, or has it wait for its turn; the caller flushes. */
    public abstract void write(ChannelHandlerContext ctx, Object framed, ChannelPromise promise);

    /** Releases what was framed, and is not written. */
    public void discard(Object framed) {
        ReferenceCountUtil.release(framed);
    }

    /** Messages of the reverse direction that were written, and whose Sends have not completed. */
    public int unsent() {
        return unsent;
    }

    /** Counts a message of the reverse direction until its Send has completed. */
    protected final ChannelPromise counting(ChannelHandlerContext ctx, ChannelPromise promise) {
        unsent++;
        return promise.addListener(future -> {
            if (ctx.executor().inEventLoop()) {
                unsent--;
            } else {
                ctx.executor().execute(() -> unsent--);
            }
        });
    }
}
