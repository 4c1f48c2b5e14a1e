// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A listener learns which errors of version 2 are received and sent, by their names. */
class ErrorReportsTest {

    private static final int XID = 0x0a0b_0c0d;
    private static final int GRANT = Rdma2.credits(64, 32);

    private final List<String> messages = new ArrayList<>();
    private final RpcRdmaConfig config = RpcRdmaConfig.builder()
            .versions(2, 2)
            .listener(new RpcRdmaListener() {
                @Override
                public void onSent(Channel channel, RpcRdmaSummary message) {
                    add("sent", message);
                }

                @Override
                public void onReceived(Channel channel, RpcRdmaSummary message) {
                    add("received", message);
                }
            })
            .build();

    private void add(String direction, RpcRdmaSummary message) {
        if (message.procedure() != RpcRdmaSummary.Procedure.RDMA_MSG) {
            messages.add(message.role() + " " + direction + " " + message);
        }
    }

    private static TestPipeline connect(ChannelHandler handler) {
        TestPipeline pipeline = new TestPipeline(handler);
        pipeline.openVersion2(7, GRANT, TransportProperty.sendBytes(8192));
        return pipeline;
    }

    @ParameterizedTest
    @EnumSource(value = Rdma2ErrorCode.class, mode = EnumSource.Mode.EXCLUDE, names = "VERS")
    void requesterReceivesEachErrorByItsName(Rdma2ErrorCode code) {
        try (TestPipeline pipeline = connect(new RpcRdmaRequesterHandler(config))) {
            pipeline.channel.writeAndFlush(pipeline.call(XID));
            pipeline.dropSends();

            pipeline.receive(Rdma2Message.ErrorMsg.of(XID, GRANT, Rdma2Error.of(code)), "");

            int bytes = 24 + 4 * code.arguments();
            assertThat(messages)
                    .containsExactly("REQUESTER received RDMA2_ERR_" + code + " xid 0xa0b0c0d credits 32 header "
                            + bytes + " payload 0");
        }
    }

    @Test
    void responderReceivesErrorsByName() {
        try (TestPipeline pipeline = connect(new RpcRdmaResponderHandler(config))) {
            pipeline.receive(Rdma2Message.ErrorMsg.of(XID, GRANT, Rdma2Error.BAD_XDR), "");

            assertThat(messages)
                    .containsExactly(
                            "RESPONDER received RDMA2_ERR_BAD_XDR xid 0xa0b0c0d credits 32 header 24" + " payload 0");
        }
    }

    @Test
    void responderSendsErrorsByName() {
        try (TestPipeline pipeline = connect(new RpcRdmaResponderHandler(config))) {
            pipeline.receive(TestPipeline.words(XID, 2, GRANT, 77, 0));
            pipeline.receive(TestPipeline.words(XID, 3, 9, 0, 0, 0, 0));

            pipeline.dropSends();
            assertThat(messages)
                    .containsExactly(
                            "RESPONDER sent RDMA2_ERR_INVAL_HTYPE xid 0xa0b0c0d credits 0 header 24 payload 0",
                            "RESPONDER sent ERR_VERS xid 0xa0b0c0d credits 0 header 28 payload 0");
        }
    }
}
