// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What can be registered, and what of it DiSNI's objects can change. */
final class SoftMrTest {

    @Test
    void settersOfDisniDoNotChangeWhatIsChecked() throws Exception {
        try (Node node = new Node(Node.config().build())) {
            SoftMr mr = node.register(100, Node.ALL);
            long base = mr.getAddr();
            mr.setAddr(base - 1000);
            mr.setLength(5000);
            mr.setLkey(77);
            assertThat(mr.region().address()).isEqualTo(base);
            assertThat(mr.region().lengthBytes()).isEqualTo(100);
            assertThat(mr.region().key()).isEqualTo(mr.getRkey());
        }
    }

    @Test
    void registersTheWholeCapacityWhateverPositionAndLimit() throws Exception {
        try (Node node = new Node(Node.config().build())) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(100).position(10).limit(20);
            SoftMr mr = node.register(buffer, Node.ALL);
            assertThat(mr.getLength()).isEqualTo(100);
            assertThat(mr.getLkey()).isEqualTo(mr.getRkey());
            assertThat(mr.region().lengthBytes()).isEqualTo(100);
            assertThat(buffer.position()).isEqualTo(10);
        }
    }

    @Test
    void refusesWhatCannotBeRegistered() throws Exception {
        try (Node node = new Node(Node.config().build())) {
            assertThatThrownBy(() -> node.register(ByteBuffer.allocate(10), Node.LOCAL))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("heap");
            assertThatThrownBy(() -> node.register(10, IbvMr.IBV_ACCESS_REMOTE_WRITE))
                    .hasMessageContaining("local write");
            assertThatThrownBy(() -> node.register(10, IbvMr.IBV_ACCESS_REMOTE_ATOMIC))
                    .hasMessageContaining("access 0x8");
            assertThatThrownBy(() -> node.register(ByteBuffer.allocateDirect(10).asReadOnlyBuffer(), Node.LOCAL))
                    .hasMessageContaining("read-only");
            assertThatThrownBy(() -> node.pd.regMr(4096L, 10, Node.LOCAL))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("raw addresses");
            node.register(ByteBuffer.allocateDirect(10).asReadOnlyBuffer(), IbvMr.IBV_ACCESS_REMOTE_READ);
        }
    }
}
