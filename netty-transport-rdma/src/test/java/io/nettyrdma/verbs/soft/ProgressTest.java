// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Waiting, waking, arming: who makes progress, and when. */
final class ProgressTest {

    private static SoftProviderConfig config() {
        return Node.config().build();
    }

    private static long millisOf(Waiting waiting) throws IOException {
        long start = System.nanoTime();
        waiting.run();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    private interface Waiting {
        void run() throws IOException;
    }

    @Test
    void awaitEndsWithItsTime() throws Exception {
        try (Node node = new Node(config())) {
            assertThat(millisOf(() -> node.extensions.await(node.events, 20_000_000)))
                    .isGreaterThanOrEqualTo(15);
            node.extensions.await(node.events, 0); // or it would not return
        }
    }

    @Test
    void wakeupEndsTheWaitOfAnotherThread() throws Exception {
        try (Node node = new Node(config())) {
            CountDownLatch done = new CountDownLatch(1);
            Thread waiter = new Thread(() -> {
                try {
                    node.extensions.await(node.events, -1);
                    done.countDown();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            waiter.start();
            node.extensions.wakeup(node.events);
            assertThat(done.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            waiter.join(Deadline.MILLIS);
        }
    }

    @Test
    void wakeupBeforeTheWaitIsNotLostEvenIfProgressComesBetween() throws Exception {
        try (Node node = new Node(config())) {
            node.extensions.wakeup(node.events);
            node.extensions.progress(node.events);
            node.extensions.await(node.events, -1);
        }
    }

    @Test
    void awaitDoesNotSleepBeyondADeadline() throws Exception {
        try (Node node =
                new Node(Node.config().timeouts(t -> t.mpaRequestMillis = 30).build())) {
            RdmaCmId listener = node.listen(Pair.loopback(), 4);
            try (RawPeer peer = RawPeer.connect(node.localAddress(listener), true)) {
                assertThat(peer.endOfStream).isFalse();
                node.await("the connection", () -> node.provider.openResources().connections() == 1);
                while (node.provider.openResources().connections() == 1) {
                    node.extensions.await(node.events, -1);
                }
            }
        }
    }

    @Test
    void awaitReturnsWhileAnEventIsWaiting() throws Exception {
        try (Node node = new Node(config())) {
            node.cm.resolveAddr(node.newId(), null, Pair.loopback(), Deadline.MILLIS);
            node.extensions.await(node.events, -1);
            assertThat(node.pollEvent().getEvent()).isEqualTo(EventType.RDMA_CM_EVENT_ADDR_RESOLVED.ordinal());
        }
    }

    @Test
    void armedQueueEndsTheWaitAndAnUnarmedOneDoesNot() throws Exception {
        try (Pair p = new Pair().connect()) {
            p.b.extensions.attach(p.b.events, p.b.cq);
            SoftMr from = p.a.register(16, Node.LOCAL);
            SoftMr to = p.b.register(16, Node.LOCAL);
            for (int i = 0; i < 3; i++) {
                p.b.receive(p.bQp, i, to, 0, 16);
            }
            p.b.verbs.reqNotifyCQ(p.b.cq, false).execute();
            p.a.send(p.aQp, 1, 0, from, 0, 1);
            // Progress takes the octets; the event that results is still there for the wait.
            p.a.await("the completion", () -> {
                try {
                    p.b.extensions.progress(p.b.events);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return !((SoftCq) p.b.cq).isEmpty();
            });
            p.b.extensions.await(p.b.events, -1);
            assertThat(p.b.completion().id()).isZero();

            p.a.send(p.aQp, 1, 0, from, 0, 1);
            assertThat(p.b.completion(p.a).id()).isEqualTo(1);
            assertThat(((SoftCq) p.b.cq).acknowledgeEvents())
                    .as("not armed again")
                    .isFalse();
            p.b.extensions.detach(p.b.events, p.b.cq);
            p.b.extensions.detach(p.b.events, p.b.cq);
        }
    }

    /** Poll, arm, poll again, wait: no wake-up is lost in five thousand round trips between two blocking threads. */
    @Test
    void armedWaitsOfTwoThreadsLoseNothing() throws Exception {
        try (Pair p = new Pair().connect()) {
            int rounds = 5000;
            SoftMr a = p.a.register(64, Node.LOCAL);
            SoftMr b = p.b.register(64, Node.LOCAL);
            p.a.receive(p.aQp, 1, a, 0, 64);
            p.b.receive(p.bQp, 1, b, 0, 64);
            Throwable[] failure = new Throwable[1];
            Thread echo = new Thread(() -> {
                try {
                    p.b.extensions.attach(p.b.events, p.b.cq);
                    for (int i = 0; i < rounds; i++) {
                        await(p.b);
                        p.b.receive(p.bQp, 1, b, 0, 64);
                        p.b.send(p.bQp, 2, 0, b, 0, 8);
                    }
                } catch (IOException | RuntimeException | AssertionError e) {
                    failure[0] = e;
                }
            });
            p.a.extensions.attach(p.a.events, p.a.cq);
            echo.start();
            for (int i = 0; i < rounds; i++) {
                p.a.send(p.aQp, 2, 0, a, 0, 8);
                await(p.a);
                p.a.receive(p.aQp, 1, a, 0, 64);
            }
            echo.join(Deadline.MILLIS);
            assertThat(failure[0]).isNull();
            assertThat(echo.isAlive()).isFalse();
        }
    }

    private static void await(Node node) throws IOException {
        while (true) {
            node.poll();
            if (node.completions.isEmpty()) {
                node.verbs.reqNotifyCQ(node.cq, false).execute();
                node.poll();
            }
            Node.Completion c = node.completions.poll();
            if (c != null) {
                assertThat(c.status()).isZero();
                return;
            }
            node.extensions.await(node.events, -1);
        }
    }

    /**
     * The clock holds the first thread inside while the second comes: no matter when which of them gets a processor.
     */
    @Test
    void twoThreadsOnOneEventChannelAreToldSo() throws Exception {
        Thread test = Thread.currentThread();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(1);
        LongSupplier clock = () -> {
            if (Thread.currentThread() != test) {
                inside.countDown();
                awaitLatch(told);
            }
            return System.nanoTime();
        };
        try (Node node = new Node(config(), 16, clock)) {
            RdmaCmId listener = node.listen(Pair.loopback(), 4);
            try (RawPeer peer = RawPeer.connect(node.localAddress(listener), true)) {
                assertThat(peer.endOfStream).isFalse();
                // From then on there is a deadline, for which who makes progress looks at the clock.
                node.await("the connection", () -> node.provider.openResources().connections() == 1);
                Thread first = new Thread(() -> {
                    try {
                        node.extensions.progress(node.events);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
                first.start();
                try {
                    awaitLatch(inside);
                    assertThatThrownBy(() -> node.extensions.progress(node.events))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("driven by");
                } finally {
                    told.countDown();
                    first.join(Deadline.MILLIS);
                }
                assertThat(first.isAlive()).isFalse();
            }
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("the other thread")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void eventChannelAndQueueOfOneThreadBelongTogether() throws Exception {
        try (Node node = new Node(config())) {
            RdmaEventChannel other = node.extensions.openConfinedEventChannel();
            node.newQp(node.newId(), 1);
            RdmaCmId id = node.cm.createId(other, RdmaCm.RDMA_PS_TCP);
            assertThatThrownBy(() -> node.newQp(id, 1)).hasMessageContaining("share one event channel");
            node.cm.destroyCmId(id);
            node.extensions.closeEventChannel(other);
        }
    }

    /** DiSNI's endpoints and other programs with threads get a sentence instead of calls that never return. */
    @Test
    void programWithThreadsOfItsOwnIsToldWhatItNeeds() {
        InstalledProvider.ensure();
        assertThatThrownBy(RdmaEventChannel::createEventChannel)
                .isInstanceOf(IOException.class)
                .hasMessage("the provider soft serves Netty's event loops only; a program with threads of its own needs"
                        + " DiSNI's native library: -Dio.nettyrdma.provider=disni");
    }

    @Test
    void callsOfDisniThatEventLoopsDoNotMakeAreRefused() throws Exception {
        try (Node node = new Node(config())) {
            IbvCompChannel channel = node.verbs.createCompChannel(node.context);
            assertThat(node.events.getCmEvent(0)).isNull();
            assertThatThrownBy(() -> node.events.getCmEvent(1)).hasMessageContaining("call VerbsExtensions.await");
            assertThatThrownBy(() -> channel.getCqEvent(node.cq, 0)).hasMessageContaining("call VerbsExtensions.await");
            assertThatThrownBy(() -> node.cq.reqNotification(true)).hasMessageContaining("reqNotification(false)");
            channel.destroyCompChannel();
            IbvQP queuePair = node.newQp(node.newId(), 1);
            assertThatThrownBy(() -> queuePair.postSend(List.of(), null))
                    .hasMessageContaining("call VerbsExtensions.postBatch");
            assertThatThrownBy(() -> queuePair.postRecv(List.of(), null))
                    .hasMessageContaining("call VerbsExtensions.postReceives");
        }
    }

    /** A socket that can always be read, and counts how often it was told so. */
    private static final class Readable implements SelectorHandler, AutoCloseable {
        final Pipe pipe = Pipe.open();
        final SelectionKey key;
        int told;

        Readable(SoftEventChannel events) throws IOException {
            pipe.source().configureBlocking(false);
            pipe.sink().write(ByteBuffer.allocate(1));
            key = events.register(pipe.source(), SelectionKey.OP_READ, this);
        }

        @Override
        public void onReady(int operations) {
            told++;
        }

        @Override
        public void onFailure(Throwable e) {
            throw new AssertionError(e);
        }

        @Override
        public void shutdown() {}

        @Override
        public void close() throws IOException {
            pipe.sink().close();
            pipe.source().close();
        }
    }

    private static int[] told(List<Readable> sockets) {
        return sockets.stream().mapToInt(socket -> socket.told).sorted().toArray();
    }

    /** Between them, the event loop handles what has come of the first ones. */
    @Test
    void socketsThatAreReadyAtOnceAreHandledInPartsAndEachOnce() throws Exception {
        try (Node node = new Node(config())) {
            SoftEventChannel events = (SoftEventChannel) node.events;
            List<Readable> sockets = new ArrayList<>();
            for (int i = 0; i < 2 * SoftEventChannel.READY_AT_ONCE + 3; i++) {
                sockets.add(new Readable(events));
            }
            try {
                node.extensions.await(node.events, -1);
                assertThat(told(sockets)).containsOnly(0, 1);
                assertThat(sockets.stream().filter(socket -> socket.told > 0)).hasSize(SoftEventChannel.READY_AT_ONCE);
                Readable gone = sockets.stream()
                        .filter(socket -> socket.told == 0)
                        .findAny()
                        .orElseThrow();
                gone.key.cancel(); // as of a connection that the others' messages have ended
                sockets.remove(gone);
                assertThat(node.extensions.progress(node.events)).isTrue();
                node.extensions.await(node.events, -1);
                assertThat(told(sockets)).containsOnly(1);
                assertThat(gone.told).isZero();
                gone.close();
            } finally {
                for (Readable socket : sockets) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void deadlinesWaitUntilAllReadySocketsAreHandled() throws Exception {
        try (Node node = new Node(config())) {
            SoftEventChannel events = (SoftEventChannel) node.events;
            List<Readable> sockets = new ArrayList<>();
            for (int i = 0; i <= SoftEventChannel.READY_AT_ONCE; i++) {
                sockets.add(new Readable(events));
            }
            try {
                int[] toldBefore = {-1};
                events.deadline(
                        0, () -> toldBefore[0] = Arrays.stream(told(sockets)).sum());
                node.extensions.progress(node.events);
                assertThat(toldBefore[0]).isEqualTo(-1);
                node.extensions.progress(node.events);
                assertThat(toldBefore[0]).isEqualTo(sockets.size());
            } finally {
                for (Readable socket : sockets) {
                    socket.close();
                }
            }
        }
    }
}
