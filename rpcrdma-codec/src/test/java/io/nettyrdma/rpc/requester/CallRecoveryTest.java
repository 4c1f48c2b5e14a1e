// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.requester.CallRecovery.Decision;
import io.nettyrdma.rpc.requester.CallRecovery.Limits;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CallRecoveryTest {

    private static final int MAX_CHUNK_BYTES = 100_000;

    private final CallRecovery recovery = new CallRecovery(Limits.first(8, 4, 64), MAX_CHUNK_BYTES);

    @ParameterizedTest
    @CsvSource({
        "VERS, FAIL_VERSION",
        "BAD_XDR, FAIL",
        "BAD_PROPVAL, FAIL",
        "INVAL_HTYPE, FAIL",
        "INVAL_CONT, FAIL",
        "SYSTEM, FAIL"
    })
    @Requirement({"V2-139", "V2-158"})
    void permanentErrorEndsTheCallEvenIfItIsRepeatable(Rdma2ErrorCode error, Decision decision) {
        assertThat(recovery.decide(error, 1, 0, 2, true)).isEqualTo(decision);
    }

    @ParameterizedTest
    @CsvSource({
        "READ_CHUNKS, 1, 2, REPEAT",
        "READ_CHUNKS, 0, 1, REPEAT",
        "READ_CHUNKS, 2, 2, FAIL",
        "READ_CHUNKS, 4294967295, 2, FAIL",
        "WRITE_CHUNKS, 0, 3, REPEAT",
        "WRITE_CHUNKS, 3, 3, FAIL",
        "SEGMENTS, 16, 17, REPEAT",
        "SEGMENTS, 17, 17, FAIL",
        "SEGMENTS, 0, 0, FAIL"
    })
    @Requirement("V2-147")
    void refusedCallIsRepeatedIfThereIsLessItCanDoWith(
            Rdma2ErrorCode error, long number, long used, Decision decision) {
        assertThat(recovery.decide(error, number, 0, used, false)).isEqualTo(decision);
    }

    @ParameterizedTest
    @CsvSource({
        "5000, 4096, true, REPEAT",
        "5000, 4096, false, FAIL_RESOURCE",
        "0, 4096, true, FAIL_RESOURCE",
        "4096, 4096, true, FAIL_RESOURCE",
        "1, 0, true, REPEAT",
        "0, 0, true, FAIL_RESOURCE",
        "100000, 4096, true, REPEAT",
        "100001, 4096, true, FAIL_RESOURCE",
        "4294967295, 4096, true, FAIL_RESOURCE"
    })
    @Requirement({"V2-133", "V2-147"})
    void executedCallIsRepeatedIfItMayBeAndItsReplyCanBeHeld(
            long number, long used, boolean repeatable, Decision decision) {
        assertThat(recovery.decide(Rdma2ErrorCode.WRITE_RESOURCE, number, 1, used, repeatable))
                .isEqualTo(decision);
        assertThat(recovery.decide(Rdma2ErrorCode.REPLY_RESOURCE, number, 0, used, repeatable))
                .isEqualTo(decision);
    }

    @Test
    void eachAnswerChangesTheLimitItIsAbout() {
        recovery.decide(Rdma2ErrorCode.READ_CHUNKS, 1, 9, 2, false);
        assertThat(recovery.limits()).isEqualTo(new Limits(1, 4, 64, 0, 0, 0));
        recovery.decide(Rdma2ErrorCode.WRITE_CHUNKS, 2, 9, 3, false);
        assertThat(recovery.limits()).isEqualTo(new Limits(1, 2, 64, 0, 0, 0));
        recovery.decide(Rdma2ErrorCode.SEGMENTS, 16, 9, 17, false);
        assertThat(recovery.limits()).isEqualTo(new Limits(1, 2, 16, 0, 0, 0));
        recovery.decide(Rdma2ErrorCode.WRITE_RESOURCE, 5000, 2, 4096, true);
        assertThat(recovery.limits()).isEqualTo(new Limits(1, 2, 16, 2, 5000, 0));
        recovery.decide(Rdma2ErrorCode.REPLY_RESOURCE, 20_000, 9, 0, true);
        assertThat(recovery.limits()).isEqualTo(new Limits(1, 2, 16, 2, 5000, 20_000));
    }

    @Test
    void failureChangesNoLimit() {
        Limits before = recovery.limits();
        for (Rdma2ErrorCode error : Rdma2ErrorCode.values()) {
            assertThat(recovery.decide(error, 5, 0, 5, false)).isNotEqualTo(Decision.REPEAT);
        }
        assertThat(recovery.limits()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(
            value = Rdma2ErrorCode.class,
            names = {"READ_CHUNKS", "WRITE_CHUNKS", "SEGMENTS"})
    @Requirement("V2-147")
    void callIsRepeatedOncePerKindOfError(Rdma2ErrorCode error) {
        assertThat(recovery.decide(error, 2, 0, 3, true)).isEqualTo(Decision.REPEAT);
        assertThat(recovery.decide(error, 1, 0, 2, true)).isEqualTo(Decision.FAIL);
        assertThat(recovery.decide(Rdma2ErrorCode.REPLY_RESOURCE, 20, 0, 10, true))
                .isEqualTo(Decision.REPEAT);
        assertThat(recovery.decide(Rdma2ErrorCode.REPLY_RESOURCE, 30, 0, 20, true))
                .isEqualTo(Decision.FAIL_RESOURCE);
    }
}
