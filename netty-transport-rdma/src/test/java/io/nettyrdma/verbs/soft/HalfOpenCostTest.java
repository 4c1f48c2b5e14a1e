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

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a connection costs that strangers have opened and this side has not accepted, as the documentation says. */
@ExtendWith(NothingLeft.class)
final class HalfOpenCostTest {

    private static final int STRANGERS = 1_000;

    /** Bounds of the documentation: README, and SoftProviderConfig.Builder.mpaRequestTimeoutMillis. */
    private static final int HEAP_BYTES = 1536;

    private static final int HEAP_BYTES_REQUESTED = 3072;
    private static final int DIRECT_BYTES = 1024;

    private record Memory(long heapBytes, long directBytes) {

        static Memory used() {
            long heap = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) {
                System.gc();
                Runtime r = Runtime.getRuntime();
                heap = Math.min(heap, r.totalMemory() - r.freeMemory());
            }
            return new Memory(
                    heap,
                    ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                            .filter(pool -> pool.getName().equals("direct"))
                            .mapToLong(BufferPoolMXBean::getMemoryUsed)
                            .sum());
        }

        Memory perStranger(Memory before) {
            return new Memory(
                    (heapBytes - before.heapBytes) / STRANGERS, (directBytes - before.directBytes) / STRANGERS);
        }
    }

    private static ByteBuffer longestRequest() {
        ByteBuffer request = ByteBuffer.allocate(MpaFrame.HEADER_BYTES + MpaFrame.MAX_PD_BYTES);
        new MpaFrame(false, false, true, false, 2, EnhancedData.clientServer(1, 1), new byte[508]).put(request);
        return request.flip();
    }

    @Test
    void strangersCostWhatIsDocumented() throws Exception {
        SoftProviderConfig patient = SoftProviderConfig.builder()
                .mpaRequestTimeoutMillis(600_000)
                .acceptTimeoutMillis(600_000)
                .build();
        List<SocketChannel> strangers = new ArrayList<>(STRANGERS);
        try (Node node = new Node(patient)) {
            RdmaCmId listener = node.listen(Pair.loopback(), STRANGERS + 1);
            // What is paid once, by the first connection.
            new Bystander(node, listener).close();
            node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            node.await("the end of the first", () -> connections(node) == 0);
            for (int i = 0; i < STRANGERS; i++) {
                // The kernel answers; this side knows nothing yet.
                strangers.add(SocketChannel.open(node.localAddress(listener)));
            }
            int staging = buffers(node);
            Memory before = Memory.used();

            node.await("the strangers", () -> connections(node) == STRANGERS);
            Memory silent = Memory.used().perStranger(before);

            ByteBuffer request = longestRequest();
            write(strangers, request.limit(request.capacity() - 1));
            node.await("all octets but one", () -> buffers(node) == staging + STRANGERS);
            Memory slow = Memory.used().perStranger(before);

            write(strangers, request.limit(request.capacity()).position(request.capacity() - 1));
            node.await("the requests", () -> buffers(node) == staging);
            Memory asking = Memory.used().perStranger(before);

            assertThat(silent.heapBytes).isBetween(1L, (long) HEAP_BYTES);
            assertThat(silent.directBytes).isZero();
            assertThat(slow.heapBytes).isBetween(1L, (long) HEAP_BYTES);
            assertThat(slow.directBytes).isLessThanOrEqualTo(DIRECT_BYTES);
            assertThat(asking.heapBytes).isBetween(1L, (long) HEAP_BYTES_REQUESTED);
            assertThat(asking.directBytes).isLessThanOrEqualTo(DIRECT_BYTES);

            for (int i = 0; i < STRANGERS; i++) {
                RdmaCmEvent event = node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
                node.cm.destroyCmId(event.getConnIdPriv());
            }
            for (SocketChannel stranger : strangers) {
                stranger.close();
            }
            node.await("the end", () -> connections(node) == 0);
        }
    }

    private static void write(List<SocketChannel> strangers, ByteBuffer octets) throws IOException {
        for (SocketChannel stranger : strangers) {
            stranger.write(octets.duplicate());
        }
    }

    private static int connections(Node node) {
        return node.provider.openResources().connections();
    }

    private static int buffers(Node node) {
        return ((SoftEventChannel) node.events).buffers().taken();
    }
}
