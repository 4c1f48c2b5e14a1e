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
package io.nettyrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPostSend;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.DisniEndpoint.Completions;
import io.nettyrdma.verbs.soft.SoftProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A program of several threads as DiSNI's users write them, to DiSNI's API and nothing else, on any provider: each
 * side has a thread for connection events and one for completions, and two threads post while a third registers and
 * deregisters memory.
 */
@Over
@Tag("contract")
@NotOver(value = Lane.STRICT, reason = "the strict device is for event loops, and has no threads of a program")
@NotOver(value = Lane.DISNI, reason = "the software provider is behind DiSNI's API here already")
final class DisniProgramTest {

    private static final int SENDERS = 2;
    private static final int WINDOW = 16;
    private static final int EXPOSED_BYTES = 300_000;
    private static final int ALL =
            IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ;

    private final Semaphore[] credits = {new Semaphore(WINDOW), new Semaphore(WINDOW)};
    private final int[] answered = new int[SENDERS];
    private final LinkedBlockingQueue<ByteBuffer> announcements = new LinkedBlockingQueue<>();
    private final Semaphore announced = new Semaphore(0);
    private final LinkedBlockingQueue<Long> done = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Integer> invalidated = new LinkedBlockingQueue<>();
    // Of all senders together; emulation makes a guest slow.
    private final int messages = Lane.tested() == Lane.SOFT ? 10_000 : 1_000;
    // Otherwise a peer may invalidate windows only.
    private final boolean regionsCanBeInvalidated = Lane.tested() == Lane.SOFT;

    @BeforeEach
    void install() throws Exception {
        Rdma.ensureAvailability();
    }

    /** Where servers listen: loopback, unless a system property gives the address of a device. */
    private static InetSocketAddress address() throws Exception {
        return new InetSocketAddress(InetAddress.getByName(System.getProperty("test.address")), 0);
    }

    @ParameterizedTest
    @CsvSource({"EVENTS, EVENTS", "POLLING, EVENTS", "EVENTS, POLLING", "POLLING, POLLING"})
    void messagesAndEveryOperation(Completions active, Completions passive) throws Exception {
        RdmaEventChannel passiveEvents = RdmaEventChannel.createEventChannel();
        RdmaCmId listener = passiveEvents.createId(RdmaCm.RDMA_PS_TCP);
        listener.bindAddr(address());
        listener.listen(4);
        ByteBuffer replies = ByteBuffer.allocateDirect(2 * SENDERS * WINDOW * DisniEndpoint.SLOT_BYTES);
        ByteBuffer exposed = ByteBuffer.allocateDirect(EXPOSED_BYTES);
        CompletableFuture<DisniEndpoint> accepting = new CompletableFuture<>();
        CompletableFuture<Responder> responding = new CompletableFuture<>();
        DisniEndpoint.run("disni-acceptor", () -> {
            try {
                accepting.complete(DisniEndpoint.accept(passiveEvents, passive, e -> {
                    Responder responder = new Responder(e, replies);
                    responding.complete(responder);
                    return responder::completed;
                }));
            } catch (Throwable e) {
                accepting.completeExceptionally(e);
            }
        });
        DisniEndpoint client = DisniEndpoint.connect(listener, active, e -> c -> requesterCompleted(e, c));
        DisniEndpoint server = accepting.get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
        IbvMr exposedRegion = server.register(exposed, ALL);

        announce(server, exposedRegion);
        exchangeMessages(client);
        ByteBuffer peer = announcements.poll(Deadline.MILLIS, TimeUnit.MILLISECONDS);
        assertThat(peer).isNotNull();
        long remoteAddress = peer.getLong(0);
        int remoteKey = peer.getInt(8);
        writeAndReadBack(client, remoteAddress, remoteKey, exposed);
        if (regionsCanBeInvalidated) {
            invalidate(client, remoteKey);
        }

        client.id.disconnect();
        client.awaitDisconnected();
        server.awaitDisconnected();
        responding.get().deregister();
        DisniEndpoint.deregister(exposedRegion);
        client.destroy();
        server.destroy();
        listener.destroyId();
        client.events().destroyEventChannel();
        passiveEvents.destroyEventChannel();
    }

    /** Answers every message from the completion thread. */
    private final class Responder {
        private final DisniEndpoint endpoint;
        private final ByteBuffer replies;
        private IbvMr region;
        private SVCPostSend reply;
        private int count;

        Responder(DisniEndpoint endpoint, ByteBuffer replies) {
            this.endpoint = endpoint;
            this.replies = replies;
        }

        void completed(IbvWC completion) throws Exception {
            if (!DisniEndpoint.isReceive(completion)) {
                if (completion.getWr_id() < 0) {
                    announced.release();
                }
                return;
            }
            if ((completion.getWc_flags() & 8) != 0) {
                endpoint.receiveAgain(completion);
                invalidated.add(completion.getImm_data());
                return;
            }
            if (reply == null) {
                region = endpoint.register(replies, IbvMr.IBV_ACCESS_LOCAL_WRITE);
                reply = endpoint.call(IbvSendWR.IBV_WR_SEND, region, 8, 0, 0);
            }
            ByteBuffer message = endpoint.received(completion);
            int sequence = message.getInt(4);
            for (int i = 8; i < message.limit(); i++) {
                if (message.get(i) != (byte) (sequence + i)) {
                    throw new AssertionError("octet " + i + " of message " + sequence + " is " + message.get(i));
                }
            }
            int slot = count++ % (2 * SENDERS * WINDOW) * DisniEndpoint.SLOT_BYTES;
            replies.putLong(slot, message.getLong(0));
            reply.getWrMod(0).setWr_id(count);
            reply.getWrMod(0).getSgeMod(0).setAddr(region.getAddr() + slot);
            endpoint.receiveAgain(completion);
            reply.execute();
        }

        /** When the completion thread has ended. */
        void deregister() throws Exception {
            DisniEndpoint.deregister(region);
        }
    }

    private void requesterCompleted(DisniEndpoint endpoint, IbvWC completion) throws Exception {
        if (!DisniEndpoint.isReceive(completion)) {
            if (completion.getWr_id() < 0) {
                done.add(completion.getWr_id());
            }
            return;
        }
        ByteBuffer message = endpoint.received(completion);
        if (message.limit() == 12) {
            announcements.add(ByteBuffer.allocate(12).put(message).flip());
        } else {
            int sender = message.getInt(0);
            assertThat(message.getInt(4)).isEqualTo(answered[sender]++);
            credits[sender].release();
        }
        endpoint.receiveAgain(completion);
    }

    private void announce(DisniEndpoint server, IbvMr exposed) throws Exception {
        ByteBuffer memory = ByteBuffer.allocateDirect(12);
        memory.putLong(0, exposed.getAddr()).putInt(8, exposed.getRkey());
        IbvMr region = server.register(memory, 0);
        server.call(IbvSendWR.IBV_WR_SEND, region, 12, 0, 0).execute().free();
        assertThat(announced.tryAcquire(Deadline.MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        DisniEndpoint.deregister(region);
    }

    private void exchangeMessages(DisniEndpoint client) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> registering = DisniEndpoint.run("disni-registrar", () -> {
            while (!over.get()) {
                DisniEndpoint.deregister(client.register(ByteBuffer.allocateDirect(64), ALL));
            }
        });
        CompletableFuture<?>[] senders = new CompletableFuture<?>[SENDERS];
        for (int i = 0; i < SENDERS; i++) {
            int sender = i;
            senders[i] = DisniEndpoint.run("disni-sender-" + i, () -> send(client, sender));
        }
        CompletableFuture.allOf(senders).get(4L * Deadline.MILLIS, TimeUnit.MILLISECONDS);
        over.set(true);
        registering.get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
        for (int i = 0; i < SENDERS; i++) {
            assertThat(answered[i]).isEqualTo(messages / SENDERS);
        }
    }

    private void send(DisniEndpoint client, int sender) throws Exception {
        ByteBuffer memory = ByteBuffer.allocateDirect(WINDOW * DisniEndpoint.SLOT_BYTES);
        IbvMr region = client.register(memory, 0);
        SVCPostSend call = client.call(IbvSendWR.IBV_WR_SEND, region, DisniEndpoint.SLOT_BYTES, 0, 0);
        for (int sequence = 0; sequence < messages / SENDERS; sequence++) {
            takeCredit(client, sender);
            int slot = sequence % WINDOW * DisniEndpoint.SLOT_BYTES;
            int length = 8 + sequence % (DisniEndpoint.SLOT_BYTES - 7);
            memory.putInt(slot, sender).putInt(slot + 4, sequence);
            for (int i = 8; i < length; i++) {
                memory.put(slot + i, (byte) (sequence + i));
            }
            SVCPostSend.SendWRMod request = call.getWrMod(0);
            request.setWr_id(sequence);
            request.setSend_flags(sequence % 8 == 0 ? IbvSendWR.IBV_SEND_SIGNALED : 0);
            request.getSgeMod(0).setAddr(region.getAddr() + slot);
            request.getSgeMod(0).setLength(length);
            call.execute();
        }
        for (int i = 0; i < WINDOW; i++) {
            takeCredit(client, sender);
        }
        call.free();
        DisniEndpoint.deregister(region);
    }

    private void takeCredit(DisniEndpoint client, int sender) throws Exception {
        if (!credits[sender].tryAcquire(Deadline.MILLIS, TimeUnit.MILLISECONDS)) {
            client.checkAlive();
            throw new AssertionError("no answer after " + answered[sender] + " of sender " + sender);
        }
    }

    private void writeAndReadBack(DisniEndpoint client, long remoteAddress, int remoteKey, ByteBuffer exposed)
            throws Exception {
        int pieces = 30;
        int length = EXPOSED_BYTES / pieces;
        byte[] octets = new byte[EXPOSED_BYTES];
        new Random(5).nextBytes(octets);
        ByteBuffer from = ByteBuffer.allocateDirect(EXPOSED_BYTES).put(0, octets);
        ByteBuffer to = ByteBuffer.allocateDirect(EXPOSED_BYTES);
        IbvMr fromRegion = client.register(from, 0);
        IbvMr toRegion = client.register(to, IbvMr.IBV_ACCESS_LOCAL_WRITE);
        SVCPostSend write = client.call(IbvSendWR.IBV_WR_RDMA_WRITE, fromRegion, length, remoteKey, remoteAddress);
        SVCPostSend read = client.call(IbvSendWR.IBV_WR_RDMA_READ, toRegion, length, remoteKey, remoteAddress);
        executeAll(write, pieces, length, fromRegion.getAddr(), remoteAddress);
        executeAll(read, pieces, length, toRegion.getAddr(), remoteAddress);
        awaitDone(2 * pieces);
        byte[] placed = new byte[EXPOSED_BYTES];
        exposed.get(0, placed);
        assertThat(placed).isEqualTo(octets);
        byte[] readBack = new byte[EXPOSED_BYTES];
        to.get(0, readBack);
        assertThat(readBack).isEqualTo(octets);
        DisniEndpoint.deregister(fromRegion);
        DisniEndpoint.deregister(toRegion);
    }

    private static void executeAll(SVCPostSend call, int pieces, int length, long local, long remote) throws Exception {
        for (int i = 0; i < pieces; i++) {
            SVCPostSend.SendWRMod request = call.getWrMod(0);
            request.setWr_id(-2 - i);
            request.getSgeMod(0).setAddr(local + (long) i * length);
            request.getRdmaMod().setRemote_addr(remote + (long) i * length);
            call.execute();
        }
        call.free();
    }

    private void awaitDone(int requests) throws InterruptedException {
        for (int i = 0; i < requests; i++) {
            assertThat(done.poll(Deadline.MILLIS, TimeUnit.MILLISECONDS))
                    .as("request %d of %d", i, requests)
                    .isNotNull();
        }
    }

    private void invalidate(DisniEndpoint client, int remoteKey) throws Exception {
        IbvMr region = client.register(ByteBuffer.allocateDirect(8), 0);
        client.call(DisniEndpoint.SEND_WITH_INVALIDATE, region, 8, remoteKey, 0)
                .execute()
                .free();
        awaitDone(1);
        assertThat(invalidated.poll(Deadline.MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(remoteKey);
        DisniEndpoint.deregister(region);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(LoopsOver.openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
    }
}
