/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvWC;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.Random;

/** What tests that exchange messages have in common. */
final class Messages {

    static final SoftProviderConfig SMALL_SEGMENTS =
            SoftProviderConfig.builder().fpduPayloadBytes(64).build();

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
