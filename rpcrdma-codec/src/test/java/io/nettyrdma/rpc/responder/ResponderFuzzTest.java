// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.OpaquesBinding;
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.util.Arrays;

/**
 * Any octets as the Sends that a responder receives, and as what its RDMA Reads get. An input is a sequence of
 * messages, each behind an octet that says how many words it has; bit 7 of that octet lets the application answer with
 * a result, otherwise it answers without. Reads get the input itself, from its first octet on.
 */
class ResponderFuzzTest {

    private static final int MAX_CALL_BYTES = 2048;
    private static final RpcRdmaConfig CONFIG = TestLimits.receiveReserve(RpcRdmaConfig.builder(), 0)
            .bindings(OpaquesBinding.BINDINGS)
            .maxCallBytes(MAX_CALL_BYTES)
            .maxPullingBytes(MAX_CALL_BYTES * 3 / 2)
            .creditsGranted(4)
            .build();

    @Requirement({"V1-106", "V1-112"})
    @FuzzTest
    void everyMessageIsAnsweredOrDroppedAndNothingIsKept(byte[] input) {
        byte[] memory = Arrays.copyOf(input, MAX_CALL_BYTES); // no read chunk is longer than a call
        PeerMemory peer = new PeerMemory().holding();
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(CONFIG), peer)) {
            int at = 0;
            while (at < input.length) {
                boolean withResult = input[at] < 0;
                int end = Math.min(input.length, at + 1 + 4 * (input[at] & 0x7f));
                pipeline.receive(Arrays.copyOfRange(input, at + 1, end));
                at = end;
                while (peer.waiting() > 0) {
                    peer.complete(memory);
                }
                answer(pipeline, withResult);
            }
            assertThat(pipeline.channel.isOpen()).isTrue();
        }
    }

    /** Answers what was handed up: it is a call, and its reply is taken. */
    private static void answer(TestPipeline pipeline, boolean withResult) {
        for (ByteBuf call = pipeline.channel.readInbound(); call != null; call = pipeline.channel.readInbound()) {
            int xid = RpcHeaders.xid(call);
            assertThat(call.getInt(4)).isZero();
            assertThat(call.readableBytes()).isLessThanOrEqualTo(MAX_CALL_BYTES);
            call.release();
            ByteBuf reply = pipeline.reply(xid);
            if (withResult) {
                reply.writeInt(40).writeZero(40);
            }
            assertThat(pipeline.channel.writeAndFlush(reply).isDone()).isTrue();
        }
        for (Object sent = pipeline.channel.readOutbound(); sent != null; sent = pipeline.channel.readOutbound()) {
            ReferenceCountUtil.release(sent); // Sends and RDMA Writes
        }
    }
}
