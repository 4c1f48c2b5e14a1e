// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
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

/** Two connections whose replies count for the same bound (C64). */
class PushBudgetTest {

    private static final ReplyPlan IN_ONE_SEND = new ReplyPlan(false, List.of(), List.of(), ChunkLists.ABSENT);

    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private final ChannelHandlerContext ctx = channel.pipeline().firstContext();
    private final ResponderEngine engine = new ResponderEngine(8, 8, 1000);
    private final List<ByteBuf> admitted = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private final AdmittedCalls up = new AdmittedCalls() {
        @Override
        public void onAdmitted(ChannelHandlerContext ctx, ByteBuf message) {
            admitted.add(message);
        }

        @Override
        public void onNoRoom(
                ChannelHandlerContext context,
                ResponderCall call,
                String why,
                long bytes,
                long limitBytes,
                String option) {
            refused.add(call.xid() + ": " + bytes + " of " + limitBytes + ", " + option);
            assertThat(why).contains("a quarter of -XX:MaxDirectMemorySize");
        }

        @Override
        public void onAdmissionEnded(ChannelHandlerContext ctx) {}
    };

    private final PushBudget own = new PushBudget(100, 200, up);
    private final PushBudget other = new PushBudget(200, 200, up);

    @AfterEach
    void end() {
        own.onConnectionLost();
        other.onConnectionLost();
        channel.finishAndReleaseAll();
    }

    private ResponderCall call(int xid) {
        return Objects.requireNonNull(engine.receivedInline(xid, OwedAnswer.NOT_COUNTED));
    }

    private boolean admit(PushBudget budget, ResponderCall call, long replyBytes) {
        return budget.admit(ctx, call, replyBytes, Unpooled.EMPTY_BUFFER);
    }

    @Test
    void callWithoutRoomInTheProcessIsRefusedIfItsConnectionHoldsNothing() {
        assertThat(admit(other, call(1), 150)).isTrue();
        assertThat(admit(own, call(2), 60)).isFalse();
        assertThat(refused).containsExactly("2: 210 of 200, null");
        assertThat(admit(own, call(3), 50)).isTrue();
        channel.runPendingTasks();
        assertThat(admitted).isEmpty();
    }

    @Test
    void callThatWaitedForItsConnectionIsRefusedIfTheProcessHasNoRoomWhenThatHoldsNothing() {
        ResponderCall first = call(1);
        assertThat(admit(own, first, 60)).isTrue();
        assertThat(admit(own, call(2), 70)).as("beyond its connection's").isFalse();
        assertThat(admit(own, call(3), 40)).as("behind it").isFalse();
        assertThat(admit(other, call(4), 70)).isTrue();
        other.onReply(ctx, call(5), IN_ONE_SEND, 80, channel.newPromise());
        assertThat(refused).isEmpty();

        own.onEnded(ctx, first);
        channel.runPendingTasks();

        assertThat(refused).containsExactly("2: 220 of 200, null");
        assertThat(admitted).as("the shorter one").hasSize(1);
    }

    @Test
    void callsThatWaitGoOnWhenThePeerHasTakenAReply() {
        ResponderCall first = call(1);
        ChannelPromise taken = channel.newPromise();
        assertThat(admit(own, first, 60)).isTrue();
        assertThat(admit(own, call(2), 60)).isFalse();
        own.onReply(ctx, first, IN_ONE_SEND, 60, taken);
        channel.runPendingTasks();
        assertThat(admitted).isEmpty();

        taken.setSuccess();
        channel.runPendingTasks();

        assertThat(admitted).hasSize(1);
        assertThat(refused).isEmpty();
    }
}
