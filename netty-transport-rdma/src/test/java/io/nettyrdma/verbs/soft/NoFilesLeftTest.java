// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
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
        assertServed("silent");
    }

    /** No class of the path that refuses has been used before, and none can be loaded from a directory. */
    @Test
    void listenerThatNeverRefusedOutlivesIt() throws Exception {
        assertServed("first");
    }

    private void assertServed(String scene) throws Exception {
        Path output = directory.resolve("output");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process jvm = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n 300 && exec \"$0\" \"$@\"",
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        NoFilesLeftTest.class.getName(),
                        scene)
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
        if (args[0].equals("first")) {
            beTheFirst(node, listener, clock);
            System.out.println(SERVED);
            System.exit(0);
        }
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

    /** Connects while there is no descriptor, and says that there are some when the listener knows. */
    private static void beTheFirst(Node node, RdmaCmId listener, AtomicLong clock) throws Exception {
        ByteBuffer request = ByteBuffer.allocate(64);
        new MpaFrame(false, false, true, false, 2, Startups.DEPTHS, Node.NONE).put(request);
        BooleanSupplier isRefused = () -> node.log.texts().stream().anyMatch(line -> line.startsWith("accept failed"));
        node.await("classes of the test", () -> !isRefused.getAsBoolean());
        node.drive();
        SocketChannel good = SocketChannel.open();
        Deque<InputStream> files = new ArrayDeque<>();
        try {
            while (true) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            good.connect(node.localAddress(listener));
        }
        try {
            node.await("a failure", isRefused);
        } finally {
            for (InputStream file : files) {
                file.close(); // or the JVM could not say what is wrong
            }
        }
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1)); // more than the listener waits for
        good.write(request.flip());
        node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
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
