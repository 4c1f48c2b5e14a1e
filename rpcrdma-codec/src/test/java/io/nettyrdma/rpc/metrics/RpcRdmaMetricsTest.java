// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.metrics;

import static io.nettyrdma.rpc.kit.Meters.countsOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.nettyrdma.logs.ExpectedLog;
import io.nettyrdma.logs.LogLine;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.ObservedPair;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import io.nettyrdma.rpc.observe.RpcRdmaTransferReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The meters of both ends, over RDMA. */
@ExtendWith(NoVerbsLeft.class)
class RpcRdmaMetricsTest {

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
    void bytesAreCountedByTheirPathAtBothEnds() throws Exception {
        long inlineCalls = 0;
        long inlineReplies = 0;
        long replyChunk;
        long positionZero;
        try (ObservedPair pair = new ObservedPair(ofRequester, ofResponder)) {
            ByteBuf call = ObservedPair.call(1, List.of(), List.of(), 8);
            inlineCalls += call.readableBytes();
            inlineReplies += pair.execute(call);

            call = ObservedPair.call(2, List.of(8000), List.of(), 8);
            inlineCalls += call.readableBytes() - 8000;
            inlineReplies += pair.execute(call);

            call = ObservedPair.call(3, List.of(), List.of(8001), 8);
            inlineCalls += call.readableBytes();
            inlineReplies += pair.execute(call) - 8004; // with its padding

            call = ObservedPair.call(4, List.of(), List.of(), 20_000);
            inlineCalls += call.readableBytes();
            replyChunk = pair.execute(call);

            call = ObservedPair.opaqueCall(5, 9000);
            positionZero = call.readableBytes();
            inlineReplies += pair.execute(call);

            pair.awaitEnds(5);
            assertThat(requester
                            .get("rpcrdma.connections.active")
                            .tag("role", "requester")
                            .gauge()
                            .value())
                    .isOne();
            assertThat(responder
                            .get("rpcrdma.connections.active")
                            .tag("role", "responder")
                            .gauge()
                            .value())
                    .isOne();
        }

        assertThat(countsOf(requester, "rpcrdma.bytes"))
                .containsExactlyInAnyOrder(
                        "direction=sent path=inline role=requester: " + inlineCalls,
                        "direction=received path=inline role=requester: " + inlineReplies,
                        "direction=sent path=read role=requester: 8000",
                        "direction=sent path=position_zero role=requester: " + positionZero,
                        "direction=received path=write role=requester: 8001",
                        "direction=received path=reply role=requester: " + replyChunk);
        assertThat(countsOf(responder, "rpcrdma.bytes"))
                .containsExactlyInAnyOrder(
                        "direction=received path=inline role=responder server=nfs: " + inlineCalls,
                        "direction=sent path=inline role=responder server=nfs: " + inlineReplies,
                        "direction=received path=read role=responder server=nfs: 8000",
                        "direction=received path=position_zero role=responder server=nfs: " + positionZero,
                        "direction=sent path=write role=responder server=nfs: 8001",
                        "direction=sent path=reply role=responder server=nfs: " + replyChunk);
        assertThat(countsOf(requester, "rpcrdma.chunk.transfers")).isEmpty();
        assertThat(countsOf(responder, "rpcrdma.chunk.transfers"))
                .containsExactlyInAnyOrder(
                        "path=read server=nfs: 1",
                        "path=position_zero server=nfs: 1",
                        "path=write server=nfs: 1",
                        "path=reply server=nfs: 1");
        assertThat(countsOf(requester, "rpcrdma.calls")).containsExactly("outcome=replied role=requester: 5");
        assertThat(countsOf(responder, "rpcrdma.calls"))
                .containsExactly("outcome=replied role=responder server=nfs: 5");
        assertThat(countsOf(requester, "rpcrdma.registrations")).containsExactly(": 4");
        assertThat(countsOf(requester, "rpcrdma.memory.exposed")).isEmpty();
        assertThat(countsOf(requester, "rpcrdma.connections")).containsExactly("role=requester: 1");
        assertThat(countsOf(responder, "rpcrdma.connections")).containsExactly("role=responder server=nfs: 1");
        assertThat(countsOf(requester, "rpcrdma.connections.active")).isEmpty();
        assertThat(countsOf(responder, "rpcrdma.connections.active")).isEmpty();
        assertThat(countsOf(requester, "rpcrdma.errors")).isEmpty();
    }

    @Test
    void memoryCountsAsExposedUntilTheCallHasEnded() throws Exception {
        List<String> seen = new ArrayList<>();
        RpcRdmaListener order = new RpcRdmaListener() {
            @Override
            public void onMemoryExposed(Channel channel, int registrations, long bytes) {
                seen.add("exposed " + registrations + " " + bytes + " " + exposedBytes());
            }

            @Override
            public void onMemoryWithdrawn(Channel channel, int registrations, long bytes) {
                seen.add("withdrawn " + registrations + " " + bytes + " " + exposedBytes());
            }

            @Override
            public void onChunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {
                seen.add(transfer.kind() + " " + transfer.chunks() + " " + transfer.bytes());
            }

            @Override
            public void onCallEnded(Channel channel, RpcRdmaCallReport call) {
                seen.add(call.outcome() + " " + call.header().program());
            }
        };
        try (ObservedPair pair = new ObservedPair(List.of(ofRequester, order), List.of(ofResponder))) {
            pair.execute(ObservedPair.call(1, List.of(8000), List.of(6000), 8));
        }

        assertThat(seen)
                .containsExactly(
                        "exposed 2 14000 14000.0",
                        "READ 1 8000",
                        "WRITE 1 6000",
                        "withdrawn 2 14000 0.0",
                        "REPLIED " + TestProgram.PROGRAM);
    }

    private double exposedBytes() {
        return requester.get("rpcrdma.memory.exposed").gauge().value();
    }

    @Test
    void errorsAreCountedByCodeAtBothEnds() throws Exception {
        try (ObservedPair pair = new ObservedPair(ofRequester, ofResponder)) {
            assertThat(pair.fail(ObservedPair.call(ObservedPair.REFUSED_XID, List.of(), List.of(), 8)))
                    .hasFieldOrPropertyWithValue("code", "ERR_CHUNK");
            pair.awaitEnds(1);
        }

        assertThat(countsOf(requester, "rpcrdma.calls")).containsExactly("outcome=err_chunk role=requester: 1");
        assertThat(countsOf(responder, "rpcrdma.calls"))
                .containsExactly("outcome=err_chunk role=responder server=nfs: 1");
        assertThat(countsOf(requester, "rpcrdma.errors"))
                .containsExactly("code=err_chunk direction=received role=requester: 1");
        assertThat(countsOf(responder, "rpcrdma.errors"))
                .containsExactly("code=err_chunk direction=sent role=responder server=nfs: 1");
    }

    @Test
    void listenerThatThrowsHarmsNeitherCallsNorOtherListeners() throws Exception {
        ExpectedLog log = Logs.expect(RpcRdmaListener.class, "listener failed");
        RpcRdmaListener throwing = new ThrowingListener();
        try (ObservedPair pair = new ObservedPair(List.of(throwing, ofRequester), List.of(throwing, ofResponder))) {
            pair.execute(ObservedPair.call(1, List.of(8000), List.of(8000), 8));
            pair.execute(ObservedPair.call(2, List.of(), List.of(), 20_000));
            pair.fail(ObservedPair.call(ObservedPair.REFUSED_XID, List.of(), List.of(), 8));
            pair.awaitEnds(3);
        }

        assertThat(countsOf(requester, "rpcrdma.calls"))
                .containsExactlyInAnyOrder("outcome=replied role=requester: 2", "outcome=err_chunk role=requester: 1");
        assertThat(countsOf(responder, "rpcrdma.connections.active")).isEmpty();
        assertThat(log.lines())
                .extracting(LogLine::thrown)
                .extracting(Throwable::getMessage)
                .contains("opened", "sent", "received", "closed");
    }

    private static final class ThrowingListener implements RpcRdmaListener {

        @Override
        public void onConnectionOpened(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters) {
            throw new IllegalStateException("opened");
        }

        @Override
        public void onConnectionClosed(
                Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters, long nanos) {
            throw new IllegalStateException("closed");
        }

        @Override
        public void onSent(Channel channel, RpcRdmaSummary message) {
            throw new IllegalStateException("sent");
        }

        @Override
        public void onReceived(Channel channel, RpcRdmaSummary message) {
            throw new AssertionError("received");
        }

        @Override
        public void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {
            throw new IllegalStateException("rejected");
        }

        @Override
        public void onCreditAwaited(Channel channel, int xid, long waitedNanos) {
            throw new IllegalStateException("credit");
        }

        @Override
        public void onChunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {
            throw new NoClassDefFoundError("transferred");
        }

        @Override
        public void onMemoryExposed(Channel channel, int registrations, long bytes) {
            throw new IllegalStateException("exposed");
        }

        @Override
        public void onMemoryWithdrawn(Channel channel, int registrations, long bytes) {
            throw new IllegalStateException("withdrawn");
        }

        @Override
        public void onCallEnded(Channel channel, RpcRdmaCallReport call) {
            throw new IllegalStateException("ended");
        }
    }
}
