// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a connection costs that strangers have opened and this side has not accepted, as the documentation says.
 * Measured in a JVM of its own, where nothing else comes and goes.
 */
final class HalfOpenCostTest {

    private static final int STRANGERS = 1_000;

    /** Bounds of the documentation: faults.md, and SoftTimeouts.mpaRequestMillis. */
    private static final int HEAP_BYTES = 1536;

    private static final int HEAP_BYTES_REQUESTED = 3072;
    private static final int DIRECT_BYTES = 1024;

    private static final String PREFIX = "half-open:";

    @TempDir
    private Path directory;

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
        Path output = directory.resolve("output");
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        HalfOpenCostTest.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(output.toFile()))
                .start();
        try {
            assertThat(jvm.waitFor(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("end of the other JVM")
                    .isTrue();
        } finally {
            jvm.destroyForcibly();
        }
        Map<String, Memory> measured = measured(Files.readAllLines(output));
        assertThat(measured).containsOnlyKeys("silent", "slow", "asking");
        assertThat(measured.get("silent").heapBytes).isBetween(1L, (long) HEAP_BYTES);
        assertThat(measured.get("silent").directBytes).isZero();
        assertThat(measured.get("slow").heapBytes).isBetween(1L, (long) HEAP_BYTES);
        assertThat(measured.get("slow").directBytes).isLessThanOrEqualTo(DIRECT_BYTES);
        assertThat(measured.get("asking").heapBytes).isBetween(1L, (long) HEAP_BYTES_REQUESTED);
        assertThat(measured.get("asking").directBytes).isLessThanOrEqualTo(DIRECT_BYTES);
    }

    private static Map<String, Memory> measured(List<String> lines) {
        Map<String, Memory> measured = new TreeMap<>();
        for (String line : lines) {
            String[] words = line.split(" ");
            if (words.length == 4 && words[0].equals(PREFIX)) {
                measured.put(words[1], new Memory(Long.parseLong(words[2]), Long.parseLong(words[3])));
            }
        }
        assertThat(measured).as("in " + lines).isNotEmpty();
        return measured;
    }

    /** Measures and prints, per stranger. */
    public static void main(String[] args) throws Exception {
        SoftProviderConfig patient = Node.config()
                .timeouts(t -> t.mpaRequestMillis = 600_000)
                .timeouts(t -> t.acceptMillis = 600_000)
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
            print("silent", before);

            ByteBuffer request = longestRequest();
            write(strangers, request.limit(request.capacity() - 1));
            node.await("all octets but one", () -> buffers(node) == staging + STRANGERS);
            print("slow", before);

            write(strangers, request.limit(request.capacity()).position(request.capacity() - 1));
            node.await("the requests", () -> buffers(node) == staging);
            print("asking", before);

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

    private static void print(String name, Memory before) {
        Memory each = Memory.used().perStranger(before);
        System.out.println(PREFIX + " " + name + " " + each.heapBytes + " " + each.directBytes);
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
