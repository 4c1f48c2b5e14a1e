// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.captures;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.captures.TcpCapture;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Linux talking to Linux, NFS 3, NFS 4.1 and rping over siw, through the decoders of both libraries: no octet is left,
 * every header is encoded to the same octets again, and everything is what tshark has printed into the tables beside
 * the captures.
 */
final class LinuxCaptureTest {

    private static final int CALL = 0;

    private static DecodedCapture decode(String resource) throws Exception {
        List<CapturedConnection> connections = TcpCapture.connections(LinuxCaptureTest.class, "/captures/" + resource);
        assertThat(connections).hasSize(1);
        return new DecodedCapture(connections.get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfsv3-siw.pcap.gz", "nfsv41-siw.pcap.gz", "rping-siw.pcap"})
    void segmentsAreThoseOfTshark(String resource) throws Exception {
        DecodedCapture capture = decode(resource);
        for (DecodedCapture.Direction d : capture.directions()) {
            List<String> actual = new ArrayList<>();
            for (ByteBuffer ulpdu : d.ulpdus) {
                actual.add(d.port + "|" + segment(ulpdu));
            }
            assertThat(actual).isEqualTo(table(resource, "fpdus", d.port));
        }
        // A capture that shows nothing would prove nothing.
        assertThat(capture.forth.ulpdus).isNotEmpty();
        assertThat(capture.back.ulpdus).isNotEmpty();
    }

    private static String segment(ByteBuffer u) {
        boolean tagged = Ddp.isTagged(u, 0);
        String start = String.format(
                "%d|%d|%d|0x%02x|", u.limit(), tagged ? 1 : 0, Ddp.isLast(u, 0) ? 1 : 0, Ddp.opcode(u, 0));
        return start
                + (tagged
                        ? String.format("0x%08x|0x%016x|||", Ddp.stag(u, 0), Ddp.taggedOffset(u, 0))
                        : String.format(
                                "||%d|%d|%d",
                                Ddp.queueNumber(u, 0), Ddp.messageSequence(u, 0), Ddp.messageOffset(u, 0)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfsv3-siw.pcap.gz", "nfsv41-siw.pcap.gz", "rping-siw.pcap"})
    void readRequestsAreThoseOfTsharkAndEachIsAnsweredInFull(String resource) throws Exception {
        DecodedCapture capture = decode(resource);
        for (DecodedCapture.Direction d : capture.directions()) {
            List<String> actual = new ArrayList<>();
            List<String> asked = new ArrayList<>();
            for (ByteBuffer ulpdu : d.reads()) {
                int at = Ddp.UNTAGGED_HEADER_BYTES;
                String sink = String.format(
                        "0x%08x|0x%016x|%d",
                        ReadRequest.sinkStag(ulpdu, at),
                        ReadRequest.sinkOffset(ulpdu, at),
                        Integer.toUnsignedLong(ReadRequest.size(ulpdu, at)));
                asked.add(sink);
                actual.add(d.port + "|" + sink
                        + String.format(
                                "|0x%08x|0x%016x",
                                ReadRequest.sourceStag(ulpdu, at), ReadRequest.sourceOffset(ulpdu, at)));
            }
            assertThat(actual).isEqualTo(table(resource, "reads", d.port));
            assertThat((d == capture.forth ? capture.back : capture.forth).responses())
                    .isEqualTo(asked);
        }
        assertThat(capture.back.reads()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfsv3-siw.pcap.gz", "nfsv41-siw.pcap.gz"})
    void messagesAreThoseOfTsharkAndSurviveTheRoundTrip(String resource) throws Exception {
        DecodedCapture capture = decode(resource);
        for (DecodedCapture.Direction d : capture.directions()) {
            List<String> actual = new ArrayList<>();
            for (byte[] send : d.sends()) {
                actual.add(d.port + "|" + message(send, d == capture.forth ? Direction.CALL : Direction.REPLY));
            }
            assertThat(actual).isEqualTo(table(resource, "rpcrdma", d.port));
        }
        assertThat(CmPrivateData.find(capture.forth.frame.privateData()))
                .isEqualTo(new CmPrivateData(true, 4096, 4096));
        assertThat(CmPrivateData.find(capture.back.frame.privateData()))
                .isEqualTo(new CmPrivateData(false, 4096, 4096));
    }

    private static String message(byte[] octets, Direction direction) {
        ByteBuf in = Unpooled.wrappedBuffer(octets);
        Decoded decoded = new RpcRdmaDecoder(DecodeLimits.NONE).decode(in, direction);
        assertThat(decoded).isInstanceOf(RpcRdmaMessage.class);
        RpcRdmaMessage m = (RpcRdmaMessage) decoded;
        int header = RpcRdmaEncoder.encodedBytes(m);
        ByteBuf out = Unpooled.buffer(header);
        RpcRdmaEncoder.encode(m, out);
        assertThat(out).isEqualTo(in.slice(0, header));
        boolean inline = m instanceof RpcRdmaMessage.Msg;
        ChunkLists chunks = inline ? ((RpcRdmaMessage.Msg) m).chunks() : ((RpcRdmaMessage.NoMsg) m).chunks();
        if (inline) {
            // What follows is an RPC message of the same transaction, in the direction of its Send.
            assertThat(in.getInt(header)).isEqualTo(m.xid());
            assertThat(in.getInt(header + 4) == CALL).isEqualTo(direction == Direction.CALL);
        } else {
            assertThat(octets).hasSize(header);
        }
        String fixed = String.format(
                "0x%08x|%d|%d|%d|%d|%d|%d|",
                m.xid(),
                m.version(),
                m.credits(),
                inline ? 0 : 1,
                chunks.readList().size(),
                chunks.writeList().size(),
                chunks.replyChunk() == null ? 0 : 1);
        return fixed + lists(chunks);
    }

    private static String lists(ChunkLists chunks) {
        List<PlainSegment> segments = new ArrayList<>();
        chunks.readList().forEach(s -> segments.add(s.segment()));
        List<WriteChunk> written = new ArrayList<>(chunks.writeList());
        if (chunks.replyChunk() != null) {
            written.add(chunks.replyChunk());
        }
        written.forEach(c -> segments.addAll(c.segments()));
        return String.join(
                "|",
                join(chunks.readList(), ReadSegment::position),
                join(segments, s -> String.format("0x%08x", s.handle())),
                join(segments, PlainSegment::lengthBytes),
                join(segments, s -> String.format("0x%016x", s.offset())),
                join(written, c -> c.segments().size()));
    }

    private static <T> String join(List<T> list, Function<T, Object> field) {
        return list.stream().map(field).map(Object::toString).collect(Collectors.joining(","));
    }

    /** Lines of one direction. */
    private static List<String> table(String capture, String table, int port) throws IOException {
        String resource = "/captures/" + capture.replaceFirst("\\..*", "") + "." + table + ".txt";
        try (InputStream in = LinuxCaptureTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(port + "|"))
                    .toList();
        }
    }
}
