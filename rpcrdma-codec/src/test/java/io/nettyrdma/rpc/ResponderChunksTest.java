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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.WriteChunk;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a requester sees of a responder when it puts arguments and replies into chunks, over RDMA channels. */
@Timeout(60)
class ResponderChunksTest {

    private static final int XID = 0x1234;
    private static final int ARGUMENTS = OncRpc.CALL_BYTES;

    private static RpcRdmaConfig.Builder config() {
        return RpcRdmaConfig.builder().bindings(OpaquesBinding.BINDINGS);
    }

    /** A call with these arguments, whole. */
    static byte[] call(int procedure, byte[]... opaques) {
        return opaques(
                OncRpc.call(Unpooled.buffer().alloc(), XID, OpaquesBinding.PROGRAM, OpaquesBinding.VERSION, procedure),
                opaques);
    }

    /** A reply with these results, whole. */
    static byte[] reply(byte[]... opaques) {
        return opaques(OncRpc.accepted(Unpooled.buffer().alloc(), XID, OncRpc.SUCCESS), opaques);
    }

    private static byte[] opaques(ByteBuf message, byte[]... opaques) {
        for (byte[] opaque : opaques) {
            message.writeInt(opaque.length).writeBytes(opaque).writeZero(-opaque.length & 3);
        }
        byte[] octets = ByteBufUtil.getBytes(message);
        message.release();
        return octets;
    }

    static byte[] pattern(int bytes, int seed) {
        byte[] octets = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            octets[i] = (byte) (seed + i * 7 + (i >> 8));
        }
        return octets;
    }

    /** A message without some of its octets. */
    static byte[] without(byte[] message, int offset, int bytes) {
        byte[] rest = Arrays.copyOf(message, message.length - bytes);
        System.arraycopy(message, offset + bytes, rest, offset, rest.length - offset);
        return rest;
    }

    private static RpcRdmaMessage.Msg msg(ChunkLists chunks) {
        return new RpcRdmaMessage.Msg(XID, 1, 32, chunks);
    }

    private static RpcRdmaMessage.NoMsg noMsg(ChunkLists chunks) {
        return new RpcRdmaMessage.NoMsg(XID, 1, 32, chunks);
    }

    static ChunkLists reads(ReadSegment... segments) {
        return new ChunkLists(List.of(segments), List.of(), null);
    }

    static ChunkLists writes(WriteChunk... chunks) {
        return new ChunkLists(List.of(), List.of(chunks), null);
    }

    static WriteChunk chunk(PlainSegment... segments) {
        return new WriteChunk(List.of(segments));
    }

    @Test
    @Requirement({"V1-041", "V1-042", "V1-060", "V1-103"})
    void argumentInAReadChunkOfTheLinuxShapeIsPulledAndPadded() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] data = pattern(10_001, 1);
            byte[] call = call(OpaquesBinding.OPAQUES, data, new byte[] {9, 9});
            RdmaMemory memory = requester.readable(data);

            requester.send(
                    msg(reads(new ReadSegment(ARGUMENTS + 4, RawRequester.segment(memory)))),
                    without(call, ARGUMENTS + 4, 10_004));

            assertThat(requester.call()).isEqualTo(call);
            assertThat(requester.reply().header()).isEqualTo(new RpcRdmaMessage.Msg(XID, 1, 64, ChunkLists.ABSENT));
            assertThat(requester.posted).containsExactly("read", "send");
        }
    }

    @Test
    @Requirement({"V1-065", "V1-068"})
    void longCallIsPulledWhole() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] call = call(OpaquesBinding.FIXED, pattern(5_001, 3));
            RdmaMemory memory = requester.readable(call);

            requester.send(noMsg(reads(new ReadSegment(0, RawRequester.segment(memory)))), new byte[0]);

            assertThat(requester.call()).isEqualTo(call);
            assertThat(requester.reply().header()).isInstanceOf(RpcRdmaMessage.Msg.class);
        }
    }

    @Test
    @Requirement({"V1-006", "V1-050", "V1-051", "V1-052", "V1-056", "V1-057", "V1-060", "V1-090"})
    void resultGoesToAWriteChunkWithThePadSegmentLinuxAppends() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] data = pattern(6_001, 5);
            byte[] reply = reply(data, new byte[] {7});
            requester.service = call -> Unpooled.wrappedBuffer(reply);
            RdmaMemory first = requester.writable(4_000);
            RdmaMemory second = requester.writable(4_000);
            RdmaMemory pad = requester.writable(4);
            WriteChunk offered =
                    chunk(RawRequester.segment(first), RawRequester.segment(second), RawRequester.segment(pad));

            requester.send(msg(writes(offered)), call(OpaquesBinding.OPAQUES));

            RawRequester.Reply received = requester.reply();
            assertThat(received.header())
                    .isEqualTo(new RpcRdmaMessage.Msg(
                            XID,
                            1,
                            64,
                            writes(chunk(
                                    RawRequester.segment(first),
                                    RawRequester.segment(second, 0, 2_001),
                                    RawRequester.segment(pad, 0, 0)))));
            int content = OncRpc.ACCEPTED_REPLY_BYTES + 4;
            assertThat(received.payload()).isEqualTo(without(reply, content, 6_004));
            assertThat(requester.content(first)).isEqualTo(Arrays.copyOf(data, 4_000));
            byte[] rest = requester.content(second);
            assertThat(Arrays.copyOf(rest, 2_001)).isEqualTo(Arrays.copyOfRange(data, 4_000, 6_001));
            assertThat(Arrays.copyOfRange(rest, 2_001, 4_000)).containsOnly(0xee);
            assertThat(requester.content(pad)).containsOnly(0xee);
            assertThat(requester.posted).containsExactly("write", "write", "send");
        }
    }

    @Test
    @Requirement({"V1-061", "V1-062", "V1-067", "V1-100"})
    void longReplyGoesToTheReplyChunk() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] reply = reply(pattern(5_000, 5));
            requester.service = call -> Unpooled.wrappedBuffer(reply);
            RdmaMemory head = requester.writable(100);
            RdmaMemory tail = requester.writable(8_000);
            WriteChunk offered = chunk(RawRequester.segment(head), RawRequester.segment(tail));

            requester.send(msg(new ChunkLists(List.of(), List.of(), offered)), call(OpaquesBinding.OPAQUES));

            assertThat(requester.reply().header())
                    .isEqualTo(new RpcRdmaMessage.NoMsg(
                            XID,
                            1,
                            64,
                            new ChunkLists(
                                    List.of(),
                                    List.of(),
                                    chunk(
                                            RawRequester.segment(head),
                                            RawRequester.segment(tail, 0, reply.length - 100)))));
            assertThat(requester.content(head)).isEqualTo(Arrays.copyOf(reply, 100));
            assertThat(requester.content(tail)).startsWith(Arrays.copyOfRange(reply, 100, reply.length));
            assertThat(requester.posted).containsExactly("write", "write", "send");
        }
    }
}
