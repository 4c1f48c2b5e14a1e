// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the two roles offer, accept and agree on. */
final class MpaNegotiationTest {

    private static final byte[] NONE = {};

    private static MpaFrame request(boolean crc, int revision, EnhancedData enhanced) {
        return new MpaFrame(false, false, crc, false, revision, enhanced, NONE);
    }

    private static MpaFrame reply(boolean crc, EnhancedData enhanced) {
        return new MpaFrame(true, false, crc, false, enhanced == null ? 1 : 2, enhanced, NONE);
    }

    private static MpaResponder responder(CrcMode mode, EnhancedData enhanced) {
        return new MpaResponder(mode, 128, request(false, 2, enhanced));
    }

    @Test
    void initiatorAsksForCrcAndNeverForMarkersOrThePeerToPeerModel() {
        MpaFrame frame = new MpaInitiator(CrcMode.PREFER, 128, 16, 4, NONE).request();
        assertThat(frame.crc()).isTrue();
        assertThat(frame.markers()).isFalse();
        assertThat(frame.revision()).isEqualTo(2);
        assertThat(frame.enhanced()).isEqualTo(EnhancedData.clientServer(16, 4));
        assertThat(new MpaInitiator(CrcMode.NEVER, 128, 16, 4, NONE).request().crc())
                .isFalse();
    }

    @ParameterizedTest(name = "offered {0}/{1}, replied {2}/{3}: {4}/{5}")
    @CsvSource({
        // offered IRD, ORD; replied IRD, ORD; agreed IRD, ORD
        "16, 16, 16, 16, 16, 16",
        "16, 16, 4, 2, 16, 4", // our ORD at most the responder's IRD
        "16, 0, 8, 128, 128, 0", // the responder may exceed our offer, as Linux does
        "0, 128, 0, 0, 0, 0",
        "16, 8, 16383, 16383, 16, 8", // what is not to be negotiated stays as it is
        "16, 8, 4, 16383, 16, 4",
    })
    void initiatorFollowsTheReply(int ird, int ord, int replyIrd, int replyOrd, int agreedIrd, int agreedOrd) {
        MpaInitiator initiator = new MpaInitiator(CrcMode.PREFER, 128, ird, ord, NONE);
        MpaFrame reply = reply(true, EnhancedData.clientServer(replyIrd, replyOrd));
        assertThat(initiator.isBeyondDepth(reply)).isFalse();
        assertThat(initiator.terms(reply)).isEqualTo(new MpaTerms(true, agreedIrd, agreedOrd, true));
    }

    @Test
    void initiatorCannotHoldMoreReadsThanPossible() {
        MpaInitiator initiator = new MpaInitiator(CrcMode.PREFER, 128, 128, 128, NONE);
        assertThat(initiator.isBeyondDepth(reply(true, EnhancedData.clientServer(0, 129))))
                .isTrue();
        assertThat(initiator.isBeyondDepth(reply(true, EnhancedData.clientServer(0, 128))))
                .isFalse();
    }

    @Test
    void initiatorTakesAnUnenhancedReplyWithItsOwnDepths() {
        MpaInitiator initiator = new MpaInitiator(CrcMode.PREFER, 128, 8, 4, NONE);
        assertThat(initiator.terms(reply(false, null))).isEqualTo(new MpaTerms(true, 8, 4, false));
    }

    @Test
    void crcIsOnIfEitherSideWantsIt() {
        EnhancedData depths = EnhancedData.clientServer(1, 1);
        assertThat(new MpaInitiator(CrcMode.NEVER, 128, 1, 1, NONE)
                        .terms(reply(false, depths))
                        .crc())
                .isFalse();
        assertThat(new MpaInitiator(CrcMode.PREFER, 128, 1, 1, NONE)
                        .terms(reply(false, depths))
                        .crc())
                .isTrue();
        assertThat(new MpaInitiator(CrcMode.NEVER, 128, 1, 1, NONE)
                        .terms(reply(true, depths))
                        .crc())
                .isTrue();
        assertThat(responder(CrcMode.PREFER, depths).terms(1, 1).crc()).isFalse();
        assertThat(responder(CrcMode.REQUIRE, depths).terms(1, 1).crc()).isTrue();
        assertThat(new MpaResponder(CrcMode.PREFER, 128, request(true, 2, depths))
                        .terms(1, 1)
                        .crc())
                .isTrue();
    }

    @Test
    void crcSwitchedOffRefusesAPeerThatWantsIt() {
        EnhancedData depths = EnhancedData.clientServer(1, 1);
        assertThat(new MpaResponder(CrcMode.NEVER, 128, request(true, 2, depths)).refuse())
                .contains("CRC");
        assertThat(new MpaResponder(CrcMode.NEVER, 128, request(false, 2, depths)).refuse())
                .isNull();
        assertThat(new MpaInitiator(CrcMode.NEVER, 128, 1, 1, NONE).refuse(reply(true, depths)))
                .contains("CRC");
    }

    @Test
    void markersAreRefusedByBothRoles() {
        MpaFrame request = new MpaFrame(false, true, false, false, 2, EnhancedData.clientServer(1, 1), NONE);
        assertThat(new MpaResponder(CrcMode.PREFER, 128, request).refuse()).contains("markers");
        MpaFrame reply = new MpaFrame(true, true, false, false, 2, EnhancedData.clientServer(1, 1), NONE);
        assertThat(new MpaInitiator(CrcMode.PREFER, 128, 1, 1, NONE).refuse(reply))
                .contains("markers");
    }

    @ParameterizedTest(name = "asked {0}/{1}, application {2}/{3}: {4}/{5}")
    @CsvSource({
        // asked IRD, ORD; application IRD, ORD; answered IRD, ORD
        "128, 0, 0, 128, 0, 128", // Linux NFS client and server
        "128, 0, 0, 0, 0, 1", // never ORD 0 if a Read could be needed
        "0, 128, 16, 16, 128, 0", // the initiator holds none
        "5, 5, 0, 0, 5, 1",
        "200, 300, 16, 16, 128, 16",
        "4, 4, 128, 128, 128, 4",
    })
    void responderKeepsItsDepthsWithinTheRelationsOfRfc6581(
            int askedIrd, int askedOrd, int ird, int ord, int answeredIrd, int answeredOrd) {
        MpaResponder responder = responder(CrcMode.PREFER, EnhancedData.clientServer(askedIrd, askedOrd));
        MpaTerms terms = responder.terms(ird, ord);
        assertThat(terms).isEqualTo(new MpaTerms(false, answeredIrd, answeredOrd, true));
        assertThat(responder.accept(terms, NONE).enhanced())
                .isEqualTo(EnhancedData.clientServer(answeredIrd, answeredOrd));
    }

    @Test
    void responderLeavesDepthsAloneThatAreNotToBeNegotiated() {
        MpaResponder responder = responder(CrcMode.PREFER, EnhancedData.clientServer(0x3fff, 0x3fff));
        MpaTerms terms = responder.terms(8, 4);
        assertThat(terms).isEqualTo(new MpaTerms(false, 8, 4, true));
        assertThat(responder.accept(terms, NONE).enhanced()).isEqualTo(EnhancedData.clientServer(0x3fff, 0x3fff));
    }

    @Test
    void responderAnswersAnUnenhancedRequestUnenhanced() {
        MpaResponder responder = new MpaResponder(CrcMode.PREFER, 128, request(true, 1, null));
        MpaTerms terms = responder.terms(8, 4);
        assertThat(terms).isEqualTo(new MpaTerms(true, 8, 4, false));
        MpaFrame reply = responder.accept(terms, NONE);
        assertThat(reply.enhanced()).isNull();
        assertThat(reply.revision()).isEqualTo(1);
        assertThat(reply.crc()).isTrue();
    }

    @Test
    void rejectOfAnEnhancedRequestIsEnhanced() {
        MpaFrame reply =
                responder(CrcMode.PREFER, EnhancedData.clientServer(4, 4)).reject(NONE);
        assertThat(reply.rejected()).isTrue();
        assertThat(reply.enhanced()).isNotNull();
    }

    @ParameterizedTest(name = "Send {0}, Write {1}, Read {2}")
    @CsvSource({
        "false, true, false, false",
        "true, true, true, false",
        "false, false, true, true",
        "true, false, false, false"
    })
    void responderPicksOneReadyMessageAndNeverTheSend(boolean send, boolean write, boolean read, boolean expectRead) {
        MpaResponder responder = responder(CrcMode.PREFER, new EnhancedData(true, send, write, read, 4, 0));
        MpaTerms terms = responder.terms(0, 0);
        EnhancedData answer = responder.accept(terms, NONE).enhanced();
        assertThat(answer.peerToPeer()).isTrue();
        assertThat(answer.sendRtr()).isFalse();
        assertThat(answer.readRtr()).isEqualTo(expectRead);
        assertThat(answer.writeRtr()).isEqualTo(!expectRead);
        assertThat(answer.ird()).isPositive();
    }
}
