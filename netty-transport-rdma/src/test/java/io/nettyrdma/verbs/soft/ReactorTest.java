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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostSend;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The reactor mode where several threads meet: waits that end, posts, slots, fences, and the life of the thread. */
final class ReactorTest {

    private SoftProvider provider;
    private RdmaCm cm;
    private RdmaVerbs verbs;

    @BeforeEach
    void open() {
        InstalledProvider.ensure();
        provider = new SoftProvider(SoftProviderConfig.builder().build());
        cm = provider.openCm();
        verbs = provider.openVerbs();
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(provider.openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
    }

    /** Runs in another thread, which has started when this returns. */
    private static <T> CompletableFuture<T> inThread(VerbThread.Call<T> call) throws InterruptedException {
        CompletableFuture<T> result = new CompletableFuture<>();
        CountDownLatch started = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            started.countDown();
            try {
                result.complete(call.run());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        started.await();
        return result;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
    }

    private RdmaCmEvent expect(RdmaEventChannel events, EventType type) throws IOException {
        RdmaCmEvent event = cm.getCmEvent(events, Deadline.MILLIS);
        assertThat(event).as("event %s", type).isNotNull();
        assertThat(EventType.values()[event.getEvent()]).isEqualTo(type);
        return event;
    }

    /** Both ends of a connection, each with an event channel of its own, sharing one completion queue. */
    private final class Connection {
        final RdmaEventChannel aEvents = cm.createEventChannel();
        final RdmaEventChannel bEvents = cm.createEventChannel();
        final RdmaCmId listener = cm.createId(bEvents, RdmaCm.RDMA_PS_TCP);
        final RdmaCmId a = cm.createId(aEvents, RdmaCm.RDMA_PS_TCP);
        final RdmaCmId b;
        final IbvContext context = a.getVerbs();
        final IbvPd pd = verbs.allocPd(context);
        final IbvCompChannel channel = verbs.createCompChannel(context);
        final IbvCQ cq = verbs.createCQ(context, channel, 4096, 0);
        final IbvQP aQp;
        final IbvQP bQp;
        final IbvMr memory = region(1 << 20);
        final IbvWC[] completions = {new IbvWC()};
        final SVCPollCq poll = verbs.pollCQ(cq, completions, 1);

        Connection(int depth) throws IOException {
            cm.bindAddr(listener, Pair.loopback());
            cm.listen(listener, 4);
            aQp = cm.createQP(a, pd, attributes(cq, depth));
            cm.resolveAddr(a, null, cm.getSrcAddr(listener), Deadline.MILLIS);
            expect(aEvents, EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
            cm.resolveRoute(a, Deadline.MILLIS);
            expect(aEvents, EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
            cm.connect(a, Pair.DEFAULTS);
            b = expect(bEvents, EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv();
            bQp = cm.createQP(b, pd, attributes(cq, depth));
            cm.accept(b, Pair.DEFAULTS);
            expect(bEvents, EventType.RDMA_CM_EVENT_ESTABLISHED);
            expect(aEvents, EventType.RDMA_CM_EVENT_ESTABLISHED);
        }

        IbvMr region(int bytes) throws IOException {
            return verbs.regMr(pd, ByteBuffer.allocateDirect(bytes), Node.ALL)
                    .execute()
                    .getMr();
        }

        SVCPostSend send(IbvQP qp, int opcode, IbvMr to, int length) throws IOException {
            IbvSendWR request = new IbvSendWR();
            request.setWr_id(7);
            request.setOpcode(opcode);
            request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
            request.setSg_list(entry(length));
            request.getRdma().setRkey(to.getRkey());
            request.getRdma().setRemote_addr(to.getAddr());
            return verbs.postSend(qp, List.of(request), null);
        }

        void receive(IbvQP qp) throws IOException {
            IbvRecvWR request = new IbvRecvWR();
            request.setWr_id(8);
            request.setSg_list(entry(64));
            verbs.postRecv(qp, List.of(request), null).execute();
        }

        private LinkedList<IbvSge> entry(int length) {
            IbvSge sge = new IbvSge();
            sge.setAddr(memory.getAddr());
            sge.setLength(length);
            sge.setLkey(memory.getLkey());
            LinkedList<IbvSge> list = new LinkedList<>();
            list.add(sge);
            return list;
        }

        IbvWC completion() throws IOException {
            long end = System.nanoTime() + Deadline.DURATION.toNanos();
            while (poll.execute().getPolls() == 0) {
                assertThat(System.nanoTime() - end).as("wait for a completion").isNegative();
                Thread.onSpinWait();
            }
            return completions[0];
        }

        void destroyIds() throws IOException {
            cm.destroyCmId(a);
            cm.destroyCmId(b);
            cm.destroyCmId(listener);
        }

        void destroyRest() throws IOException {
            verbs.deregMr(memory).execute();
            if (cq.isOpen()) {
                verbs.destroyCQ(cq);
            }
            verbs.destroyCompChannel(channel);
            verbs.deallocPd(pd);
        }

        void destroyChannels() throws IOException {
            cm.destroyEventChannel(aEvents);
            cm.destroyEventChannel(bEvents);
        }

        void destroy() throws IOException {
            destroyIds();
            destroyRest();
            destroyChannels();
        }
    }

    private static IbvQPInitAttr attributes(IbvCQ cq, int depth) {
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.cap().setMax_send_wr(depth);
        attributes.cap().setMax_recv_wr(depth);
        attributes.setSend_cq(cq);
        attributes.setRecv_cq(cq);
        return attributes;
    }

    @Test
    void threadEndsWithTheLastEventChannelAndStartsAgain() throws Exception {
        for (int i = 0; i < 3; i++) {
            RdmaEventChannel first = cm.createEventChannel();
            Reactor reactor = ((ReactorEventChannel) first).reactor();
            RdmaEventChannel second = cm.createEventChannel();
            cm.destroyEventChannel(first);
            cm.destroyEventChannel(first);
            assertThat(reactor.isEnded()).isFalse();
            cm.destroyCmId(cm.createId(second, RdmaCm.RDMA_PS_TCP));
            cm.destroyEventChannel(second);
            assertThat(reactor.isEnded()).isTrue();
            assertThatThrownBy(() -> cm.createId(second, RdmaCm.RDMA_PS_TCP)).hasMessageContaining("is destroyed");
        }
    }

    @Test
    void destroyingAnEventChannelEndsTheWaitsForIt() throws Exception {
        RdmaEventChannel events = cm.createEventChannel();
        CompletableFuture<?> waiting = inThread(() -> cm.getCmEvent(events, -1));
        cm.destroyEventChannel(events);
        assertThatThrownBy(() -> get(waiting)).cause().hasMessageContaining("event channel is destroyed");
    }

    @Test
    void waitsEndWithTheirTimeAndByInterruption() throws Exception {
        RdmaEventChannel events = cm.createEventChannel();
        assertThat(cm.getCmEvent(events, 0)).isNull();
        assertThat(cm.getCmEvent(events, 5)).isNull();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> cm.getCmEvent(events, -1)).isInstanceOf(InterruptedIOException.class);
        // Synchronous verbs go on, as half an object is of no use.
        RdmaCmId id = cm.createId(events, RdmaCm.RDMA_PS_TCP);
        cm.bindAddr(id, Pair.loopback());
        cm.listen(id, 1);
        cm.destroyCmId(id);
        assertThat(Thread.interrupted()).isTrue();
        cm.destroyEventChannel(events);
    }

    @Test
    void failuresOfTheReactorComeBackToTheCallerByTheirClass() throws Exception {
        RdmaEventChannel events = cm.createEventChannel();
        RdmaCmId first = cm.createId(events, RdmaCm.RDMA_PS_TCP);
        cm.bindAddr(first, Pair.loopback());
        cm.listen(first, 1);
        RdmaCmId second = cm.createId(events, RdmaCm.RDMA_PS_TCP);
        assertThatThrownBy(() -> cm.bindAddr(second, cm.getSrcAddr(first))).isInstanceOf(BindException.class);
        assertThatThrownBy(() -> cm.connect(second, null)).hasMessageContaining("address is not resolved");
        cm.destroyCmId(first);
        cm.destroyCmId(second);
        cm.destroyEventChannel(events);
    }

    @Test
    void completionQueueServesIdsOfSeveralEventChannels() throws Exception {
        Connection c = new Connection(4);
        c.receive(c.bQp);
        c.send(c.aQp, IbvSendWR.IBV_WR_SEND, c.memory, 10).execute();
        assertThat(c.completion().getStatus()).isZero();
        assertThat(c.completion().getStatus()).isZero();
        c.destroy();
    }

    @Test
    void sendSlotIsFreeOnceItsCompletionIsSeen() throws Exception {
        Connection c = new Connection(1);
        SVCPostSend write = c.send(c.aQp, IbvSendWR.IBV_WR_RDMA_WRITE, c.memory, 8);
        for (int i = 0; i < 20_000; i++) {
            write.execute();
            assertThat(c.completion().getStatus()).isZero();
        }
        c.destroy();
    }

    @Test
    void postsBeyondTheDepthAreRefusedAndTheOthersDone() throws Exception {
        Connection c = new Connection(4);
        for (int i = 0; i < 4; i++) {
            c.receive(c.bQp);
        }
        assertThatThrownBy(() -> c.receive(c.bQp)).hasMessageContaining("receive queue is full: 4");
        // Reads of two megabytes take longer than posting five of them.
        SVCPostSend read = c.send(c.aQp, IbvSendWR.IBV_WR_RDMA_READ, c.memory, 1 << 20);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1000; i++) {
                        read.execute();
                    }
                })
                .hasMessageContaining("send queue is full: 4");
        c.destroyIds();
        int completions = 0;
        while (c.poll.execute().getPolls() == 1) {
            completions++;
        }
        assertThat(completions).isGreaterThanOrEqualTo(8);
        c.destroyRest();
        c.destroyChannels();
    }

    @Test
    void postsAfterTheEndAreRefused() throws Exception {
        Connection c = new Connection(4);
        SVCPostSend send = c.send(c.aQp, IbvSendWR.IBV_WR_SEND, c.memory, 8);
        c.destroyIds();
        assertThatThrownBy(send::execute).hasMessageContaining("queue pair is destroyed");
        c.destroyRest();
        c.destroyChannels();
    }

    @Test
    void everyPostCompletesOnceWhileAnotherThreadDisconnects() throws Exception {
        for (int round = 0; round < 50; round++) {
            Connection c = new Connection(64);
            int[] posted = new int[1];
            SVCPostSend write = c.send(c.aQp, IbvSendWR.IBV_WR_RDMA_WRITE, c.memory, 100);
            CompletableFuture<Integer> posting = inThread(() -> {
                while (posted[0] < 200) {
                    try {
                        write.execute();
                        posted[0]++;
                    } catch (IOException full) {
                        assertThat(full).hasMessageContaining("send queue is full");
                        Thread.yield();
                    }
                }
                return posted[0];
            });
            int completed = 0;
            for (; completed < round; completed++) {
                c.completion();
            }
            cm.disconnect(c.a);
            for (; completed < 200; completed++) {
                c.completion();
            }
            assertThat(get(posting)).isEqualTo(200);
            assertThat(c.poll.execute().getPolls()).isZero();
            c.destroy();
        }
    }

    @Test
    void deregistrationFencesAgainstTheReactor() throws Exception {
        Connection c = new Connection(16);
        byte[] pattern = new byte[1 << 16];
        for (int round = 0; round < 20; round++) {
            ByteBuffer target = ByteBuffer.allocateDirect(pattern.length);
            IbvMr region = verbs.regMr(c.pd, target, Node.ALL).execute().getMr();
            SVCPostSend write = c.send(c.aQp, IbvSendWR.IBV_WR_RDMA_WRITE, region, pattern.length);
            for (int i = 0; i < 8; i++) {
                write.execute();
            }
            for (int i = 0; round < 19 && i < 8; i++) {
                assertThat(c.completion().getStatus()).isZero();
            }
            if (round < 19) {
                // All placed: the Write before a completed Read is.
                c.send(c.aQp, IbvSendWR.IBV_WR_RDMA_READ, region, 1).execute();
                assertThat(c.completion().getStatus()).isZero();
            }
            // In the last round Writes are still coming in.
            verbs.deregMr(region).execute();
            Arrays.fill(pattern, (byte) 0x55);
            target.put(0, pattern);
            ByteBuffer expected = ByteBuffer.wrap(pattern);
            for (int k = 0; k < 200; k++) {
                assertThat(target.mismatch(expected)).isEqualTo(-1);
            }
        }
        c.destroy();
    }

    @Test
    void disconnectingBeforeThereIsAConnectionFlushesTheReceives() throws Exception {
        Connection c = new Connection(4);
        RdmaCmId id = cm.createId(c.aEvents, RdmaCm.RDMA_PS_TCP);
        IbvQP qp = cm.createQP(id, c.pd, attributes(c.cq, 4));
        c.receive(qp);
        cm.disconnect(id);
        assertThat(c.completion().getStatus()).isEqualTo(VerbsConstants.WC_WR_FLUSH_ERR);
        cm.destroyCmId(id);
        c.destroy();
    }

    @Test
    void destroyingTheQueueEndsTheWaitForIt() throws Exception {
        Connection c = new Connection(4);
        CompletableFuture<Boolean> waiting = inThread(() -> verbs.getCqEvent(c.channel, c.cq, -1));
        c.destroyIds();
        verbs.destroyCQ(c.cq);
        assertThatThrownBy(() -> get(waiting))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .hasMessageContaining("is destroyed");
        c.destroyRest();
        c.destroyChannels();
    }

    @Test
    void noWakeupIsLostBetweenArmingAndWaiting() throws Exception {
        Connection c = new Connection(4);
        SVCPostSend write = c.send(c.aQp, IbvSendWR.IBV_WR_RDMA_WRITE, c.memory, 8);
        var arm = verbs.reqNotifyCQ(c.cq, false);
        int rounds = 20_000;
        CompletableFuture<Integer> taking = inThread(() -> {
            int taken = 0;
            while (taken < rounds) {
                int n = c.poll.execute().getPolls();
                if (n == 0) {
                    arm.execute();
                    n = c.poll.execute().getPolls();
                    if (n == 0 && !verbs.getCqEvent(c.channel, c.cq, Deadline.MILLIS)) {
                        throw new IOException("no event after " + taken);
                    }
                }
                taken += n;
            }
            return taken;
        });
        for (int i = 0; i < rounds; ) {
            try {
                write.execute();
                i++;
            } catch (IOException full) {
                Thread.onSpinWait();
            }
        }
        assertThat(taking.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(rounds);
        c.destroy();
    }

    @Test
    void wrongOrderOfDestructionLeavesNothingEither() throws Exception {
        Connection c = new Connection(4);
        c.receive(c.bQp);
        c.destroyChannels();
        assertThatThrownBy(() -> c.receive(c.bQp)).hasMessageContaining("event channel is destroyed");
        assertThat(c.completion().getStatus()).isEqualTo(VerbsConstants.WC_WR_FLUSH_ERR);
        c.destroyIds();
        c.destroyRest();
    }

    @Test
    void objectsOfTheTwoModesDoNotMix() throws Exception {
        Connection c = new Connection(4);
        RdmaEventChannel confined = provider.extensions().openConfinedEventChannel();
        RdmaCmId id = cm.createId(confined, RdmaCm.RDMA_PS_TCP);
        assertThatThrownBy(() -> cm.createQP(id, c.pd, attributes(c.cq, 1))).hasMessageContaining("different modes");
        assertThatThrownBy(() -> provider.extensions().attach(confined, c.cq)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> provider.extensions().progress(c.aEvents)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> provider.extensions().postBatch(c.aQp, new WorkRequestBatch(1, 1)))
                .hasMessageContaining("confined");
        assertThatThrownBy(() -> provider.extensions().migrateId(c.b, confined)).hasMessageContaining("confined");
        assertThatThrownBy(() -> verbs.createCQ(id.getVerbs(), c.channel, 1, 0)).hasMessageContaining("contexts");
        assertThatThrownBy(() -> cm.getCmEvent(confined, 10)).hasMessageContaining("VerbsExtensions.await");
        assertThat(cm.getCmEvent(confined, 0)).isNull();
        cm.destroyCmId(id);
        provider.extensions().closeEventChannel(confined);
        c.destroy();
    }
}
