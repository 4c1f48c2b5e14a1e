// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvWC;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.Random;

/** What tests that exchange messages have in common. */
final class Messages {

    static final SoftProviderConfig SMALL_SEGMENTS =
            Node.config().fpduPayloadBytes(64).build();

    static final int WC_SEND = IbvWC.IbvWcOpcode.IBV_WC_SEND.getOpcode();
    static final int WC_WRITE = IbvWC.IbvWcOpcode.IBV_WC_RDMA_WRITE.getOpcode();
    static final int WC_READ = IbvWC.IbvWcOpcode.IBV_WC_RDMA_READ.getOpcode();
    static final int WC_RECV = IbvWC.IbvWcOpcode.IBV_WC_RECV.getOpcode();

    private Messages() {}

    static ByteBuffer random(int bytes, long seed) {
        byte[] octets = new byte[bytes];
        new Random(seed).nextBytes(octets);
        return ByteBuffer.allocateDirect(bytes).put(octets).clear();
    }

    static void assertSuccess(Node.Completion c, long id, int opcode, int bytes) {
        assertThat(c.status()).isEqualTo(VerbsConstants.WC_SUCCESS);
        assertThat(c.id()).isEqualTo(id);
        assertThat(c.opcode()).isEqualTo(opcode);
        assertThat(c.bytes()).isEqualTo(bytes);
    }
}
