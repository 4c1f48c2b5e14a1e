// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers of a message can be read without its text. */
class ErrorNumbersTest {

    private static final int XID = 7;

    @ParameterizedTest
    @MethodSource("tooLong")
    void lengthAndLimitAreThoseOfTheMessage(MessageTooLargeException e) {
        assertThat(e.xid()).isEqualTo(XID);
        assertThat(e).hasMessageContaining("5000").hasMessageContaining("4096");
        assertThat(e.lengthBytes()).isEqualTo(5000);
        assertThat(e.limitBytes()).isEqualTo(4096);
    }

    static Stream<Arguments> tooLong() {
        return Stream.of(
                arguments(MessageTooLargeException.ofCall(XID, 5000, 4096)),
                arguments(MessageTooLargeException.ofReply(XID, 5000, 4096, "reply chunk", false)),
                arguments(MessageTooLargeException.ofReplyWithoutRoom(XID, 5000, 4096)),
                arguments(MessageTooLargeException.ofReplyBesideOthers(XID, 5000, 4096)),
                arguments(MessageTooLargeException.ofContinuedReply(XID, 5000, 4096)));
    }

    @Test
    void needAndLimitOfChunksAreInOneUnit() {
        for (ChunkLimitException e :
                List.of(ChunkLimitException.ofOctets(XID, 50, 40), ChunkLimitException.ofSegments(XID, 50, 40))) {
            assertThat(e.needed()).isEqualTo(50);
            assertThat(e.limit()).isEqualTo(40);
        }
    }

    @Test
    void chunksAreCountedFrom0() {
        UnexpectedChunksException filled = new UnexpectedChunksException(XID, 2, 300, 200);
        assertThat(filled.chunk()).isEqualTo(2);
        assertThat(filled.chunkBytes()).isEqualTo(300);
        assertThat(filled.resultBytes()).isEqualTo(200);
        UnexpectedChunksException notOffered = new UnexpectedChunksException(XID);
        assertThat(notOffered.chunk()).isEqualTo(-1);
        assertThat(notOffered.chunkBytes()).isZero();
        assertThat(notOffered.resultBytes()).isEqualTo(-1);
        assertThat(new UnreducedResultException(XID, 2).chunk()).isEqualTo(2);
    }

    @Test
    void versionsAreUnsigned() {
        RemoteVersionException e = new RemoteVersionException(XID, 3, -1);

        assertThat(e).hasMessageContaining("versions 3 to 4294967295");
        assertThat(e.lowVersion()).isEqualTo(3);
        assertThat(e.highVersion()).isEqualTo(0xffff_ffffL);
    }

    @Test
    void limitsOfCallsAndTargetsAreCarried() {
        assertThat(new CallQueueFullException(XID, 9).maxCallsWaiting()).isEqualTo(9);
        TooManyCallsException many = new TooManyCallsException(XID, 9, 8);
        assertThat(many.calls()).isEqualTo(9);
        assertThat(many.credits()).isEqualTo(8);
        ReplyTargetTooSmallException small = new ReplyTargetTooSmallException(XID, 100, 200);
        assertThat(small.writableBytes()).isEqualTo(100);
        assertThat(small.resultBytes()).isEqualTo(200);
        ChunkReadTimeoutException reads = new ChunkReadTimeoutException(XID, 3, 400, 5_000_000_000L);
        assertThat(reads.reads()).isEqualTo(3);
        assertThat(reads.bytes()).isEqualTo(400);
        assertThat(reads.timeout()).hasSeconds(5);
    }

    @Test
    void timesThatHavePassedAreCarried() {
        CallTimeoutException unanswered = new CallTimeoutException(XID, true, 5_000_000_000L, "");
        assertThat(unanswered.isSent()).isTrue();
        assertThat(unanswered.timeout()).hasSeconds(5);
        CallTimeoutException unconnected = new CallTimeoutException(XID, 6_000_000_000L, null, null);
        assertThat(unconnected.isSent()).isFalse();
        assertThat(unconnected.timeout()).hasSeconds(6);
        assertThat(SlowPeerException.withoutCredits(XID, 2, 5_000_000_000L).waited())
                .hasSeconds(5);
        assertThat(SlowPeerException.unfinished(XID, 2, 5_000_000_000L).waited())
                .hasSeconds(5);
    }
}
