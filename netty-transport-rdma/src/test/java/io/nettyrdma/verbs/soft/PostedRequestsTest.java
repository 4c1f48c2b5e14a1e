// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Which requests are refused at once; {@code WorkQueuesTest} tells how the others are executed and complete. */
final class PostedRequestsTest {

    @Test
    void postRefusesWhatIwarpCannotDo() throws Exception {
        try (Pair p = new Pair().connect()) {
            for (int opcode : new int[] {1, 3, 5, 6, 77}) {
                p.a.request().send(1, opcode, 0);
                assertThatThrownBy(() -> p.a.post(p.aQp))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("opcode " + opcode);
            }
        }
    }

    @Test
    void fullQueuesRefusePosts() throws Exception {
        try (Pair p = new Pair()) {
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 3);
            SoftMr mr = p.a.register(16, Node.LOCAL);
            for (int i = 0; i < 3; i++) {
                p.a.receive(p.aQp, i, mr, 0, 16);
            }
            assertThatThrownBy(() -> p.a.receive(p.aQp, 3, mr, 0, 16)).hasMessageContaining("receive queue is full");
            assertThatThrownBy(() -> p.a.send(p.aQp, 3, 0, mr, 0, 16)).hasMessageContaining("not connected");
        }
    }
}
