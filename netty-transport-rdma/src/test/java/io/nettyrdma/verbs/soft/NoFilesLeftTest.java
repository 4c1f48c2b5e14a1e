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

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Silent strangers take all file descriptors of the process, in a JVM of its own that has few. */
@EnabledOnOs(OS.LINUX)
final class NoFilesLeftTest {

    private static final String SERVED = "the good client was served";

    @TempDir
    private Path directory;

    @Test
    void silentOnesGiveWayToAGoodClient() throws Exception {
        Path output = directory.resolve("output");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process jvm = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n 300 && exec \"$0\" \"$@\"",
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        NoFilesLeftTest.class.getName())
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
        assertThat(Files.readString(output)).contains(SERVED);
    }

    /** Time passes when this method says so. */
    public static void main(String[] args) throws Exception {
        AtomicLong clock = new AtomicLong();
        Node node = new Node(Startups.config(), 4096, clock::get);
        RdmaCmId listener = node.listen(Pair.loopback(), 4096);
        loadClasses(node, listener);
        SocketChannel good = SocketChannel.open(); // the last descriptor that this side needs for it
        List<SocketChannel> strangers = new ArrayList<>();
        try {
            while (true) {
                strangers.add(SocketChannel.open(node.localAddress(listener)));
                node.drive();
            }
        } catch (IOException e) {
            node.drive(); // accepts up to the limit
        }
        good.connect(node.localAddress(listener));
        ByteBuffer request = ByteBuffer.allocate(64);
        new MpaFrame(false, false, true, false, 2, Startups.DEPTHS, Node.NONE).put(request);
        good.write(request.flip());
        node.await("a failure", () -> node.log.texts().stream().anyMatch(line -> line.startsWith("accept failed")));
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(new SoftTimeouts().silenceGraceMillis));
        node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
        System.out.println(SERVED);
        System.exit(0);
    }

    /** A class in a directory needs a file descriptor. */
    private static void loadClasses(Node node, RdmaCmId listener) throws Exception {
        try (Bystander good = new Bystander(node, listener)) {
            good.exchange();
        }
        node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
        try (SocketChannel stranger = SocketChannel.open(node.localAddress(listener))) {
            stranger.write(ByteBuffer.wrap("SSH-2.0-probe\n".getBytes(StandardCharsets.ISO_8859_1)));
            node.await("a line", () -> !node.log.texts().isEmpty());
        }
        node.await("the end", () -> node.provider.openResources().connections() == 0);
    }
}
