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

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Every kind of message over real sockets. */
final class MessagesTest {

    @Test
    void sendArrivesInThePostedReceive() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr from = p.a.register(64, Node.LOCAL);
            ByteBuffer memory = ByteBuffer.allocateDirect(64);
            SoftMr to = p.b.register(memory, Node.LOCAL);
            p.b.receive(p.bQp, 7, to, 0, 64);
            p.a.send(p.aQp, 3, Node.SIGNALED, from, 0, 10);
            assertThat(p.a.completion(p.b).id()).isEqualTo(3);
            Node.Completion c = p.b.completion(p.a);
            assertThat(c.id()).isEqualTo(7);
            assertThat(c.status()).isZero();
            assertThat(c.bytes()).isEqualTo(10);
        }
    }
}
