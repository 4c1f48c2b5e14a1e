// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The smallest message of each kind, as the code has made it that rpcgen generates from the XDR of draft -01, and the
 * answer that a version 1 server of Linux gives to properties.
 */
class SmallestExamplesTest {

    private static final int CLIENT = Rdma2.credits(144, 1);
    private static final int SERVER = Rdma2.credits(64, 1);
    private static final ChunkLists NONE = ChunkLists.ABSENT;
    private static final int FRAGMENTED = 0x1a2b3c02;
    private static final int LONG = 0x1a2b3c03;
    private static final int FAILED = 0x1a2b3c05;

    static Stream<Arguments> examples() {
        return Stream.of(
                Arguments.of(
                        "call",
                        new Rdma2Message.Msg(Words.XID, CLIENT, 0, 0, NONE),
                        """
                        1a2b3c01 00000002 00900001 00000000 00000000 00000000 00000000 00000000 00000000
                        | 1a2b3c01 00000000 00000002 000186a3 00000003 00000000 00000000 00000000 00000000 00000000
                        """),
                Arguments.of(
                        "reply",
                        new Rdma2Message.Msg(Words.XID, SERVER, Rdma2.RESPONSE, 0, NONE),
                        """
                        1a2b3c01 00000002 00400001 00000000 00000001 00000000 00000000 00000000 00000000
                        | 1a2b3c01 00000001 00000000 00000000 00000000 00000000
                        """),
                Arguments.of(
                        "first fragment",
                        new Rdma2Message.Msg(FRAGMENTED, CLIENT, Rdma2.MORE, 0, NONE),
                        """
                        1a2b3c02 00000002 00900001 00000000 00000002 00000000 00000000 00000000 00000000
                        | 1a2b3c02 00000000 00000002 000186a3
                        """),
                Arguments.of(
                        "second fragment",
                        new Rdma2Message.Msg(FRAGMENTED, Rdma2.credits(144, 0), Rdma2.MORE, 0, NONE),
                        """
                        1a2b3c02 00000002 00900000 00000000 00000002 00000000 00000000 00000000 00000000
                        | 00000003 00000000 00000000 00000000
                        """),
                Arguments.of(
                        "last fragment",
                        new Rdma2Message.Msg(FRAGMENTED, Rdma2.credits(144, 0), 0, 0, NONE),
                        """
                        1a2b3c02 00000002 00900000 00000000 00000000 00000000 00000000 00000000 00000000
                        | 00000000 00000000
                        """),
                Arguments.of(
                        "long call",
                        new Rdma2Message.NoMsg(
                                LONG,
                                CLIENT,
                                0,
                                0xaabb0001,
                                new ChunkLists(
                                        List.of(new ReadSegment(
                                                0, new PlainSegment(0xaabb0001, 8192, 0x7f00_0000_1000L))),
                                        List.of(),
                                        reply(16384))),
                        """
                        1a2b3c03 00000002 00900001 00000001 00000000 aabb0001
                        00000001 00000000 aabb0001 00002000 00007f00 00001000 00000000
                        00000000 00000001 00000001 ccdd0001 00004000 00007f00 00200000 |
                        """),
                Arguments.of(
                        "long reply",
                        new Rdma2Message.NoMsg(
                                LONG, SERVER, Rdma2.RESPONSE, 0, new ChunkLists(List.of(), List.of(), reply(9000))),
                        """
                        1a2b3c03 00000002 00400001 00000001 00000001 00000000 00000000 00000000
                        00000001 00000001 ccdd0001 00002328 00007f00 00200000 |
                        """),
                Arguments.of(
                        "refresh",
                        new Rdma2Message.CreditGrant(Rdma2.credits(144, 8)),
                        "00000000 00000002 00900008 00000001 00000000 00000000 00000000 00000000 00000000 |"),
                Arguments.of(
                        "smallest set of a client",
                        new Rdma2Message.ConnProp(
                                0x1a2b3c00, Rdma2.credits(144, 15), 0, List.of(TransportProperty.receiveBytes(8192))),
                        "1a2b3c00 00000002 0090000f 00000005 00000000 00000001 00000002 00000004 00002000 |"),
                Arguments.of(
                        "empty set",
                        new Rdma2Message.ConnProp(0, Rdma2.credits(64, 64), 0, List.of()),
                        "00000000 00000002 00400040 00000005 00000000 00000000 |"),
                Arguments.of(
                        "default, more follow",
                        new Rdma2Message.ConnProp(
                                0,
                                Rdma2.credits(64, 64),
                                Rdma2.TPMORE,
                                List.of(TransportProperty.of(Rdma2.SBSIZ, new byte[0]))),
                        "00000000 00000002 00400040 00000005 00000004 00000001 00000001 00000000 |"),
                Arguments.of(
                        "all properties",
                        new Rdma2Message.ConnProp(0x1a2b3c00, Rdma2.credits(144, 15), 0, all()),
                        """
                        1a2b3c00 00000002 0090000f 00000005 00000000 00000006 00000001 00000004 00002000 00000002
                        00000004 00002000 00000003 00000004 40000000 00000004 00000004 00000040 00000005 00000004
                        00000003 00000006 00000008 00000003 6b657900 |
                        """),
                error(Rdma2Error.BAD_XDR, "00000002"),
                error(Rdma2Error.BAD_PROPVAL, "00000003"),
                error(Rdma2Error.INVAL_HTYPE, "00000004"),
                error(Rdma2Error.INVAL_CONT, "00000005"),
                error(Rdma2Error.readChunks(1), "00000006 00000001"),
                error(Rdma2Error.writeChunks(1), "00000007 00000001"),
                error(Rdma2Error.segments(16), "00000008 00000010"),
                error(Rdma2Error.writeResource(1, 5000), "00000009 00000001 00001388"),
                error(Rdma2Error.replyResource(20000), "0000000a 00004e20"),
                error(Rdma2Error.SYSTEM, "00000064"),
                Arguments.of(
                        "answer of Linux to properties",
                        Rdma2Message.ErrorMsg.versions(0x1a2b3c00, 2, 64, 1, 1),
                        "1a2b3c00 00000002 00000040 00000004 00000001 00000001 00000001 |"));
    }

    private static Arguments error(Rdma2Error error, String body) {
        return Arguments.of(
                error.code().name(),
                Rdma2Message.ErrorMsg.of(FAILED, SERVER, error),
                "1a2b3c05 00000002 00400001 00000004 00000001 " + body + " |");
    }

    private static WriteChunk reply(int bytes) {
        return new WriteChunk(List.of(new PlainSegment(0xccdd0001, bytes, 0x7f00_0020_0000L)));
    }

    private static List<TransportProperty> all() {
        return List.of(
                TransportProperty.sendBytes(8192),
                TransportProperty.receiveBytes(8192),
                TransportProperty.segmentBytes(1 << 30),
                TransportProperty.segmentsPerHeader(64),
                TransportProperty.reverseLevel(ReverseLevel.GENL),
                TransportProperty.hostAuthentication(new byte[] {'k', 'e', 'y'}));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    @Requirement({
        "V2-005", "V2-007", "V2-078", "V2-093", "V2-095", "V2-096", "V2-101", "V2-102", "V2-117", "V2-123", "V2-124",
        "V2-126", "V2-127", "V2-135"
    })
    void messageIsWrittenAndReadOctetByOctet(String name, Rdma2Message message, String dump) {
        String[] parts = dump.split("\\|", 2);
        ByteBuf header = Words.parse(parts[0]);
        ByteBuf received = parts[1].isBlank() ? header : Unpooled.wrappedBuffer(header, Words.parse(parts[1]));
        ByteBuf out = Unpooled.buffer();

        Rdma2Encoder.encode(message, out);

        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(ByteBufUtil.hexDump(header));
        assertThat(Rdma2Encoder.encodedBytes(message)).isEqualTo(header.readableBytes());
        Rdma2Sequence sequence = name.equals("last fragment") ? Rdma2Sequence.PAYLOAD : Rdma2Sequence.NONE;
        assertThat(new Rdma2Decoder(Rdma2Limits.NONE, Direction.REPLY).decode(received, sequence))
                .isEqualTo(message);
    }

    @Test
    void versionErrorAsTheDraftHasItIsUnderstood() {
        ByteBuf error = Words.parse("1a2b3c05 00000002 00400001 00000004 00000001 00000001 00000001 00000002");

        assertThat(new Rdma2Decoder(Rdma2Limits.NONE, Direction.REPLY).decode(error, Rdma2Sequence.NONE))
                .isEqualTo(Rdma2Message.ErrorMsg.of(FAILED, SERVER, Rdma2Error.versions(1, 2)));
    }
}
