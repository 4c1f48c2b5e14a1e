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
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.ReplyShortage;
import io.nettyrdma.rpc.engine.SegmentLimits;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport.Outcome;
import io.nettyrdma.rpc.session.CallReceiver;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ReplyReceiver;
import io.nettyrdma.rpc.session.Version1Link;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.Rejection;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection that finds its version on its way: until then nothing is framed, and from then on
 * everything is the business of that version's link.
 */
class SpokenLink extends MessageLink {

    final Version1Link one;
    final Version2Link two;
    private MessageLink spoken;
    private boolean known;
    private int requested;
    /** Credits that version 1 has had granted, and would begin with. */
    private @Nullable CallCredits window;

    private @Nullable DecidedCredits credits;

    SpokenLink(Version1Link one, Version2Link two, RpcRdmaObserver observer, boolean reverse) {
        super(observer, reverse);
        this.one = one;
        this.two = two;
        spoken = one;
    }

    @Override
    public final boolean isVersionKnown() {
        return known;
    }

    /** The version is found. */
    final void speak(MessageLink link) {
        spoken = link;
        known = true;
        decide();
    }

    @Override
    public final CallCredits callCredits(int requested) {
        this.requested = requested;
        CallCredits before = one.callCredits(requested);
        DecidedCredits decided = new DecidedCredits(before);
        window = before;
        credits = decided;
        decide();
        return decided;
    }

    private void decide() {
        if (known && credits != null && window != null) {
            credits.decide(spoken == one ? window : spoken.callCredits(requested));
        }
    }

    /** Credits have come that count in version 1 only. */
    final void onVersion1Granted(long granted) {
        if (window != null) {
            window.onGranted(granted);
        }
    }

    @Override
    public MessageLink reversed(ChannelHandlerContext bottom) {
        throw new IllegalStateException("reversed() may only be called on the forward link");
    }

    @Override
    public final void takeCalls(ChannelHandlerContext ctx, CallReceiver receiver) {
        super.takeCalls(ctx, receiver);
        one.takeCalls(ctx, receiver);
        two.takeCalls(ctx, receiver);
    }

    @Override
    public final void takeReplies(ReplyReceiver receiver) {
        super.takeReplies(receiver);
        one.takeReplies(receiver);
        two.takeReplies(receiver);
    }

    @Override
    public final void takeNothing() {
        super.takeNothing();
        one.takeNothing();
        two.takeNothing();
    }

    @Override
    public void receiveCall(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver) {
        throw notOfReverse();
    }

    @Override
    public void receiveReply(ChannelHandlerContext ctx, ByteBuf message, ReplyReceiver receiver) {
        throw notOfReverse();
    }

    private static IllegalStateException notOfReverse() {
        return new IllegalStateException(
                "the reverse link does not receive messages itself; the forward handler dispatches them");
    }

    @Override
    public final int version() {
        return spoken.version();
    }

    @Override
    public final int listsOffset() {
        return spoken.listsOffset();
    }

    @Override
    public final InlineThresholds thresholds() {
        return spoken.thresholds();
    }

    @Override
    public final InlineThresholds withoutChunks(boolean chunksPossible) {
        return spoken.withoutChunks(chunksPossible);
    }

    @Override
    public final int lastRoomBytes() {
        return spoken.lastRoomBytes();
    }

    @Override
    public final SegmentLimits segmentLimits() {
        return spoken.segmentLimits();
    }

    @Override
    public final boolean isAgreed() {
        return known && spoken.isAgreed();
    }

    @Override
    public final @Nullable ReverseLevel reverseLevel() {
        return known ? spoken.reverseLevel() : null;
    }

    @Override
    public final boolean tellsWhatIsNeeded() {
        return spoken.tellsWhatIsNeeded();
    }

    @Override
    public final Outcome errorOutcome() {
        return spoken.errorOutcome();
    }

    @Override
    public final boolean allowsPaddedChunks() {
        return spoken.allowsPaddedChunks();
    }

    @Override
    public final boolean mayHaveChunks() {
        return spoken.mayHaveChunks();
    }

    @Override
    public final ChannelHandlerContext transfers(ChannelHandlerContext ctx) {
        return spoken.transfers(ctx);
    }

    @Override
    public final int unsent() {
        return spoken.unsent();
    }

    @Override
    public final boolean answersExcessCalls() {
        return spoken.answersExcessCalls();
    }

    @Override
    public final void onCallDropped() {
        spoken.onCallDropped();
    }

    @Override
    public final Object frame(
            ChannelHandlerContext ctx, int xid, int credits, ChunkLists chunks, ByteBuf payload, int invalidateHandle) {
        return spoken.frame(ctx, xid, credits, chunks, payload, invalidateHandle);
    }

    @Override
    public final Object frameLong(
            ChannelHandlerContext ctx, int xid, int credits, ChunkLists chunks, int invalidateHandle) {
        return spoken.frameLong(ctx, xid, credits, chunks, invalidateHandle);
    }

    @Override
    public final Object frameError(ChannelHandlerContext ctx, int xid, int credits, @Nullable ReplyShortage shortage) {
        return spoken.frameError(ctx, xid, credits, shortage);
    }

    @Override
    public final Rejection reported(Rejection rejection) {
        return spoken.reported(rejection);
    }

    @Override
    public final @Nullable Object frameAnswer(ChannelHandlerContext ctx, Rejection rejection, int credits) {
        return spoken.frameAnswer(ctx, rejection, credits);
    }

    @Override
    public final void write(ChannelHandlerContext ctx, Object framed, ChannelPromise promise) {
        spoken.write(ctx, framed, promise);
    }

    @Override
    public final void discard(Object framed) {
        spoken.discard(framed);
    }
}
