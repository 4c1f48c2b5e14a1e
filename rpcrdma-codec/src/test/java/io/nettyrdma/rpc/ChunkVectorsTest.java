// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.ScriptedResponder;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.kit.Vectors;
import io.nettyrdma.rpc.kit.Vectors.Vector;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The golden vectors that keep octets in chunks, against the handlers. The files do not say what is in the chunks, so
 * that is made up here, and put together again by other code than the handler's.
 */
class ChunkVectorsTest {

    private static final int PROGRAM = 100003;
    private static final int MAX_CALL_BYTES = 4 << 20;

    static Stream<Vector> calls() {
        return Stream.concat(Vectors.load("v1-pos"), Vectors.load("v1-neg").filter(it -> it.text("expect")
                        .equals("accept")))
                .filter(it -> it.direction() == Direction.CALL && HandlerVectorsTest.hasUsedChunks(it));
    }

    static Stream<Vector> replies() {
        return Vectors.load("v1-pos")
                .filter(it -> it.direction() == Direction.REPLY && HandlerVectorsTest.hasUsedChunks(it));
    }

    /** Replies that a call of this requester can get: its chunks have one segment each, and memory has limits. */
    static Stream<Vector> repliesToChunksOfOneSegment() {
        return replies().filter(it -> Stream.concat(
                        chunks(it).writeList().stream(),
                        Stream.ofNullable(chunks(it).replyChunk()))
                .allMatch(chunk -> chunk.segments().size() == 1 && chunk.lengthBytes() <= MAX_CALL_BYTES));
    }

    /** What the octets alone say, to which the filters above have to come from the fields. */
    @Test
    void noVectorIsLeftOut() {
        assertThat(calls())
                .containsExactlyInAnyOrderElementsOf(Stream.of("v1-pos", "v1-neg")
                        .flatMap(Vectors::load)
                        .filter(it -> !it.has("expect") || it.text("expect").equals("accept"))
                        .filter(it -> it.direction() == Direction.CALL && hasChunksByItsOctets(it))
                        .toList());
        assertThat(replies())
                .containsExactlyInAnyOrderElementsOf(Vectors.load("v1-pos")
                        .filter(it -> it.direction() == Direction.REPLY && hasChunksByItsOctets(it))
                        .toList());
        assertThat(calls()).isNotEmpty();
        assertThat(repliesToChunksOfOneSegment()).isNotEmpty();
    }

    /** RDMA_NOMSG, or RDMA_MSG with a read list, or in a reply an octet in a write chunk; RFC 8166, section 4.3. */
    private static boolean hasChunksByItsOctets(Vector vector) {
        ByteBuf header = vector.buffer("hex").skipBytes(12);
        int procedure = header.readInt();
        if (procedure != 0 || header.readInt() != 0) {
            return procedure <= 1;
        }
        boolean written = false;
        while (vector.direction() == Direction.REPLY && header.readInt() != 0) {
            for (int segments = header.readInt(); segments > 0; segments--) {
                written |= header.skipBytes(4).readInt() != 0;
                header.skipBytes(8);
            }
        }
        return written;
    }

    /** The files number their lines. */
    @ParameterizedTest
    @ValueSource(strings = {"v1-pos", "v1-neg", "pd-pos", "pd-neg", "pd-pairs", "pd-encode"})
    void everyLineOfAFileIsRead(String file) {
        List<Integer> numbers = Vectors.load(file)
                .map(it -> it.text("id"))
                .map(id -> Integer.valueOf(id.substring(id.lastIndexOf('-') + 1)))
                .toList();
        assertThat(numbers)
                .isNotEmpty()
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, numbers.size()).boxed().toList());
    }

    private static ChunkLists chunks(Vector vector) {
        return Vectors.chunks(vector.fields());
    }

    /** A call whose chunks have a content now. */
    private static final class FilledCall {

        final Map<RemoteSegment, byte[]> memory = new HashMap<>();
        final List<XdrItem> items = new ArrayList<>();
        final byte[] whole;

        FilledCall(Vector vector, int xid) {
            TreeMap<Integer, ByteBuf> byPosition = new TreeMap<>();
            for (ReadSegment read : chunks(vector).readList()) {
                PlainSegment segment = read.segment();
                byte[] octets = new byte[(int) segment.lengthBytes()];
                for (int i = 0; i < octets.length; i++) {
                    octets[i] = (byte) (1 + (i * 31 + segment.handle()) % 127);
                }
                ByteBuf chunk = byPosition.computeIfAbsent((int) read.position(), it -> Unpooled.buffer());
                if (read.position() == 0) {
                    writeHeader(octets, chunk.writerIndex(), xid);
                }
                chunk.writeBytes(octets);
                memory.put(ScriptedResponder.remote(segment), octets);
            }
            ByteBuf stream = byPosition.containsKey(0) ? byPosition.remove(0) : inline(vector);
            ByteBuf rebuilt = Unpooled.buffer();
            byPosition.forEach((position, chunk) -> {
                rebuilt.writeBytes(stream, position - rebuilt.writerIndex());
                items.add(new XdrItem(position, chunk.readableBytes()));
                rebuilt.writeBytes(chunk);
                rebuilt.writeZero(-rebuilt.writerIndex() & 3);
            });
            whole = ByteBufUtil.getBytes(rebuilt.writeBytes(stream));
        }

        private static ByteBuf inline(Vector vector) {
            return vector.buffer("hex").skipBytes(RpcRdmaEncoder.headerBytes(chunks(vector)));
        }

        /** The payload stream of a long call begins like a call. */
        private static void writeHeader(byte[] octets, int from, int xid) {
            ByteBuf header = RpcHeaders.call(Unpooled.buffer().alloc(), xid, PROGRAM, 3, 7);
            if (from < header.readableBytes()) {
                header.skipBytes(from).readBytes(octets, 0, Math.min(octets.length, header.readableBytes()));
            }
            header.release();
        }

        UpperLayerBindings bindings() {
            RpcCallHeader header =
                    Objects.requireNonNull(RpcCallHeader.parse(Unpooled.wrappedBuffer(whole)), "no call");
            return UpperLayerBindings.none()
                    .with(header.program(), header.version(), new ItemsBinding(items, ReplyBounds.UNKNOWN));
        }
    }

    @ParameterizedTest
    @MethodSource("calls")
    @Requirement({"V1-029", "V1-031", "V1-041", "V1-042", "V1-084", "V1-089", "V1-100", "BIS-012"})
    void callIsRebuiltFromItsChunksAndAnswered(Vector vector) {
        int xid = (int) Vectors.number(vector.fields(), "xid");
        long bytes = 0;
        for (ReadSegment read : chunks(vector).readList()) {
            bytes += read.segment().lengthBytes();
        }
        if (bytes > MAX_CALL_BYTES) {
            try (TestPipeline pipeline = new TestPipeline(
                            new RpcRdmaResponderHandler(generous(UpperLayerBindings.nfs())))
                    .withLargeThresholds()) {
                pipeline.receive(vector.octets("hex"));
                assertThat(pipeline.sentHeader(Direction.REPLY))
                        .isEqualTo(new RpcRdmaMessage.ErrorMsg(xid, 1, 64, null));
                assertThat(pipeline.delivered()).isEqualTo("none");
            }
            return;
        }
        FilledCall call = new FilledCall(vector, xid);
        PeerMemory memory = new PeerMemory().holding();
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(generous(call.bindings())), memory)
                .withLargeThresholds()) {
            pipeline.receive(vector.octets("hex"));
            while (memory.waiting() > 0) {
                memory.complete(Objects.requireNonNull(call.memory.get(memory.source()), "memory not offered"));
            }

            assertThat(delivered(pipeline)).isEqualTo(call.whole);
            pipeline.channel.writeOutbound(pipeline.reply(xid));
            assertThat(pipeline.sentHeader(Direction.REPLY))
                    .isEqualTo(new RpcRdmaMessage.Msg(xid, 1, 64, withoutReads(chunks(vector))));
            assertThat(pipeline.sends()).isZero();
        }
    }

    /** In one piece, because leak detection notes every access. */
    private static byte[] delivered(TestPipeline pipeline) {
        ByteBuf message = Objects.requireNonNull(pipeline.channel.readInbound(), "nothing was handed up");
        byte[] octets = ByteBufUtil.getBytes(message);
        message.release();
        return octets;
    }

    private static ChunkLists withoutReads(ChunkLists offered) {
        return new ChunkLists(List.of(), offered.writeList(), offered.replyChunk()).asUnused();
    }

    private static RpcRdmaConfig generous(UpperLayerBindings bindings) {
        return HandlerVectorsTest.generous().toBuilder()
                .maxCallBytes(MAX_CALL_BYTES + (1 << 16))
                .bindings(bindings)
                .build();
    }

    /** Memory of a requester under the handles of a vector. */
    private static final class VectorMemory implements CallMemory {
        final Queue<PlainSegment> segments = new ArrayDeque<>();
        final Map<PlainSegment, ByteBuf> exposed = new HashMap<>();

        @Override
        public boolean canBeInvalidatedByPeer() {
            return false;
        }

        @Override
        public Region expose(ByteBuf buffer, RdmaAccess access) {
            PlainSegment next = segments.remove();
            PlainSegment segment = new PlainSegment(next.handle(), buffer.readableBytes(), next.offset());
            exposed.put(next, buffer);
            return new Region() {
                @Override
                public PlainSegment segment() {
                    return segment;
                }

                @Override
                public void invalidate() {
                    exposed.remove(next);
                }

                @Override
                public void release() {
                    buffer.release();
                }
            };
        }
    }

    /** With these arguments, and results that have a length word in front of each. */
    private record ItemsBinding(List<XdrItem> arguments, ReplyBounds bounds) implements UpperLayerBinding {
        @Override
        public boolean mayReduceArguments(RpcCallHeader header) {
            return true;
        }

        @Override
        public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
            return arguments;
        }

        @Override
        public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
            return bounds;
        }

        @Override
        public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
            List<XdrItem> items = new ArrayList<>();
            int at = TestProgram.ACCEPTED_REPLY_BYTES;
            for (int bytes : bounds.reducibleBytes()) {
                boolean isAbsent = reduced.get(items.size());
                items.add(new XdrItem(at + 4, bytes));
                at += 4 + (isAbsent ? 0 : bytes + 3 & ~3);
            }
            return items;
        }
    }

    @ParameterizedTest
    @MethodSource("repliesToChunksOfOneSegment")
    @Requirement({"V1-054", "BIS-009"})
    void replyIsRebuiltFromTheChunksOfItsCall(Vector vector) {
        ChunkLists returned = chunks(vector);
        int xid = (int) Vectors.number(vector.fields(), "xid");
        List<Integer> lengths = new ArrayList<>();
        VectorMemory memory = new VectorMemory();
        int resultBytes = 0;
        for (WriteChunk chunk : returned.writeList()) {
            lengths.add((int) chunk.lengthBytes());
            resultBytes += lengths.get(lengths.size() - 1) + 3 & ~3;
            memory.segments.add(chunk.segments().get(0));
        }
        PlainSegment replyChunk =
                Objects.requireNonNull(returned.replyChunk()).segments().get(0);
        memory.segments.add(replyChunk);
        int streamBytes = (int) replyChunk.lengthBytes();
        UpperLayerBinding binding = new ItemsBinding(List.of(), new ReplyBounds(streamBytes + resultBytes, lengths));
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .bindings(UpperLayerBindings.none().with(PROGRAM, 3, binding))
                .fixed(f -> f.writeChunksPerCall = 4)
                .build();
        RpcRdmaRequesterHandler handler = new RpcRdmaRequesterHandler(config, ctx -> memory);
        try (TestPipeline pipeline = new TestPipeline(handler).withLargeThresholds()) {
            // In memory that the application has named, so that write chunks stay although there is a reply chunk too.
            ByteBuf target = Unpooled.directBuffer(Math.max(1, lengths.isEmpty() ? 1 : lengths.get(0)));
            RpcRdmaCall call = RpcRdmaCall.of(pipeline.call(xid));
            pipeline.channel.writeOutbound(lengths.isEmpty() ? call : call.replyInto(target));
            pipeline.dropSends();
            Map<PlainSegment, byte[]> written = new HashMap<>();
            memory.exposed.forEach((segment, buffer) -> written.put(segment, fill(buffer, segment, xid)));

            pipeline.receive(vector.octets("hex"));

            ByteBuf expected = Unpooled.buffer();
            ByteBuf stream = Unpooled.wrappedBuffer(Objects.requireNonNull(written.get(replyChunk)));
            expected.writeBytes(stream, lengths.isEmpty() ? 0 : TestProgram.ACCEPTED_REPLY_BYTES);
            for (WriteChunk chunk : returned.writeList()) {
                expected.writeBytes(stream, 4);
                expected.writeBytes(written.get(chunk.segments().get(0)), 0, (int) chunk.lengthBytes());
                expected.writeZero(-expected.writerIndex() & 3);
            }
            expected.writeBytes(stream);
            assertThat(delivered(pipeline)).isEqualTo(ByteBufUtil.getBytes(expected));
            assertThat(memory.exposed).isEmpty();
            target.release();
        }
    }

    /** What the responder writes; in the reply chunk, the beginning of a reply. */
    private static byte[] fill(ByteBuf buffer, PlainSegment segment, int xid) {
        byte[] octets = new byte[buffer.readableBytes()];
        for (int i = 0; i < octets.length; i++) {
            octets[i] = (byte) (1 + (i * 13 + segment.handle()) % 127);
        }
        buffer.setBytes(buffer.readerIndex(), octets);
        if (buffer.readableBytes() >= TestProgram.ACCEPTED_REPLY_BYTES) {
            ByteBuf header = RpcHeaders.accepted(Unpooled.buffer().alloc(), xid, RpcHeaders.SUCCESS);
            buffer.setBytes(buffer.readerIndex(), header);
            header.release();
        }
        return ByteBufUtil.getBytes(buffer);
    }
}
