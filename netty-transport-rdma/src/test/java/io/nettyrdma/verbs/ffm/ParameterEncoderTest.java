// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaConnParam;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class ParameterEncoderTest {

    private static int octet(ByteBuffer struct, int at) {
        return Byte.toUnsignedInt(struct.get(at));
    }

    private static void assertDepths(RdmaConnParam parameters, int responderResources, int initiatorDepth)
            throws IOException {
        ByteBuffer struct = ParameterEncoder.encode(parameters).octets();
        assertThat(octet(struct, 9)).as("responder_resources").isEqualTo(responderResources);
        assertThat(octet(struct, 10)).as("initiator_depth").isEqualTo(initiatorDepth);
    }

    @Test
    void ownClassOfDisniIsRefused() {
        assertThatThrownBy(() -> ParameterEncoder.encode(new RdmaConnParam()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ConnectionParameters");
    }

    @Test
    void depthsThatAreGivenAreTaken() throws IOException {
        assertDepths(new ConnectionParameters(new byte[0], 0, 0), 0, 0);
        assertDepths(new ConnectionParameters(new byte[0], 3, 128), 3, 128);
    }

    @Test
    void retriesAndPrivateDataAreTaken() throws Exception {
        RdmaConnParam parameters = new ConnectionParameters(new byte[0], 1, 1);
        parameters.setRetry_count((byte) 5);
        parameters.setRnr_retry_count((byte) 7);
        ByteBuffer struct = ParameterEncoder.encode(parameters).octets();
        assertThat(octet(struct, 12)).isEqualTo(5);
        assertThat(octet(struct, 13)).isEqualTo(7);
        assertThat(octet(struct, 8)).as("no private data").isZero();

        NativeMemory memory = ParameterEncoder.encode(new ConnectionParameters(new byte[] {1, 2, 3}, 1, 1));
        assertThat(memory.octets().getLong(0)).isEqualTo(memory.address() + 24);
        assertThat(octet(memory.octets(), 8)).isEqualTo(3);
        assertThat(octet(memory.octets(), 26)).isEqualTo(3);
    }
}
