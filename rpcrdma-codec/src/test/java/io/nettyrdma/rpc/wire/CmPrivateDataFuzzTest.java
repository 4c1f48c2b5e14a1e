// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nettyrdma.conformance.Requirement;
import java.nio.ByteBuffer;

/** Any octets as the private data of a connection. */
class CmPrivateDataFuzzTest {

    private static final long IDENTIFIER_AND_VERSION = 0xf6ab0e1801L;

    @Requirement({"PD-008", "PD-017", "PD-022"})
    @FuzzTest
    void firstMessageIsFoundWhereverItIs(byte[] octets) {
        CmPrivateData found = CmPrivateData.find(octets);

        int at = firstMessage(octets);
        assertThat(CmPrivateData.findOrDefaults(octets)).isEqualTo(found == null ? CmPrivateData.DEFAULTS : found);
        if (at < 0) {
            assertThat(found).isNull();
            return;
        }
        assertThat(found).isNotNull();
        assertThat(found.sendBytes()).isEqualTo(1024 * (1 + (octets[at + 6] & 0xff)));
        assertThat(found.receiveBytes()).isEqualTo(1024 * (1 + (octets[at + 7] & 0xff)));
        assertThat(found.remoteInvalidation()).isEqualTo((octets[at + 5] & 1) == 1);
        assertThat(CmPrivateData.find(found.encode())).isEqualTo(found);
        InlineThresholds thresholds = InlineThresholds.between(found, CmPrivateData.DEFAULTS);
        assertThat(thresholds).isEqualTo(InlineThresholds.DEFAULTS);
    }

    private static int firstMessage(byte[] octets) {
        for (int at = 0; at + 8 <= octets.length; at++) {
            if (ByteBuffer.wrap(octets).getLong(at) >>> 24 == IDENTIFIER_AND_VERSION) {
                return at;
            }
        }
        return -1;
    }
}
