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
import static org.assertj.core.api.Assertions.tuple;

import io.netty.channel.Channel;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A listener learns what version 2 rejects, as it does in version 1. */
class RejectionReportsTest {

    private static final int GRANT = Rdma2.credits(64, 32);
    private static final int MOST_SEGMENTS = 2;

    private final List<Rejection> rejections = new ArrayList<>();
    private final TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(RpcRdmaConfig.builder()
            .versions(2, 2)
            .maxSegmentsPerHeader(MOST_SEGMENTS)
            .listener(new RpcRdmaListener() {
                @Override
                public void onRejected(Channel channel, Rejection rejection) {
                    rejections.add(rejection);
                }
            })
            .build()));

    RejectionReportsTest() {
        pipeline.channel.pipeline().fireChannelActive();
        pipeline.receive(new Rdma2Message.ConnProp(7, GRANT, 0, List.of(TransportProperty.sendBytes(8192))), "");
    }

    @AfterEach
    void end() {
        pipeline.close();
    }

    /** A read chunk in three pieces. */
    private static ChunkLists threeSegments() {
        List<ReadSegment> list = new ArrayList<>();
        for (int i = 0; i <= MOST_SEGMENTS; i++) {
            list.add(new ReadSegment(48, new PlainSegment(i + 1, 4, 0)));
        }
        return new ChunkLists(list, List.of(), null);
    }

    @Test
    @Requirement({"V2-089", "V2-150"})
    void moreSegmentsThanTheLimitOfTheHeaderAreReportedByItsName() {
        assertThat(pipeline.sent()).as("own properties").contains("00000004" + "00000004" + "00000002");

        pipeline.receive(new Rdma2Message.Msg(9, GRANT, 0, 0, threeSegments()), TestPipeline.callHex(9));

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(9, 2)).endsWith(TestPipeline.words(8, MOST_SEGMENTS));
        assertThat(rejections).singleElement().satisfies(rejection -> {
            assertThat(rejection.reaction()).isEqualTo(Rejection.Reaction.RDMA2_ERROR);
            assertThat(rejection.option()).isEqualTo("maxSegmentsPerHeader");
            assertThat(rejection)
                    .hasToString("RDMA2_ERROR: xid 0x9, RDMA2_ERR_SEGMENTS, too many segments at octet 24: 3,"
                            + " RpcRdmaConfig.maxSegmentsPerHeader is 2");
        });
    }

    @Test
    void unknownHeaderTypeIsReportedByItsError() {
        pipeline.dropSends();

        pipeline.receive(TestPipeline.words(9, 2, GRANT, 77, 0));

        assertThat(pipeline.sent()).endsWith(TestPipeline.words(4));
        assertThat(rejections).singleElement().asString().startsWith("RDMA2_ERROR: xid 0x9, RDMA2_ERR_INVAL_HTYPE, ");
    }

    @Test
    void brokenSequenceIsReportedForEachOfItsCalls() {
        pipeline.dropSends();
        pipeline.receive(new Rdma2Message.Msg(9, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT), TestPipeline.callHex(9));

        pipeline.receive(new Rdma2Message.Msg(10, GRANT, 0, 0, ChunkLists.ABSENT), TestPipeline.callHex(10));

        assertThat(rejections)
                .extracting(Rejection::xid, Rejection::what)
                .containsExactlyInAnyOrder(tuple(9, "RDMA2_ERR_INVAL_CONT"), tuple(10, "RDMA2_ERR_INVAL_CONT"));
        pipeline.dropSends();
    }

    @Test
    void propertiesInsideACallAreReportedBesideIt() {
        pipeline.dropSends();
        pipeline.receive(new Rdma2Message.Msg(9, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT), TestPipeline.callHex(9));

        pipeline.receive(new Rdma2Message.ConnProp(11, GRANT, 0, List.of()), "");

        assertThat(rejections)
                .extracting(Rejection::xid, Rejection::what)
                .containsExactlyInAnyOrder(tuple(9, "RDMA2_ERR_INVAL_CONT"), tuple(11, "RDMA2_ERR_INVAL_HTYPE"));
        pipeline.dropSends();
    }

    @Test
    void messageThatIsTooShortIsReportedAsDiscarded() {
        pipeline.dropSends();

        pipeline.receive(TestPipeline.words(9, 2, GRANT, 0));

        assertThat(rejections).singleElement().extracting(Rejection::reaction).isEqualTo(Rejection.Reaction.DISCARD);
        assertThat(pipeline.sends()).isZero();
    }
}
