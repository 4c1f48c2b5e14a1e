// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import static io.nettyrdma.rpc.kit.Meters.countsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.metrics.RpcRdmaMetrics;
import io.nettyrdma.rpc.trace.Listeners;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the handlers tell of calls, by what the meters make of it; with a clock that stands still. */
class ObservedHandlersTest {

    private final SimpleMeterRegistry requester = new SimpleMeterRegistry();
    private final SimpleMeterRegistry responder = new SimpleMeterRegistry();
    private final RpcRdmaMetrics ofRequester = new RpcRdmaMetrics();
    private final RpcRdmaMetrics ofResponder = new RpcRdmaMetrics(Tags.of("server", "nfs"));

    @BeforeEach
    void bind() {
        ofRequester.bindTo(requester);
        ofResponder.bindTo(responder);
    }

    @Test
    void messagesOfAnotherVersionAreRejectedWithErrVers() {
        try (TestPipeline pipeline = responder()) {
            pipeline.receive("00000001" + "00000009" + "00000010" + "00".repeat(56));
            pipeline.dropSends();
        }

        assertThat(countsOf(responder, "rpcrdma.rejections")).containsExactly("reaction=err_vers server=nfs: 1");
        assertThat(countsOf(responder, "rpcrdma.errors"))
                .containsExactly("code=err_vers direction=sent role=responder server=nfs: 1");
        assertThat(countsOf(responder, "rpcrdma.calls")).isEmpty();
    }

    @Test
    void replyThatCannotBeConveyedCountsAsErrChunk() {
        try (TestPipeline pipeline = responder()) {
            pipeline.receiveCall(7);
            pipeline.delivered();
            assertThat(pipeline.channel
                            .writeOneOutbound(pipeline.message(7, 1, 4096))
                            .cause())
                    .isInstanceOf(MessageTooLargeException.class);
            pipeline.channel.flushOutbound();
            pipeline.dropSends();
        }

        assertThat(countsOf(responder, "rpcrdma.calls"))
                .containsExactly("outcome=err_chunk role=responder server=nfs: 1");
    }

    @Test
    void callWithoutReplyCountsAsLostAtItsResponder() {
        try (TestPipeline pipeline = responder()) {
            pipeline.receiveCall(7);
            pipeline.delivered();
        }

        assertThat(countsOf(responder, "rpcrdma.calls"))
                .containsExactly("outcome=connection_lost role=responder server=nfs: 1");
    }

    @Test
    void onlyCallsThatWaitForCreditsCountAsWaits() {
        try (TestPipeline pipeline = requester()) {
            pipeline.channel.writeOutbound(pipeline.call(1), pipeline.call(2));
            assertThat(gauges()).containsExactly(2.0, 1.0);
            pipeline.pass(5, TimeUnit.MILLISECONDS);
            pipeline.receiveReply(1, 8);
            assertThat(gauges()).containsExactly(1.0, 0.0);
            pipeline.receiveReply(2, 8);
            pipeline.channel.writeOutbound(pipeline.call(3));
            pipeline.receiveReply(3, 8);
            for (int i = 0; i < 3; i++) {
                pipeline.delivered();
            }
            pipeline.dropSends();
        }

        assertThat(gauges()).containsExactly(0.0, 0.0);
        assertThat(requester.get("rpcrdma.credits.granted").summary().mean()).isEqualTo(8);
        assertThat(requester.get("rpcrdma.credit.wait").timer().count()).isOne();
        assertThat(requester.get("rpcrdma.credit.wait").timer().totalTime(TimeUnit.MILLISECONDS))
                .isCloseTo(5, within(1e-6));
        assertThat(requester
                        .get("rpcrdma.calls")
                        .tag("outcome", "replied")
                        .tag("role", "requester")
                        .timer())
                .satisfies(calls -> assertThat(calls.count()).isEqualTo(3))
                .satisfies(calls ->
                        assertThat(calls.totalTime(TimeUnit.MILLISECONDS)).isCloseTo(10, within(1e-6)));
    }

    /** Calls that are active and those that wait for a credit. */
    private List<Double> gauges() {
        double active = requester
                .get("rpcrdma.calls.active")
                .tag("role", "requester")
                .gauge()
                .value();
        return List.of(active, requester.get("rpcrdma.calls.waiting").gauge().value());
    }

    @Test
    void callsThatEndHoweverAreNotActiveAnyMore() {
        try (TestPipeline pipeline = requester()) {
            RpcRdmaRequester calls = RpcRdmaRequester.of(pipeline.channel);
            calls.call(pipeline.call(1));
            calls.call(pipeline.call(2));
            calls.call(pipeline.call(3)).cancel(false);
            calls.call(pipeline.message(4, 1, 40)); // refused
            assertThat(gauges()).containsExactly(3.0, 2.0);
            pipeline.channel.close();
            pipeline.dropSends();
        }

        assertThat(gauges()).containsExactly(0.0, 0.0);
    }

    @Test
    void everyWayACallEndsIsTold() {
        try (TestPipeline pipeline = requester()) {
            pipeline.receiveReply(1, 8);
            pipeline.channel.writeOutbound(pipeline.call(1));
            pipeline.receiveReply(1, 8); // the grant that lets the others go
            pipeline.delivered();

            pipeline.channel.writeOneOutbound(pipeline.message(2, 1, 40)); // not a call
            pipeline.channel.writeOutbound(pipeline.call(3));
            pipeline.receive(new RpcRdmaMessage.ErrorMsg(3, 1, 8, new RpcRdmaMessage.VersionRange(2, 2)), "");
            pipeline.channel.writeOutbound(pipeline.call(4));
            pipeline.pass(60, TimeUnit.SECONDS);
            RpcRdmaRequester.of(pipeline.channel).call(pipeline.call(5)).cancel(false);
            pipeline.channel.writeOutbound(pipeline.call(6));
            pipeline.channel.close();
            pipeline.dropSends();
        }

        assertThat(countsOf(requester, "rpcrdma.calls"))
                .containsExactlyInAnyOrder(
                        "outcome=replied role=requester: 1",
                        "outcome=refused role=requester: 1",
                        "outcome=err_vers role=requester: 1",
                        "outcome=timed_out role=requester: 1",
                        "outcome=cancelled role=requester: 1",
                        "outcome=connection_lost role=requester: 1");
        assertThat(countsOf(requester, "rpcrdma.errors"))
                .containsExactly("code=err_vers direction=received role=requester: 1");
    }

    @Test
    void twoRegistriesCountTheSame() {
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        ofResponder.bindTo(other);
        try (TestPipeline pipeline = responder()) {
            pipeline.receiveCall(7);
            pipeline.delivered();
        }

        assertThat(countsOf(other, "rpcrdma.bytes"))
                .isEqualTo(countsOf(responder, "rpcrdma.bytes"))
                .containsExactly("direction=received path=inline role=responder server=nfs: 40");
    }

    @Test
    void withoutListenerAndRecordingNothingIsTraced() {
        // Attached to no context, the observer cannot read the time.
        assertThat(new RpcRdmaObserver(
                                RpcRdmaRole.REQUESTER,
                                Listeners.NONE,
                                TestLimits.session(RpcRdmaConfig.defaults()).log())
                        .callStarted(1))
                .isNull();
    }

    private TestPipeline responder() {
        return new TestPipeline(new RpcRdmaResponderHandler(
                RpcRdmaConfig.builder().listener(ofResponder).build()));
    }

    private TestPipeline requester() {
        return new TestPipeline(new RpcRdmaRequesterHandler(
                RpcRdmaConfig.builder().listener(ofRequester).build()));
    }
}
