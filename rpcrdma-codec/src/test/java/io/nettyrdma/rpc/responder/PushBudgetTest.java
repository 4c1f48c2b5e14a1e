// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.TOO_SLOW;
import static io.nettyrdma.rpc.session.ProcessMemory.OWN_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ReplyPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two connections whose replies count for the same bound (C64). */
class PushBudgetTest {

    private static final ReplyPlan IN_ONE_SEND = new ReplyPlan(false, List.of(), List.of(), ChunkLists.ABSENT);

    private static final long KIB = 1024;
    private static final long TIMEOUT_MILLIS = 400;

    private final MockTicker clock = Ticker.newMockTicker();
    private final EmbeddedChannel channel = EmbeddedChannel.builder()
            .handlers(new ChannelInboundHandlerAdapter())
            .ticker(clock)
            .build();
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
            assertThat(why).contains("peerTimeout", "raise -XX:MaxDirectMemorySize");
        }

        @Override
        public void onAdmissionEnded(ChannelHandlerContext ctx) {}
    };

    private final PushBudget own = budget(100);
    private final PushBudget other = budget(200);

    private PushBudget budget(int maxPushingKib) {
        RpcRdmaConfig.Builder config = TestLimits.maxWaitingBytes(RpcRdmaConfig.builder(), 200 * KIB);
        config.maxPushingBytes(OWN_BYTES + maxPushingKib * KIB).peerTimeout(Duration.ofMillis(TIMEOUT_MILLIS));
        return new PushBudget(TestLimits.responder(config.build()), up);
    }

    @AfterEach
    void end() {
        own.onConnectionLost();
        other.onConnectionLost();
        channel.finishAndReleaseAll();
    }

    private ResponderCall call(int xid) {
        return Objects.requireNonNull(engine.receivedInline(xid, OwedAnswer.NOT_COUNTED));
    }

    /** @param kib beyond those that a connection has for itself */
    private boolean admit(PushBudget budget, ResponderCall call, int kib) {
        return budget.admit(ctx, call, OWN_BYTES + kib * KIB, Unpooled.EMPTY_BUFFER);
    }

    private void pass(long millis) {
        clock.advance(millis, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
    }

    @Test
    void callWithoutRoomInTheProcessWaitsForOtherConnections() {
        ResponderCall first = call(1);
        assertThat(admit(other, first, 150)).isTrue();
        assertThat(admit(own, call(2), 60)).isFalse();
        assertThat(admit(own, call(3), 10)).as("behind it").isFalse();
        channel.runPendingTasks();
        assertThat(admitted).isEmpty();

        other.onEnded(ctx, first);
        channel.runPendingTasks();

        assertThat(admitted).as("the other one waits for its connection").hasSize(1);
        assertThat(refused).isEmpty();
    }

    @Test
    void callThatWaitsTooLongIsRefused() {
        assertThat(admit(other, call(1), 150)).isTrue();
        assertThat(admit(own, call(2), 60)).isFalse();
        assertThat(admit(own, call(3), 40)).isFalse();
        pass(TIMEOUT_MILLIS - 1);
        assertThat(refused).isEmpty();

        pass(1);

        long found = 210 * KIB + OWN_BYTES;
        assertThat(refused).containsExactly("2: " + found + " of " + 200 * KIB + ", null");
        assertThat(admitted).as("the shorter one has room").hasSize(1);
    }

    @Test
    void connectionWithWaitingCallsThatClosesLeavesTheLine() {
        ResponderCall first = call(1);
        assertThat(admit(other, first, 150)).isTrue();
        assertThat(admit(own, call(2), 60)).isFalse();
        PushBudget third = budget(100);
        own.onConnectionLost();

        assertThat(admit(third, call(3), 40)).as("nothing is in line before it").isTrue();
        third.onConnectionLost();
        pass(2 * TIMEOUT_MILLIS);
        assertThat(refused).isEmpty();
        assertThat(admitted).isEmpty();
    }

    @Test
    void peerThatTakesNothingLosesTheConnectionWhileOthersWait() {
        ResponderCall first = call(1);
        ChannelPromise taken = channel.newPromise();
        assertThat(admit(other, first, 150)).isTrue();
        other.onReply(ctx, first, IN_ONE_SEND, OWN_BYTES + 150 * KIB, taken);
        pass(10 * TIMEOUT_MILLIS);
        assertThat(channel.isOpen()).as("as no other connection waits").isTrue();

        assertThat(admit(own, call(2), 60)).isFalse();
        pass(TIMEOUT_MILLIS / 4);

        assertThatThrownBy(channel::checkException)
                .hasFieldOrPropertyWithValue("reason", TOO_SLOW)
                .hasMessageContaining("for 100 ms, a quarter of RpcRdmaConfig.peerTimeout");
        assertThat(channel.isOpen()).isFalse();
        other.onConnectionLost();
        channel.runPendingTasks();
        assertThat(admitted).hasSize(1);
    }

    @Test
    void callsThatWaitGoOnWhenThePeerHasTakenAReply() {
        ResponderCall first = call(1);
        ChannelPromise taken = channel.newPromise();
        assertThat(admit(own, first, 60)).isTrue();
        assertThat(admit(own, call(2), 60)).isFalse();
        own.onReply(ctx, first, IN_ONE_SEND, 60 * KIB, taken);
        channel.runPendingTasks();
        assertThat(admitted).isEmpty();

        taken.setSuccess();
        channel.runPendingTasks();

        assertThat(admitted).hasSize(1);
        assertThat(refused).isEmpty();
    }
}
