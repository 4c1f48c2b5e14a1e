// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandler;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever becomes of a call in version 2, the credit for its answer comes back: a peer never runs out of them. */
class OwedAnswersTest {

    private static final int GRANT = Rdma2.credits(64, 32);

    /** More than there are credits. */
    private static final int TIMES = 50;

    private static final WriteChunk RESULT = new WriteChunk(List.of(new PlainSegment(9, 100, 0)));

    private TestPipeline pipeline;
    private int credits = 1;

    /** Connects a side, with the properties of its peer. */
    private void connect(ChannelHandler handler, int xid, ChannelHandler... above) {
        pipeline = new TestPipeline(handler);
        pipeline.channel.pipeline().addLast(above);
        pipeline.channel.pipeline().fireChannelActive();
        send(new Rdma2Message.ConnProp(xid, GRANT, 0, List.of()), "");
    }

    private void connectResponder() {
        connect(
                new RpcRdmaResponderHandler(
                        RpcRdmaConfig.builder().versions(2, 2).creditsGranted(4).build()),
                7);
        send(new Rdma2Message.Msg(1, GRANT, 0, 0, ChunkLists.ABSENT), TestPipeline.callHex(1));
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(1));
    }

    private ChannelHandler connectRequester() {
        ChannelHandler reverse = new RpcRdmaReverseResponderHandler();
        connect(
                new RpcRdmaRequesterHandler(
                        RpcRdmaConfig.builder().versions(2, 2).reverseCredits(2).build()),
                0,
                reverse);
        return reverse;
    }

    private ChannelHandler replace(ChannelHandler handler) {
        ChannelHandler next = new RpcRdmaReverseResponderHandler();
        pipeline.channel.pipeline().remove(handler);
        pipeline.channel.pipeline().addLast(next);
        return next;
    }

    @AfterEach
    void end() {
        pipeline.dropSends();
        pipeline.close();
    }

    private void send(Rdma2Message message, String payload) {
        send(() -> pipeline.receive(message, payload));
    }

    private void send(Runnable receive) {
        assertThat(credits).as("credits of the peer").isPositive();
        credits--;
        receive.run();
        while (pipeline.sends() > 0) {
            credits += Integer.parseInt(pipeline.sent().substring(20, 24), 16);
        }
    }

    @Test
    void ofACallThatComesTwice() {
        connectResponder();
        for (int i = 0; i < TIMES; i++) {
            send(new Rdma2Message.Msg(1, GRANT, 0, 0, ChunkLists.ABSENT), TestPipeline.callHex(1));
        }
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @Test
    void ofACallWithChunksThatComesTwice() {
        connectResponder();
        ChunkLists chunks = new ChunkLists(List.of(), List.of(RESULT), null);
        for (int i = 0; i < TIMES; i++) {
            send(new Rdma2Message.Msg(1, GRANT, 0, 0, chunks), TestPipeline.callHex(1));
        }
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    /** Its first fragment is not wanted, and the next one cannot be decoded. */
    @Test
    void ofAFragmentThatIsDroppedAnyway() {
        connectResponder();
        for (int i = 0; i < TIMES; i++) {
            send(
                    new Rdma2Message.Msg(1, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT),
                    TestPipeline.callHex(1).substring(0, 32));
            send(() -> pipeline.receive(TestPipeline.words(1, 2, GRANT, Rdma2.MSG, Rdma2.MORE, 0, 5)));
        }
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @Test
    void ofACallWhoseHandlerIsRemoved() {
        ChannelHandler handler = connectRequester();
        for (int xid = 0; xid < TIMES; xid++) {
            send(new Rdma2Message.Msg(xid, GRANT, 0, 0, ChunkLists.ABSENT), TestPipeline.callHex(xid));
            assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(xid));
            handler = replace(handler);
        }
    }
}
