// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ReplyPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three connections whose replies count for the same bound (C64). */
class PushBudgetTest {

    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private final ChannelHandlerContext ctx = channel.pipeline().firstContext();
    private final ResponderEngine engine = new ResponderEngine(8, 8, 1000);
    private final List<ByteBuf> admitted = new ArrayList<>();
    private final AdmittedCalls up = new AdmittedCalls() {
        @Override
        public void onAdmitted(ChannelHandlerContext ctx, ByteBuf message) {
            admitted.add(message);
        }

        @Override
        public void onNoRoom(
                ChannelHandlerContext context, ResponderCall call, long bytes, long limitBytes, String option) {}

        @Override
        public void onAdmissionEnded(ChannelHandlerContext ctx) {}
    };

    private final PushBudget own = new PushBudget(100, 100, up);
    private final PushBudget other = new PushBudget(100, 200, up);
    private final PushBudget third = new PushBudget(100, 100, up);

    PushBudgetTest() {
        channel.freezeTime();
    }

    @AfterEach
    void end() {
        own.onConnectionLost();
        other.onConnectionLost();
        third.onConnectionLost();
        channel.finishAndReleaseAll();
    }

    private ResponderCall call(int xid) {
        return Objects.requireNonNull(engine.receivedInline(xid, OwedAnswer.NOT_COUNTED));
    }

    private boolean admit(PushBudget budget, ResponderCall call, long replyBytes) {
        return budget.admit(ctx, call, replyBytes, Unpooled.EMPTY_BUFFER);
    }

    @Test
    void callThatWaitedForItsConnectionThenWaitsForTheProcess() {
        ResponderCall first = call(1);
        ResponderCall ofOther = call(2);
        assertThat(admit(own, first, 60)).isTrue();
        assertThat(admit(own, call(3), 60))
                .as("beyond the bound of its connection")
                .isFalse();
        assertThat(admit(other, ofOther, 50)).isTrue();

        own.onEnded(ctx, first);
        channel.runPendingTasks();
        assertThat(admitted).as("admitted beyond the bound of the process").isEmpty();
        other.onEnded(ctx, ofOther);
        channel.runPendingTasks();

        assertThat(admitted).hasSize(1);
    }

    @Test
    void connectionThatHasReachedItsOwnBoundKeepsNoOtherFromItsRoom() {
        ResponderCall first = call(1);
        ResponderCall ofOther = call(2);
        assertThat(admit(own, first, 1)).isTrue();
        assertThat(admit(other, ofOther, 100)).isTrue();
        assertThat(admit(own, call(3), 60)).as("waits for the process").isFalse();
        assertThat(admit(third, call(4), 5)).as("waits behind it").isFalse();
        ReplyPlan inOneSend = new ReplyPlan(false, List.of(), List.of(), ChunkLists.ABSENT);
        own.onReply(ctx, first, inOneSend, 90, channel.newPromise());

        other.onEnded(ctx, ofOther);
        channel.runPendingTasks();

        assertThat(admitted).hasSize(1);
    }
}
