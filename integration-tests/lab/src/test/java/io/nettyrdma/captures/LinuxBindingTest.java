// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.captures;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.verbs.soft.captures.TcpCapture;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The bindings of NFS and what the Linux client and server really put into chunks: the same items, found without
 * looking at the chunk lists, and no reply longer than its bound.
 */
final class LinuxBindingTest {

    private static final RpcRdmaDecoder DECODER = new RpcRdmaDecoder(DecodeLimits.NONE);
    private static final BitSet WHOLE = new BitSet();

    /** A call with its arguments in place, and what it offers for the data of its reply. */
    private record Call(RpcCallHeader header, ByteBuf message, long offeredBytes) {
        UpperLayerBinding binding() {
            return UpperLayerBindings.nfs().of(header);
        }
    }

    private int readChunks;
    private int writeChunks;
    private int replyChunks;
    private int inlineItems;

    @ParameterizedTest
    @CsvSource({
        // Inline: a SYMLINK. In reply chunks: a READLINK each.
        "nfsv3-siw.pcap.gz, 3, 5, 65, 1",
        "nfsv41-siw.pcap.gz, 2, 4, 6, 0"
    })
    @Requirement({"V1-028", "V1-032", "V1-036", "V1-037", "V1-038", "V1-049"})
    void bindingsFindWhatLinuxReduces(String resource, int reads, int writes, int replies, int inline)
            throws Exception {
        DecodedCapture capture =
                new DecodedCapture(TcpCapture.connections(LinuxBindingTest.class, "/captures/" + resource)
                        .get(0));
        Map<Integer, Call> calls = new HashMap<>();
        for (byte[] send : capture.forth.sends()) {
            Call call = call(Unpooled.wrappedBuffer(send));
            calls.put(call.header.xid(), call);
        }
        for (byte[] send : capture.back.sends()) {
            ByteBuf in = Unpooled.wrappedBuffer(send);
            reply(in, Objects.requireNonNull(calls.remove(in.getInt(0))), capture);
        }
        assertThat(calls).isEmpty();
        assertThat(List.of(readChunks, writeChunks, replyChunks, inlineItems))
                .containsExactly(reads, writes, replies, inline);
    }

    private Call call(ByteBuf in) {
        RpcRdmaMessage.Msg msg = (RpcRdmaMessage.Msg) DECODER.decode(in, Direction.CALL);
        ByteBuf message = in.slice().skipBytes(RpcRdmaEncoder.encodedBytes(msg));
        int position = 0;
        long bytes = 0;
        for (var segment : msg.chunks().readList()) {
            position = (int) segment.position();
            bytes += segment.segment().lengthBytes();
        }
        if (bytes > 0) {
            message = inserted(message, position, (int) bytes);
        }
        RpcCallHeader header = Objects.requireNonNull(RpcCallHeader.parse(message));
        long offered = msg.chunks().writeList().stream()
                .mapToLong(LinuxBindingTest::bytes)
                .sum();
        Call call = new Call(header, message, offered);
        List<XdrItem> items = call.binding().reducibleArguments(header, message);
        if (bytes > 0) {
            readChunks++;
            assertThat(call.binding().mayReduceArguments(header)).isTrue();
            assertThat(items).containsExactly(new XdrItem(position, (int) bytes));
        } else if (!items.isEmpty()) {
            inlineItems++;
            assertThat(items).hasSize(1);
            assertThat(endOf(items.get(0))).isEqualTo(message.readableBytes());
        }
        return call;
    }

    private void reply(ByteBuf in, Call call, DecodedCapture capture) {
        RpcRdmaMessage decoded = (RpcRdmaMessage) DECODER.decode(in, Direction.REPLY);
        UpperLayerBinding binding = call.binding();
        ByteBuf message;
        long bytes = 0;
        if (decoded instanceof RpcRdmaMessage.NoMsg noMsg) {
            replyChunks++;
            message = placed(Objects.requireNonNull(noMsg.chunks().replyChunk()), capture);
        } else {
            RpcRdmaMessage.Msg msg = (RpcRdmaMessage.Msg) decoded;
            message = in.slice().skipBytes(RpcRdmaEncoder.encodedBytes(msg));
            for (WriteChunk chunk : msg.chunks().writeList()) {
                bytes += bytes(chunk);
            }
        }
        if (bytes > 0) {
            writeChunks++;
            BitSet first = new BitSet();
            first.set(0);
            List<XdrItem> items = binding.reducibleResults(call.header, message, first);
            assertThat(items).extracting(XdrItem::lengthBytes).containsExactly((int) bytes);
            message = inserted(message, items.get(0).offset(), (int) bytes);
            assertThat(binding.reducibleResults(call.header, message, WHOLE)).isEqualTo(items);
        }
        expectBounds(call, message);
    }

    /** Nothing is longer than it was said to be, and Linux keeps room for as much as the binding says. */
    private static void expectBounds(Call call, ByteBuf reply) {
        ReplyBounds bounds = call.binding().replyBounds(call.header, call.message);
        List<XdrItem> items = call.binding().reducibleResults(call.header, reply, WHOLE);
        assertThat(bounds.maxBytes()).isGreaterThanOrEqualTo(reply.readableBytes());
        assertThat(bounds.reducibleBytes()).hasSameSizeAs(items);
        for (int i = 0; i < items.size(); i++) {
            assertThat(items.get(i).lengthBytes())
                    .isLessThanOrEqualTo(bounds.reducibleBytes().get(i));
            // The last operation of every such reply in these captures.
            assertThat(endOf(items.get(i))).isEqualTo(reply.readableBytes());
        }
        if (call.offeredBytes > 0) {
            int padded = bounds.reducibleBytes().get(0) + 3 & ~3;
            assertThat((long) padded).isEqualTo(call.offeredBytes);
        }
    }

    private static int endOf(XdrItem item) {
        return item.offset() + (item.lengthBytes() + 3 & ~3);
    }

    private static long bytes(WriteChunk chunk) {
        return chunk.segments().stream().mapToLong(PlainSegment::lengthBytes).sum();
    }

    /** The message with content and padding put back; what the content is does not matter. */
    private static ByteBuf inserted(ByteBuf message, int position, int bytes) {
        return Unpooled.buffer()
                .writeBytes(message, message.readerIndex(), position)
                .writeZero(bytes + 3 & ~3)
                .writeBytes(message, message.readerIndex() + position, message.readableBytes() - position);
    }

    /** What was written into the segments of a chunk. */
    private static ByteBuf placed(WriteChunk chunk, DecodedCapture capture) {
        ByteBuf whole = Unpooled.buffer();
        for (PlainSegment segment : chunk.segments()) {
            int length = (int) segment.lengthBytes();
            byte[] memory = new byte[length];
            int written = 0;
            for (ByteBuffer ulpdu : capture.back.ulpdus) {
                if (Ddp.opcode(ulpdu, 0) != RdmapOpcode.WRITE || Ddp.stag(ulpdu, 0) != segment.handle()) {
                    continue;
                }
                long offset = Ddp.taggedOffset(ulpdu, 0) - segment.offset();
                int bytes = ulpdu.limit() - Ddp.TAGGED_HEADER_BYTES;
                if (offset >= 0 && offset + bytes <= length) {
                    ulpdu.get(Ddp.TAGGED_HEADER_BYTES, memory, (int) offset, bytes);
                    written += bytes;
                }
            }
            assertThat(written).isEqualTo(length);
            whole.writeBytes(memory);
        }
        return whole;
    }
}
