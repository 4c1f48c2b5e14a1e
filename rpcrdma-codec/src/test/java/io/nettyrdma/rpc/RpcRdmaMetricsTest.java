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
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.nettyrdma.rpc.engine.MessageTooLargeException;
import io.nettyrdma.rpc.engine.RemoteChunkException;
import io.nettyrdma.rpc.metrics.RpcRdmaMetrics;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
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
            assertThat(requester.get("rpcrdma.connections.active").tag("role", "requester").gauge().value())
                    .isOne();
            assertThat(responder.get("rpcrdma.connections.active").tag("role", "responder").gauge().value())
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
            public void memoryExposed(Channel channel, int registrations, long bytes) {
                seen.add("exposed " + registrations + " " + bytes + " " + exposedBytes());
            }

            @Override
            public void memoryWithdrawn(Channel channel, int registrations, long bytes) {
                seen.add("withdrawn " + registrations + " " + bytes + " " + exposedBytes());
            }

            @Override
            public void chunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {
                seen.add(transfer.kind() + " " + transfer.chunks() + " " + transfer.bytes());
            }

            @Override
            public void callEnded(Channel channel, RpcRdmaCallReport call) {
                seen.add(call.outcome() + " " + call.header().program());
            }
        };
        try (ObservedPair pair = new ObservedPair(RpcRdmaListener.of(ofRequester, order), ofResponder)) {
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
                    .isInstanceOf(RemoteChunkException.class);
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
            assertThat(pipeline.channel.writeOneOutbound(pipeline.message(7, 1, 4096)).cause())
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
            pipeline.pass(5, TimeUnit.MILLISECONDS);
            pipeline.receiveReply(1, 8);
            pipeline.receiveReply(2, 8);
            pipeline.channel.writeOutbound(pipeline.call(3));
            pipeline.receiveReply(3, 8);
            for (int i = 0; i < 3; i++) {
                pipeline.delivered();
            }
            pipeline.dropSends();
        }

        assertThat(requester.get("rpcrdma.credit.wait").timer().count()).isOne();
        assertThat(requester.get("rpcrdma.credit.wait").timer().totalTime(TimeUnit.MILLISECONDS))
                .isCloseTo(5, within(1e-6));
        assertThat(requester.get("rpcrdma.calls").tag("outcome", "replied").tag("role", "requester").timer())
                .satisfies(calls -> assertThat(calls.count()).isEqualTo(3))
                .satisfies(calls -> assertThat(calls.totalTime(TimeUnit.MILLISECONDS)).isCloseTo(10, within(1e-6)));
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
    void listenerThatThrowsHarmsNeitherCallsNorOtherListeners() throws Exception {
        RpcRdmaListener throwing = new ThrowingListener();
        try (ObservedPair pair = new ObservedPair(
                RpcRdmaListener.of(throwing, ofRequester), RpcRdmaListener.of(throwing, ofResponder))) {
            pair.execute(ObservedPair.call(1, List.of(8000), List.of(8000), 8));
            pair.execute(ObservedPair.call(2, List.of(), List.of(), 20_000));
            pair.fail(ObservedPair.call(ObservedPair.REFUSED_XID, List.of(), List.of(), 8));
            pair.awaitEnds(3);
        }

        assertThat(countsOf(requester, "rpcrdma.calls"))
                .containsExactlyInAnyOrder(
                        "outcome=replied role=requester: 2", "outcome=err_chunk role=requester: 1");
        assertThat(countsOf(responder, "rpcrdma.connections.active")).isEmpty();
    }

    @Test
    void withoutListenerAndRecordingNothingIsTraced() {
        // No context: there is nobody it could be asked for, not even for the time.
        assertThat(new RpcRdmaObserver(RpcRdmaRole.REQUESTER, null).callStarted(null, 1))
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

    /** Meters of that name that are not zero: their tags and values. */
    private static List<String> countsOf(SimpleMeterRegistry registry, String name) {
        List<String> counts = new ArrayList<>();
        for (Meter meter : registry.find(name).meters()) {
            List<String> tags = new ArrayList<>();
            meter.getId().getTags().forEach(tag -> tags.add(tag.getKey() + "=" + tag.getValue()));
            long value = (long) meter.measure().iterator().next().getValue();
            if (value != 0) {
                counts.add(String.join(" ", tags) + ": " + value);
            }
        }
        return counts;
    }

    private static final class ThrowingListener implements RpcRdmaListener {

        @Override
        public void connectionOpened(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters) {
            throw new IllegalStateException("opened");
        }

        @Override
        public void connectionClosed(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters, long nanos) {
            throw new IllegalStateException("closed");
        }

        @Override
        public void sent(Channel channel, RpcRdmaSummary message) {
            throw new IllegalStateException("sent");
        }

        @Override
        public void received(Channel channel, RpcRdmaSummary message) {
            throw new AssertionError("received");
        }

        @Override
        public void rejected(Channel channel, Rejection rejection) {
            throw new IllegalStateException("rejected");
        }

        @Override
        public void creditAwaited(Channel channel, int xid, long waitedNanos) {
            throw new IllegalStateException("credit");
        }

        @Override
        public void chunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {
            throw new NoClassDefFoundError("transferred");
        }

        @Override
        public void memoryExposed(Channel channel, int registrations, long bytes) {
            throw new IllegalStateException("exposed");
        }

        @Override
        public void memoryWithdrawn(Channel channel, int registrations, long bytes) {
            throw new IllegalStateException("withdrawn");
        }

        @Override
        public void callEnded(Channel channel, RpcRdmaCallReport call) {
            throw new IllegalStateException("ended");
        }
    }
}
