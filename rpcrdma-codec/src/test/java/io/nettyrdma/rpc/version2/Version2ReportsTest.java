// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static io.nettyrdma.rpc.kit.Meters.countsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.ObservedPair;
import io.nettyrdma.rpc.metrics.RpcRdmaMetrics;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport;
import io.nettyrdma.rpc.observe.RpcRdmaContinuationReport;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Listeners and meters of both ends of a connection of version 2, over RDMA. */
@ExtendWith(NoVerbsLeft.class)
class Version2ReportsTest {

    /** More fragments than there are credits, so that the receiver has to refresh them. */
    private static final int BYTES = 400_000;

    private static final int MESSAGE_BYTES = 4096;

    private final Recorder ofRequester = new Recorder();
    private final Recorder ofResponder = new Recorder();
    private final SimpleMeterRegistry requester = new SimpleMeterRegistry();
    private final SimpleMeterRegistry responder = new SimpleMeterRegistry();

    private static final class Recorder implements RpcRdmaListener {
        final List<RpcRdmaContinuationReport> continued = new CopyOnWriteArrayList<>();
        final List<String> refreshes = new CopyOnWriteArrayList<>();
        final List<Integer> sentCredits = new CopyOnWriteArrayList<>();
        final List<Integer> receivedCredits = new CopyOnWriteArrayList<>();
        final List<RpcRdmaSummary> errors = new CopyOnWriteArrayList<>();
        final List<CallOutcome> outcomes = new CopyOnWriteArrayList<>();

        @Override
        public void onContinued(Channel channel, RpcRdmaContinuationReport message) {
            continued.add(message);
        }

        @Override
        public void onRefreshSent(Channel channel, RpcRdmaRole role, int credits) {
            refreshes.add("sent by " + role);
            sentCredits.add(credits);
        }

        @Override
        public void onRefreshReceived(Channel channel, RpcRdmaRole role, int credits) {
            refreshes.add("received by " + role);
            receivedCredits.add(credits);
        }

        @Override
        public void onSent(Channel channel, RpcRdmaSummary message) {
            addError(message);
        }

        @Override
        public void onReceived(Channel channel, RpcRdmaSummary message) {
            addError(message);
        }

        private void addError(RpcRdmaSummary message) {
            if (message.procedure() == RpcRdmaSummary.Procedure.RDMA2_ERROR) {
                errors.add(message);
            }
        }

        @Override
        public void onCallEnded(Channel channel, RpcRdmaCallReport call) {
            outcomes.add(call.outcome());
        }
    }

    private ObservedPair pair() throws Exception {
        RpcRdmaMetrics metersOfRequester = new RpcRdmaMetrics();
        metersOfRequester.bindTo(requester);
        RpcRdmaMetrics metersOfResponder = new RpcRdmaMetrics();
        metersOfResponder.bindTo(responder);
        return ObservedPair.ofVersion2(
                List.of(ofRequester, metersOfRequester), List.of(ofResponder, metersOfResponder));
    }

    private static int fragments(int payloadBytes) {
        int full = MESSAGE_BYTES - 36;
        return (payloadBytes + full - 1) / full;
    }

    @Test
    void messagesInFragmentsAreReportedAtBothEndsInBothDirections() throws Exception {
        int callBytes;
        int replyBytes;
        try (ObservedPair pair = pair()) {
            pair.execute(ObservedPair.call(1, List.of(), List.of(), 8)); // fits, and is not reported
            ByteBuf call = ObservedPair.call(2, List.of(BYTES), List.of(), 8);
            callBytes = call.readableBytes();
            pair.execute(call);
            replyBytes = pair.execute(ObservedPair.call(3, List.of(), List.of(BYTES), 8));
            pair.awaitEnds(3);
        }

        int calls = fragments(callBytes);
        int replies = fragments(replyBytes);
        assertThat(ofRequester.continued)
                .containsExactly(
                        new RpcRdmaContinuationReport(RpcRdmaRole.REQUESTER, Direction.CALL, 2, calls, callBytes),
                        new RpcRdmaContinuationReport(RpcRdmaRole.REQUESTER, Direction.REPLY, 3, replies, replyBytes))
                .extracting(RpcRdmaContinuationReport::isSent)
                .containsExactly(true, false);
        assertThat(ofResponder.continued)
                .containsExactly(
                        new RpcRdmaContinuationReport(RpcRdmaRole.RESPONDER, Direction.CALL, 2, calls, callBytes),
                        new RpcRdmaContinuationReport(RpcRdmaRole.RESPONDER, Direction.REPLY, 3, replies, replyBytes))
                .extracting(RpcRdmaContinuationReport::isSent)
                .containsExactly(false, true);
        checkContinued(requester, "requester", callBytes, calls, replyBytes, replies);
        checkContinued(responder, "responder", replyBytes, replies, callBytes, calls);
    }

    private static void checkContinued(
            SimpleMeterRegistry registry, String role, int sentBytes, int sent, int receivedBytes, int received) {
        String out = "direction=sent role=" + role + ": ";
        String in = "direction=received role=" + role + ": ";
        assertThat(countsOf(registry, "rpcrdma.continued.messages")).containsExactlyInAnyOrder(out + 1, in + 1);
        assertThat(countsOf(registry, "rpcrdma.continued.fragments"))
                .containsExactlyInAnyOrder(out + sent, in + received);
        assertThat(countsOf(registry, "rpcrdma.continued.bytes"))
                .containsExactlyInAnyOrder(out + sentBytes, in + receivedBytes);
    }

    @Test
    void refreshesAreReportedAtBothEndsInBothDirections() throws Exception {
        try (ObservedPair pair = pair()) {
            pair.execute(ObservedPair.call(1, List.of(BYTES), List.of(BYTES), 8));
            pair.execute(ObservedPair.call(2, List.of(), List.of(), 8)); // behind which they all have come
            pair.awaitEnds(2);
        }

        assertThat(ofRequester.refreshes).contains("sent by REQUESTER", "received by REQUESTER");
        assertThat(ofResponder.refreshes).contains("sent by RESPONDER", "received by RESPONDER");
        checkSame(ofRequester.sentCredits, ofResponder.receivedCredits);
        checkSame(ofResponder.sentCredits, ofRequester.receivedCredits);
        assertThat(countsOf(requester, "rpcrdma.refreshes"))
                .containsExactlyInAnyOrder(
                        "direction=sent role=requester: " + ofRequester.sentCredits.size(),
                        "direction=received role=requester: " + ofRequester.receivedCredits.size());
        assertThat(countsOf(responder, "rpcrdma.refreshes"))
                .containsExactlyInAnyOrder(
                        "direction=sent role=responder: " + ofResponder.sentCredits.size(),
                        "direction=received role=responder: " + ofResponder.receivedCredits.size());
    }

    /** One that was sent last may not have come before the end. */
    private static void checkSame(List<Integer> sent, List<Integer> received) {
        assertThat(new ArrayList<>(sent)).allMatch(credits -> credits > 0).startsWith(received.toArray(new Integer[0]));
    }

    @Test
    void errorThatEndsACallIsReportedByNameAtBothEnds() throws Exception {
        try (ObservedPair pair = pair()) {
            assertThat(pair.fail(ObservedPair.call(ObservedPair.REFUSED_XID, List.of(), List.of(), 8)))
                    .isInstanceOf(RemoteErrorException.class);
            pair.awaitEnds(1);
        }

        for (Recorder end : List.of(ofRequester, ofResponder)) {
            RpcRdmaRole role = end == ofRequester ? RpcRdmaRole.REQUESTER : RpcRdmaRole.RESPONDER;
            assertThat(end.errors)
                    .extracting(RpcRdmaSummary::role, RpcRdmaSummary::xid, RpcRdmaSummary::error)
                    .containsExactly(tuple(role, ObservedPair.REFUSED_XID, Rdma2ErrorCode.SYSTEM));
            assertThat(end.errors).singleElement().asString().startsWith("RDMA2_ERR_SYSTEM xid 0xdead ");
            assertThat(end.outcomes).containsExactly(CallOutcome.RDMA2_ERROR);
        }
        assertThat(countsOf(requester, "rpcrdma.errors"))
                .containsExactly("code=rdma2_err_system direction=received role=requester: 1");
        assertThat(countsOf(responder, "rpcrdma.errors"))
                .containsExactly("code=rdma2_err_system direction=sent role=responder: 1");
    }
}
