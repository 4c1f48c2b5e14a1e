// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a new connection throws, whatever it is, ends that connection alone. The clock throws it. */
@ExtendWith(NothingLeft.class)
final class ContainedFaultTest {

    private Class<? extends Throwable> fault;
    private final Node node = new Node(Startups.config(), 4096, this::nanoTime);

    ContainedFaultTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        node.close();
    }

    private long nanoTime() {
        if (fault != null && isSettingUp()) {
            Class<? extends Throwable> thrown = fault;
            fault = null;
            throwUnchecked(thrown);
        }
        return System.nanoTime();
    }

    private static boolean isSettingUp() {
        return StackWalker.getInstance()
                .walk(frames ->
                        frames.anyMatch(frame -> frame.getClassName().equals(ResponderStartup.class.getName())));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUnchecked(Class<? extends Throwable> type) throws T {
        try {
            throw (T) type.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                IOException.class,
                IllegalStateException.class,
                NoClassDefFoundError.class,
                ExceptionInInitializerError.class,
                OutOfMemoryError.class
            })
    void acceptThatThrowsEndsItsConnectionAlone(Class<? extends Throwable> thrown) throws Exception {
        RdmaCmId listener = node.listen(Pair.loopback(), 16);
        try (Bystander good = new Bystander(node, listener)) {
            good.exchange();
            fault = thrown;
            try (SocketChannel victim = SocketChannel.open(node.localAddress(listener))) {
                victim.configureBlocking(false);
                node.await("the end of the victim", () -> isClosedByPeer(victim));
            }
            assertThat(fault).as("not thrown").isNull();
            good.exchange();
            try (Bystander next = new Bystander(node, listener)) {
                next.exchange();
            }
        }
    }

    private static boolean isClosedByPeer(SocketChannel socket) {
        try {
            return socket.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            return true; // reset
        }
    }
}
