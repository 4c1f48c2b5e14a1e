// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Without auto-read, a message that the program does not get is read for again: the program waits for another. */
class ReadingOnRequestTest {

    private static final int XID = 7;
    private static final int GRANT = Rdma2.credits(64, 32);

    /** Which handlers are at the bottom and above, and which version is spoken. */
    private enum Side {
        RESPONDER(1),
        RESPONDER_2(2),
        REQUESTER(1),
        REQUESTER_2(2);

        private final int version;

        Side(int version) {
            this.version = version;
        }

        boolean responds() {
            return this == RESPONDER || this == RESPONDER_2;
        }

        TestPipeline open() {
            RpcRdmaConfig config = RpcRdmaConfig.builder()
                    .versions(version, version)
                    .reverseCredits(2)
                    .build();
            TestPipeline pipeline = new TestPipeline(
                    responds() ? new RpcRdmaResponderHandler(config) : new RpcRdmaRequesterHandler(config));
            pipeline.channel
                    .pipeline()
                    .addLast(responds() ? new RpcRdmaReverseRequesterHandler() : new RpcRdmaReverseResponderHandler());
            pipeline.channel.pipeline().fireChannelActive();
            return pipeline;
        }
    }

    /** What the program does not get. */
    private enum Kept {
        OTHER_VERSION((side, pipeline) -> pipeline.receive(TestPipeline.words(XID, 9, GRANT, 0, 0, 0, 0))),
        TOO_SHORT((side, pipeline) -> pipeline.receive(TestPipeline.words(XID, side.version, GRANT))),
        BROKEN_LIST((side, pipeline) ->
                pipeline.receive(TestPipeline.words(XID, side.version, GRANT, 0, 0, 0, 9, 9, 9, 9))),
        ERROR((side, pipeline) -> pipeline.receive(
                side.version == 1
                        ? TestPipeline.words(XID, 1, GRANT, 4, 2)
                        : TestPipeline.words(XID, 2, GRANT, Rdma2.ERROR, Rdma2.RESPONSE, 2))),
        REPLY_OF_THE_FUTURE_API((side, pipeline) -> {
            RpcRdmaRequester.of(pipeline.channel).call(pipeline.call(XID)).addListener(reply -> {
                if (reply.isSuccess()) {
                    ((ByteBuf) reply.getNow()).release();
                }
            });
            if (side.version == 1) {
                pipeline.receive(new RpcRdmaMessage.Msg(XID, 1, 16, ChunkLists.ABSENT), TestPipeline.replyHex(XID));
            } else {
                pipeline.receiveReplyOfVersion2(XID, GRANT);
            }
        }),
        PROPERTIES((side, pipeline) -> pipeline.receive(new Rdma2Message.ConnProp(XID, GRANT, 0, List.of()), "")),
        REFRESH((side, pipeline) -> pipeline.receive(new Rdma2Message.CreditGrant(GRANT), "")),
        FRAGMENT((side, pipeline) -> pipeline.receive(
                new Rdma2Message.Msg(XID, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT),
                TestPipeline.callHex(XID).substring(0, 32)));

        final BiConsumer<Side, TestPipeline> arrival;

        Kept(BiConsumer<Side, TestPipeline> arrival) {
            this.arrival = arrival;
        }

        boolean isOf(Side side) {
            return switch (this) {
                case PROPERTIES, REFRESH, FRAGMENT -> side.version == 2;
                default -> true;
            };
        }
    }

    static Stream<Arguments> kept() {
        return Arrays.stream(Side.values()).flatMap(side -> Arrays.stream(Kept.values())
                .filter(kept -> kept.isOf(side))
                .map(kept -> Arguments.of(side, kept)));
    }

    private static AtomicInteger countReads(TestPipeline pipeline) {
        pipeline.dropSends();
        AtomicInteger reads = new AtomicInteger();
        pipeline.channel.config().setAutoRead(false);
        pipeline.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext context) {
                reads.incrementAndGet();
                context.read();
            }
        });
        return reads;
    }

    @ParameterizedTest
    @MethodSource("kept")
    void whatTheProgramDoesNotGetIsReadForAgain(Side side, Kept kept) {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", ""); // of what is wrong with the message
        TestPipeline pipeline = side.open();
        if (side.version == 2 && kept != Kept.PROPERTIES) {
            Kept.PROPERTIES.arrival.accept(side, pipeline);
        }
        AtomicInteger reads = countReads(pipeline);
        kept.arrival.accept(side, pipeline);
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(reads).hasValue(1);
        pipeline.dropSends();
        pipeline.close();
    }

    @ParameterizedTest
    @EnumSource
    void whatTheProgramGetsIsAllThatItHasAskedFor(Side side) {
        TestPipeline pipeline = side.open();
        if (side.version == 2) {
            Kept.PROPERTIES.arrival.accept(side, pipeline);
        }
        AtomicInteger reads = countReads(pipeline);
        if (side.version == 2) {
            pipeline.receiveCallOfVersion2(XID, GRANT);
        } else {
            pipeline.receiveCall(XID);
        }
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));
        assertThat(reads).hasValue(0);
        pipeline.dropSends();
        pipeline.close();
    }
}
