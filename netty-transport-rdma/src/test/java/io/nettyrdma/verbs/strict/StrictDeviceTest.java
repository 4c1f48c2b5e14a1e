// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.PrivateDataLimits;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The strict device has the traits it says it has, each alone. */
class StrictDeviceTest {

    private static final int LOCAL = IbvMr.IBV_ACCESS_LOCAL_WRITE;
    private static final int READABLE = LOCAL | IbvMr.IBV_ACCESS_REMOTE_READ;
    private static final int SEEDS = 40;
    /** Rounds after which what can come without a cause has come. */
    private static final int ROUNDS = 200;

    private static final int FLUSHED = 5;

    private static ByteBuffer octets(int value) {
        ByteBuffer memory = ByteBuffer.allocateDirect(VerbsEnd.BYTES);
        for (int i = 0; i < VerbsEnd.BYTES; i++) {
            memory.put(i, (byte) value);
        }
        return memory;
    }

    @Test
    void withoutTraitsItBehavesAsTheProviderBelow() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1)) {
            pair.passive.receive(1, pair.passive.register(LOCAL));
            pair.active.send(2, pair.active.register(LOCAL));
            pair.until(() -> pair.passive.hasSeen("request 1: 0") && pair.active.hasSeen("request 2: 0"), "a message");
        }
    }

    @Test
    void readIsOverAfterTheSendBehindItAndItsSinkHoldsGarbageUntilThen() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.READS_LATE)) {
            IbvMr source = pair.passive.register(octets(7), READABLE);
            ByteBuffer sink = octets(1);
            pair.passive.receive(1, pair.passive.register(LOCAL));
            List<Boolean> there = new ArrayList<>();
            pair.active.onCompletion = () -> there.add(sink.equals(octets(7)));

            pair.active.read(2, pair.active.register(sink, LOCAL), source);
            pair.active.send(3, pair.active.register(LOCAL));
            pair.until(() -> pair.active.hasSeen("request 2: 0"), "the end of the Read");

            assertThat(pair.active.seen).containsExactly("request 3: 0", "request 2: 0");
            assertThat(there).containsExactly(false, true);
        }
    }

    @Test
    void readThatIsNotSignalledIsLateTooAndNobodyHearsOfIt() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.READS_LATE)) {
            IbvMr source = pair.passive.register(octets(7), READABLE);
            ByteBuffer sink = octets(1);
            pair.passive.receive(1, pair.passive.register(LOCAL));
            List<Boolean> there = new ArrayList<>();
            pair.active.onCompletion = () -> there.add(sink.equals(octets(7)));

            pair.active.post(2, IbvSendWR.IBV_WR_RDMA_READ, pair.active.register(sink, LOCAL), source, 0);
            pair.active.send(3, pair.active.register(LOCAL));
            pair.until(() -> sink.equals(octets(7)), "the end of the Read");

            assertThat(pair.active.seen).containsExactly("request 3: 0");
            assertThat(there).containsExactly(false);
        }
    }

    @Test
    void completionsOfTheTwoQueuesComeInAnyOrderAndThoseOfOneInTheirs() throws Exception {
        Set<Boolean> sendFirst = new HashSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            try (VerbsPair pair = VerbsPair.connected(seed, Trait.COMPLETIONS_SHUFFLED)) {
                IbvMr memory = pair.active.register(LOCAL);
                pair.active.receive(1, memory);
                pair.active.receive(2, memory);
                pair.passive.receive(5, pair.passive.register(LOCAL));
                pair.passive.send(6, pair.passive.regions.get(0));
                pair.passive.send(7, pair.passive.regions.get(0));
                for (int i = 0; i < ROUNDS; i++) {
                    pair.active.verbs.progress(pair.active.events); // both messages are there when the queue is polled
                }
                pair.active.send(3, memory);
                pair.until(() -> pair.active.seen.size() == 3, "three completions");

                assertThat(pair.active.seen).containsSubsequence("request 1: 0", "request 2: 0");
                sendFirst.add(pair.active.seen.get(0).equals("request 3: 0"));
            }
        }
        assertThat(sendFirst).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void endOfAConnectionIsSeenBeforeAndAfterTheMessageThatCameBeforeIt() throws Exception {
        Set<Boolean> endFirst = new HashSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            try (VerbsPair pair = VerbsPair.connected(seed, Trait.EVENTS_SHUFFLED, Trait.COMPLETIONS_SHUFFLED)) {
                pair.passive.receive(1, pair.passive.register(LOCAL));
                pair.active.send(2, pair.active.register(LOCAL));
                pair.until(() -> pair.active.hasSeen("request 2: 0"), "the end of the Send");
                pair.active.id.disconnect();
                pair.until(() -> pair.passive.hasSeen("RDMA_CM_EVENT_DISCONNECTED"), "the end of the connection");
                // The first look after the event sees all that came before it.
                pair.passive.pollCompletions();

                assertThat(pair.passive.seen).contains("request 1: 0");
                endFirst.add(pair.passive.seen.get(0).equals("RDMA_CM_EVENT_DISCONNECTED"));
            }
        }
        assertThat(endFirst).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void firstMessageIsSeenBeforeAndAfterTheConnectionIsEstablished() throws Exception {
        Set<Boolean> messageFirst = new HashSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            VerbsPair pair = new VerbsPair(Set.of(Trait.EVENTS_SHUFFLED), seed);
            try (pair) {
                pair.request(new byte[0]);
                pair.accept(new byte[0]);
                pair.passive.receive(1, pair.passive.register(LOCAL));
                pair.passive.seen.clear();
                pair.until(() -> pair.active.hasSeen("RDMA_CM_EVENT_ESTABLISHED"), "established");
                pair.active.send(2, pair.active.register(LOCAL));
                pair.until(() -> pair.passive.seen.size() == 2, "the message and the event");
                messageFirst.add(pair.passive.seen.get(0).equals("request 1: 0"));
            }
        }
        assertThat(messageFirst).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void postedReceivesAreFlushedByTheOwnDisconnectOnly() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.FLUSHED_BY_OWN_DISCONNECT)) {
            pair.passive.receive(1, pair.passive.register(LOCAL));
            pair.active.id.disconnect();
            pair.until(() -> pair.passive.hasSeen("RDMA_CM_EVENT_DISCONNECTED"), "the end of the connection");
            for (int i = 0; i < ROUNDS; i++) {
                pair.step();
            }
            assertThat(pair.passive.seen).containsExactly("RDMA_CM_EVENT_DISCONNECTED");

            pair.passive.id.disconnect();
            pair.until(() -> pair.passive.hasSeen("request 1: " + FLUSHED), "the flush");
        }
    }

    @Test
    void messageWithoutAReceiveEndsTheConnection() throws Exception {
        for (Trait trait : List.of(Trait.RECEIVES_REQUIRED, Trait.RECEIVES_AWAITED_BRIEFLY)) {
            try (VerbsPair pair = VerbsPair.connected(1, trait)) {
                pair.active.send(2, pair.active.register(LOCAL));
                pair.until(() -> pair.active.hasSeen("RDMA_CM_EVENT_DISCONNECTED"), "the end of the connection");
            }
        }
    }

    @Test
    void contextIsAnObjectOfItsIdAndServesTheOthersToo() throws Exception {
        StrictDevice device = new StrictDevice(Set.of(Trait.CONTEXT_PER_ID), 1);
        RdmaEventChannel events = device.extensions().openConfinedEventChannel();
        List<RdmaCmId> ids = new ArrayList<>();
        List<IbvContext> contexts = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
            assertThat(id.getVerbs()).isNull();
            id.bindAddr(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThat(id.getVerbs()).isNotNull().isSameAs(id.getVerbs());
            ids.add(id);
            contexts.add(id.getVerbs());
        }
        assertThat(contexts.get(0)).isNotEqualTo(contexts.get(1));
        assertThat(contexts.get(0).getCmd_fd()).isEqualTo(contexts.get(1).getCmd_fd());
        for (RdmaCmId id : ids) {
            id.destroyId();
        }
        device.extensions().closeEventChannel(events);
    }

    @Test
    void completionQueueHasAtMostWhatRxeHas() throws Exception {
        StrictDevice device = new StrictDevice(Set.of(Trait.SMALL_COMPLETION_QUEUE), 1);
        RdmaEventChannel events = device.extensions().openConfinedEventChannel();
        RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
        id.bindAddr(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        assertThatThrownBy(() -> id.getVerbs().createCQ(null, 32_768, 0)).hasMessageContaining("errno 22");
        var queue = id.getVerbs().createCQ(null, 32_767, 0);
        assertThat(queue.getCqe()).isEqualTo(32_767);
        queue.destroyCQ();
        id.destroyId();
        device.extensions().closeEventChannel(events);
    }

    /** All channels run over this device in some test, so they ask for reliable connections. */
    @Test
    @Requirement("V2-011")
    void queuePairIsOfAReliableConnection() throws Exception {
        StrictDevice device = new StrictDevice(Set.of(), 1);
        RdmaEventChannel events = device.extensions().openConfinedEventChannel();
        RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.setQp_type(IbvQP.IBV_QPT_UD);
        assertThatThrownBy(() -> id.createQP(null, attributes)).hasMessageContaining("only reliable connections");
        id.destroyId();
        device.extensions().closeEventChannel(events);
    }

    @Test
    void receiveIntoMemoryOfAnotherDomainFailsWhenItIsPosted() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.KEYS_CHECKED)) {
            pair.active.receive(1, pair.passive.register(LOCAL));
            pair.until(() -> pair.active.hasSeen("request 1: 4"), "the failure");
            pair.until(() -> pair.passive.hasSeen("RDMA_CM_EVENT_DISCONNECTED"), "the end of the connection");
        }
    }

    @Test
    void receiveIntoMemoryThatMayNotBeWrittenFailsWhenItIsPosted() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.KEYS_CHECKED)) {
            pair.active.receive(1, pair.active.register(0));
            pair.until(() -> pair.active.hasSeen("request 1: 4"), "the failure");
        }
    }

    @Test
    void sendOfMemoryOfAnotherDomainFails() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.KEYS_CHECKED)) {
            pair.active.send(1, pair.passive.register(LOCAL));
            pair.until(() -> pair.active.hasSeen("request 1: 4"), "the failure");
        }
    }

    @Test
    void deregisteringWhatARequestUnderWayNamesIsAViolation() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.KEYS_CHECKED)) {
            pair.active.receive(1, pair.active.register(LOCAL));
            pair.active.regions.get(0).deregMr().execute();
            assertThat(pair.device.violations()).hasSize(1);
        }
    }

    @Test
    void idStaysWhereItWasMade() throws Exception {
        VerbsPair pair = new VerbsPair(Set.of(Trait.NO_MIGRATION), 1);
        try (pair) {
            pair.request(new byte[0]);
            RdmaEventChannel other = pair.device.extensions().openConfinedEventChannel();
            assertThatThrownBy(() -> pair.device.extensions().migrateId(pair.listener.requested, other))
                    .isInstanceOf(IOException.class);
            pair.device.extensions().closeEventChannel(other);
            pair.accept(new byte[0]);
        }
    }

    @Test
    void privateDataIsFilledUpWithZeros() throws Exception {
        VerbsPair pair = new VerbsPair(Set.of(Trait.PRIVATE_DATA_PADDED), 1);
        try (pair) {
            assertThat(pair.device.extensions().capabilities().privateData())
                    .isEqualTo(new PrivateDataLimits(56, 196, 148));
            pair.request(new byte[] {1, 2});
            assertThat(pair.listener.peer.privateData()).hasSize(56).startsWith(1, 2, 0);
            pair.accept(new byte[] {3});
            pair.until(() -> pair.active.hasSeen("RDMA_CM_EVENT_ESTABLISHED"), "established");
            assertThat(pair.active.peer.privateData()).hasSize(196).startsWith(3, 0);
            assertThatThrownBy(() -> pair.active.id.connect(new ConnectionParameters(new byte[57], 4, 4)))
                    .hasMessageContaining("56");
        }
    }

    @Test
    void rejectionHasPrivateDataFilledUpAndTheCodeOfItsDialect() throws Exception {
        for (Trait dialect : List.of(Trait.STATUS_INFINIBAND, Trait.STATUS_IWARP)) {
            VerbsPair pair = new VerbsPair(Set.of(Trait.PRIVATE_DATA_PADDED, dialect), 1);
            try (pair) {
                pair.request(new byte[0]);
                pair.device.extensions().reject(pair.listener.requested, new byte[] {9});
                pair.listener.requested.destroyId();
                pair.until(() -> pair.active.hasSeen("RDMA_CM_EVENT_REJECTED"), "the rejection");
                assertThat(pair.active.peer.privateData()).hasSize(148).startsWith(9, 0);
                assertThat(pair.active.seen).contains(dialect == Trait.STATUS_IWARP ? "status -104" : "status 28");
            }
        }
    }

    @Test
    void nobodyListensHasTheCodeOfItsDialect() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        StrictDevice device = new StrictDevice(Set.of(Trait.STATUS_INFINIBAND), 1);
        try (VerbsEnd end = new VerbsEnd(device)) {
            end.id.resolveAddr(null, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), Deadline.MILLIS);
            end.step();
            end.prepare(end.id, 16);
            end.id.connect(new ConnectionParameters(new byte[0], 1, 1));
            long deadline = System.nanoTime() + Deadline.DURATION.toNanos();
            while (!end.hasSeen("RDMA_CM_EVENT_REJECTED") && System.nanoTime() - deadline < 0) {
                end.step();
            }
            assertThat(end.seen).contains("RDMA_CM_EVENT_REJECTED", "status 8");
            end.end();
        }
    }

    /** What the Read of memory without the right ends with. */
    private static List<String> refusedRead(Trait... traits) throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, traits)) {
            pair.active.read(2, pair.active.register(LOCAL), pair.passive.register(LOCAL));
            pair.until(() -> pair.active.seen.stream().anyMatch(s -> s.startsWith("request 2")), "the refusal");
            return pair.active.seen.stream()
                    .filter(s -> s.startsWith("request"))
                    .toList();
        }
    }

    @Test
    void refusedReadIsFlushedOnIwarpAndHasACodeOfItsOwnOnInfiniband() throws Exception {
        assertThat(refusedRead(Trait.STATUS_IWARP)).containsExactly("request 2: 5");
        assertThat(refusedRead(Trait.STATUS_INFINIBAND)).containsExactly("request 2: 10");
    }

    @Test
    void wrongLocalKeyHasOtherCodesOnIwarp() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.KEYS_CHECKED, Trait.STATUS_IWARP)) {
            pair.active.send(1, pair.passive.register(LOCAL));
            pair.passive.receive(2, pair.active.register(LOCAL));
            pair.until(() -> pair.active.hasSeen("request 1: 2") && pair.passive.hasSeen("request 2: 21"), "failures");
        }
    }

    @Test
    void requestUnderWayWhenThePeerHasNoReceiveFailsWithThatOnInfiniband() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.STATUS_INFINIBAND, Trait.RECEIVES_REQUIRED)) {
            IbvMr source = pair.passive.register(READABLE);
            pair.active.send(1, pair.active.register(LOCAL));
            pair.active.read(2, pair.active.register(LOCAL), source);
            pair.active.read(3, pair.active.register(LOCAL), source);
            pair.until(() -> pair.active.hasSeen("request 3: 5"), "the flush");
            assertThat(pair.active.seen).contains("request 2: 13");
        }
    }

    @Test
    void nothingTellsWhyAConnectionEnded() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.NO_REASONS, Trait.RECEIVES_REQUIRED)) {
            pair.active.send(2, pair.active.register(LOCAL));
            pair.until(() -> pair.active.hasSeen("RDMA_CM_EVENT_DISCONNECTED"), "the end of the connection");
            assertThat(pair.device.extensions().disconnectReason(pair.active.id))
                    .isNull();
        }
    }

    @Test
    void failedCompletionHasItsNumberAndStatusAndGarbage() throws Exception {
        Set<Integer> numbers = new HashSet<>();
        for (int seed = 0; seed < 2; seed++) {
            try (VerbsPair pair = VerbsPair.connected(seed, Trait.FAILED_FIELDS_UNDEFINED)) {
                pair.active.receive(1, pair.active.register(LOCAL));
                pair.active.id.disconnect();
                pair.until(() -> pair.active.hasSeen("request 1: 5"), "the flush");
                numbers.add(pair.active.last.getQp_num());
                numbers.add(pair.active.last.getByte_len());
            }
        }
        assertThat(numbers).hasSize(4);
    }

    @Test
    void postToAQueuePairInErrorIsRefused() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.POSTS_REFUSED_IN_ERROR)) {
            IbvMr memory = pair.active.register(LOCAL);
            pair.device.extensions().toError(pair.active.qp);
            assertThat(pair.active.qp.getState()).isEqualTo(IbvQP.IBV_QPS_ERR);
            assertThatThrownBy(() -> pair.active.send(1, memory)).isInstanceOf(QueuePairInErrorException.class);
        }
    }

    @Test
    void receiveThatIsPostedLateStays() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.LATE_RECEIVES_STAY)) {
            IbvMr memory = pair.active.register(LOCAL);
            pair.active.receive(1, memory);
            pair.device.extensions().toError(pair.active.qp);
            pair.active.receive(2, memory);
            pair.until(() -> pair.active.hasSeen("request 1: 5"), "the flush");
            assertThat(pair.active.hasSeen("request 2: 5")).isFalse();
        }
    }

    @Test
    void callIsHeldUntilTheTestLetsItGoAndOtherThreadsMayMakeIt() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1, Trait.CALLS_HOLD)) {
            pair.device.calls().hold(Verb.DISCONNECT);
            CompletableFuture<Integer> disconnected = CompletableFuture.supplyAsync(() -> {
                try {
                    return pair.active.id.disconnect();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            pair.until(() -> pair.device.calls().held() == 1, "the call");
            pair.passive.receive(1, pair.passive.register(LOCAL));
            pair.active.send(2, pair.active.register(LOCAL));
            pair.until(() -> pair.passive.hasSeen("request 1: 0"), "a message while another thread is held");
            assertThat(disconnected).isNotDone();

            pair.device.calls().release(Verb.DISCONNECT);
            pair.until(disconnected::isDone, "the call's end");
            pair.until(() -> pair.passive.hasSeen("RDMA_CM_EVENT_DISCONNECTED"), "the end of the connection");
        }
    }

    @Test
    void callsFailAsPlanned() throws Exception {
        try (VerbsPair pair = VerbsPair.connected(1)) {
            IbvMr memory = pair.active.register(LOCAL);
            Calls calls = pair.device.calls();
            calls.failNext(Verb.POST_SENDS, () -> new IOException("no room"));
            assertThatThrownBy(() -> pair.active.send(1, memory)).hasMessage("no room");

            pair.passive.receive(1, pair.passive.register(LOCAL));
            calls.failAt(1, () -> new LinkageError("gone"));
            assertThat(calls.isFailurePending()).isTrue();
            pair.active.send(2, memory);
            assertThatThrownBy(() -> pair.active.send(3, memory)).isInstanceOf(LinkageError.class);
            assertThat(calls.isFailurePending()).isFalse();

            calls.failNext(Verb.DEREGISTER, () -> new IllegalStateException("but done"));
            assertThatThrownBy(() -> memory.deregMr().execute()).hasMessage("but done");
            assertThat(memory.isOpen()).isFalse();
            pair.until(() -> pair.passive.hasSeen("request 1: 0"), "the message");
        }
    }

    @Test
    void overrunCompletionQueueIsAViolationAndFails() throws Exception {
        try (VerbsPair pair = new VerbsPair(Set.of(), 1)) {
            pair.depth = 4;
            pair.request(new byte[0]);
            pair.accept(new byte[0]);
            pair.until(() -> pair.active.hasSeen("RDMA_CM_EVENT_ESTABLISHED"), "established");
            IbvMr memory = pair.active.register(LOCAL);
            for (int i = 0; i <= pair.depth; i++) {
                pair.active.receive(i, memory);
            }
            pair.device.extensions().toError(pair.active.qp);
            assertThatThrownBy(pair.active::pollCompletions).hasMessageContaining("overrun");
            assertThat(pair.device.violations()).hasSize(1);
        }
    }
}
