// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Limits;
import io.nettyrdma.rpc.wire.v2.Rdma2Sequence;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MessageKindsTest {

    /** The words of a header, and its kind for the side that makes the connection and for the other one. */
    @ParameterizedTest
    @CsvSource({
        "7 2 65537 5 0 0,           PROPERTIES, PROPERTIES",
        "7 2 65537 5 2 0,           PROPERTIES, PROPERTIES",
        "0 2 65537 1 0 0 0 0 0,     REFRESH,    REFRESH",
        "7 2 65537 1 0 0 0 0 0,     REJECTED,   REJECTED",
        "7 2 65537 99 0,            REJECTED,   REJECTED",
        "7 2 65537 99 1,            DISCARDED,  DISCARDED",
        "7 2 65537 0 0 0 0 0 0 7 0, CALL,       CALL",
        "7 2 65537 0 1 0 0 0 0 7 1, REPLY,      REPLY",
        "7 2 65537 4 1 2,           ERROR,      ERROR",
        "7 2 65537 4 0 2,           DISCARDED,  DISCARDED",
        "7 2 65537 4 1 1 1 1,       ERR_VERS,   ERR_VERS",
        "7 1 64 4 1 1 1,            ERR_VERS,   DISCARDED",
        "7 2 64 4 1 1 1,            ERR_VERS,   DISCARDED",
        "7 1 64 4 2,                ERR_CHUNK,  ERR_CHUNK",
        "7 2 64 4 2,                ERR_CHUNK,  ERR_CHUNK",
        "7 1 64 0 0 0 0,            DISCARDED,  OTHER_VERSION",
        "7 3 64 0 0 0 0,            DISCARDED,  OTHER_VERSION",
        "7 3 64 0 0,                DISCARDED,  DISCARDED",
        "7 2 64,                    DISCARDED,  DISCARDED"
    })
    void bothSidesClassifyByOneRule(String words, MessageKind forRequester, MessageKind forResponder) {
        Rdma2Decoder requester = new Rdma2Decoder(Rdma2Limits.NONE, Direction.REPLY);
        Rdma2Decoder responder = new Rdma2Decoder(Rdma2Limits.NONE, Direction.CALL);
        responder.onVersionFixed();

        assertThat(kind(requester, words)).isEqualTo(forRequester);
        assertThat(kind(responder, words)).isEqualTo(forResponder);
    }

    private static MessageKind kind(Rdma2Decoder decoder, String words) {
        ByteBuf message = Unpooled.buffer();
        Arrays.stream(words.split(" ")).mapToInt(Integer::parseInt).forEach(message::writeInt);
        return MessageKinds.of(decoder.decode(message, Rdma2Sequence.NONE), message);
    }
}
