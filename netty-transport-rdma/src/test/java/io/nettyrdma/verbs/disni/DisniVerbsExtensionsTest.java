// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.choice.RdmaProviders;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The adapter over a device whose waits cannot be woken, here made of objects that only record. */
class DisniVerbsExtensionsTest {

    private static final class Events extends RdmaEventChannel {
        final BlockingQueue<RdmaCmEvent> queue = new LinkedBlockingQueue<>();
        volatile boolean destroyed;
        volatile boolean inUse;
        volatile RuntimeException broken;
        /** While it is closed, a wait lasts, whatever its bound. */
        volatile CountDownLatch gate = new CountDownLatch(0);

        final AtomicInteger overlaps = new AtomicInteger();
        final List<RdmaCmId> created = new CopyOnWriteArrayList<>();

        Events() throws IOException {
            super(7);
        }

        @Override
        public RdmaCmEvent getCmEvent(int timeout) throws IOException {
            inUse = true;
            RuntimeException wanted = broken;
            if (wanted != null) {
                throw wanted;
            }
            try {
                assertThat(gate.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
                return queue.poll(timeout, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            } finally {
                inUse = false;
            }
        }

        @Override
        public RdmaCmId createId(short portSpace) throws IOException {
            if (inUse) {
                overlaps.incrementAndGet();
            }
            Id id = new Id(this);
            created.add(id);
            return id;
        }

        @Override
        public int destroyEventChannel() {
            assertThat(inUse).isFalse();
            destroyed = true;
            return 0;
        }
    }

    private static final class Id extends RdmaCmId {
        volatile int destructions;

        Id(RdmaEventChannel events) throws IOException {
            super(events, null);
        }

        @Override
        public int destroyId() throws IOException {
            if (destructions++ > 0) {
                throw new IOException("Trying to destroy an already destroyed ID"); // as libdisni does
            }
            return 0;
        }
    }

    private static final class Call extends SVCPostSend {
        boolean executed;
        boolean freed;
        IOException refused;

        @Override
        public SendWRMod getWrMod(int index) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SVCPostSend execute() throws IOException {
            executed = true;
            if (refused != null) {
                throw refused;
            }
            return this;
        }

        @Override
        public boolean isValid() {
            return true;
        }

        @Override
        public SVCPostSend free() {
            freed = true;
            return this;
        }
    }

    private static final class ReceiveCall extends SVCPostRecv {
        boolean freed;

        @Override
        public RecvWRMod getWrMod(int index) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SVCPostRecv execute() throws IOException {
            throw new IOException("j2c::post_recv: ibv_post_recv failed: Cannot allocate memory\n");
        }

        @Override
        public boolean isValid() {
            return true;
        }

        @Override
        public SVCPostRecv free() {
            freed = true;
            return this;
        }
    }

    private static final class Qp extends IbvQP {
        final List<IbvSendWR> posted = new ArrayList<>();
        final Call call = new Call();
        final ReceiveCall receiveCall = new ReceiveCall();

        Qp() throws IOException {
            super(1);
        }

        @Override
        public SVCPostSend postSend(List<IbvSendWR> list, List<IbvSendWR> bad) {
            posted.addAll(list);
            return call;
        }

        @Override
        public SVCPostRecv postRecv(List<IbvRecvWR> list, List<IbvRecvWR> bad) {
            return receiveCall;
        }
    }

    private static final class CompletionEvents extends IbvCompChannel {
        volatile IOException broken;

        CompletionEvents() throws IOException {
            super(5, null);
        }

        @Override
        public boolean getCqEvent(IbvCQ queue, int timeout) throws IOException {
            Thread.yield();
            if (broken != null) {
                throw broken;
            }
            return false;
        }
    }

    private Events events;
    private int channelsCreated;
    private DisniVerbsExtensions verbs;
    /** What the loop of most tests here has. */
    private RdmaEventChannel loop;

    @BeforeEach
    void open() throws Exception {
        RdmaProviders.get(); // DiSNI's constructors ask for a provider
        events = new Events();
        verbs = new DisniVerbsExtensions(() -> {
            channelsCreated++;
            return events;
        });
        loop = verbs.openConfinedEventChannel();
    }

    @AfterEach
    void close() throws Exception {
        verbs.closeEventChannel(loop);
    }

    /** The next event of a loop. */
    private RdmaCmEvent next(RdmaEventChannel loop) throws IOException {
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        RdmaCmEvent fetched = null;
        while (fetched == null) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("no connection event within " + Deadline.SECONDS + " s");
            }
            verbs.await(loop, Deadline.DURATION.toNanos());
            fetched = verbs.pollCmEvent(loop);
        }
        return fetched;
    }

    /** The provider's event about its id behind {@code id}. */
    private static RdmaCmEvent event(EventType type, RdmaCmId listener, RdmaCmId connection) throws IOException {
        return new RdmaCmEvent(type.ordinal(), listener, connection);
    }

    /** What the provider, not the channel, calls the id that was created last. */
    private RdmaCmId lastCreated() {
        return events.created.get(events.created.size() - 1);
    }

    @Test
    void oneEventChannelOfTheProviderServesAllLoopsAndEndsWithTheLast() throws Exception {
        RdmaEventChannel second = verbs.openConfinedEventChannel();
        assertThat(second).isNotSameAs(loop);
        assertThat(channelsCreated).isOne();
        verbs.closeEventChannel(loop);
        assertThat(events.destroyed).isFalse();
        verbs.closeEventChannel(second);
        assertThat(events.destroyed).isTrue();
    }

    @Test
    void everyLoopGetsTheEventsOfItsIds() throws Exception {
        RdmaEventChannel second = verbs.openConfinedEventChannel();
        RdmaCmId first = loop.createId(RdmaCm.RDMA_PS_TCP);
        RdmaCmId behindFirst = lastCreated();
        RdmaCmId other = second.createId(RdmaCm.RDMA_PS_TCP);
        events.queue.add(event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, null, lastCreated()));
        events.queue.add(event(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, null, behindFirst));
        assertThat(next(loop).getConnIdPriv()).isSameAs(first);
        assertThat(verbs.pollCmEvent(loop)).isNull();
        assertThat(next(second).getConnIdPriv()).isSameAs(other);
        verbs.closeEventChannel(second);
    }

    @Test
    void requestedConnectionMovesToAnotherLoopWithTheEventsThatWaitForIt() throws Exception {
        RdmaEventChannel second = verbs.openConfinedEventChannel();
        RdmaCmId listener = loop.createId(RdmaCm.RDMA_PS_TCP);
        Id behindChild = new Id(events);
        events.queue.add(event(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, lastCreated(), behindChild));
        RdmaCmEvent request = next(loop);
        assertThat(request.getListenIdPriv()).isSameAs(listener);
        RdmaCmId child = request.getConnIdPriv();

        events.queue.add(event(EventType.RDMA_CM_EVENT_ESTABLISHED, null, behindChild));
        verbs.await(loop, Deadline.DURATION.toNanos()); // it has come, for the listener's loop
        verbs.migrateId(child, second);
        events.queue.add(event(EventType.RDMA_CM_EVENT_DISCONNECTED, null, behindChild));

        assertThat(child.getCmChannel()).isSameAs(second);
        RdmaCmEvent established = next(second);
        assertThat(established.getEvent()).isEqualTo(EventType.RDMA_CM_EVENT_ESTABLISHED.ordinal());
        assertThat(established.getConnIdPriv()).isSameAs(child);
        assertThat(next(second).getEvent()).isEqualTo(EventType.RDMA_CM_EVENT_DISCONNECTED.ordinal());
        assertThat(verbs.pollCmEvent(loop)).isNull();
        verbs.closeEventChannel(loop);
        verbs.closeEventChannel(second);
    }

    @Test
    void eventsOfADestroyedIdAreDropped() throws Exception {
        RdmaCmId gone = loop.createId(RdmaCm.RDMA_PS_TCP);
        RdmaCmId behindGone = lastCreated();
        RdmaCmId present = loop.createId(RdmaCm.RDMA_PS_TCP);
        gone.destroyId();
        events.queue.add(event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, null, behindGone));
        events.queue.add(event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, null, lastCreated()));
        assertThat(next(loop).getConnIdPriv()).isSameAs(present);
    }

    @Test
    void requestsThatNobodyFetchesAreEndedWithTheirLoop() throws Exception {
        RdmaEventChannel second = verbs.openConfinedEventChannel();
        loop.createId(RdmaCm.RDMA_PS_TCP);
        Id queued = new Id(events);
        RdmaCmId listener = lastCreated();
        events.queue.add(event(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, listener, queued));
        verbs.await(loop, Deadline.DURATION.toNanos());
        verbs.closeEventChannel(loop);
        assertThat(queued.destructions).isOne();

        Id late = new Id(events);
        second.createId(RdmaCm.RDMA_PS_TCP);
        events.queue.add(event(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, listener, late));
        events.queue.add(event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, null, lastCreated()));
        next(second);
        assertThat(late.destructions).isOne();
        verbs.closeEventChannel(second);
    }

    @Test
    void idsAreCreatedOnlyWhileNobodyLooksForEvents() throws Exception {
        events.gate = new CountDownLatch(1);
        Deadline.until(() -> events.inUse, "the thread that waits for events is in the provider");
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        Thread creating = new Thread(() -> {
            try {
                loop.createId(RdmaCm.RDMA_PS_TCP);
            } catch (IOException e) {
                failures.add(e);
            }
        });
        creating.start();
        Deadline.until(
                () -> creating.getState() == Thread.State.WAITING || creating.getState() == Thread.State.TERMINATED,
                "the other thread waits for its turn, or has not waited");
        events.gate.countDown();
        creating.join(Deadline.MILLIS);
        assertThat(creating.isAlive()).isFalse();
        assertThat(failures).isEmpty();
        assertThat(events.overlaps).hasValue(0);
    }

    @Test
    void wakeUpBeforeTheWaitIsNotLost() throws Exception {
        verbs.wakeup(loop);
        verbs.await(loop, -1);
    }

    @Test
    void wakeUpsOfAnotherThreadEndEveryWait() throws Exception {
        for (int i = 0; i < 1000; i++) {
            Thread waking = new Thread(() -> verbs.wakeup(loop));
            waking.start();
            verbs.await(loop, -1);
            waking.join();
            verbs.await(loop, 0); // takes a wake-up that came late
        }
    }

    @Test
    void closedEventChannelIsDestroyedWhenNobodyWaitsInIt() throws Exception {
        verbs.closeEventChannel(loop);
        assertThat(events.destroyed).isTrue();
        verbs.closeEventChannel(loop);
        verbs.wakeup(loop);
        assertThatThrownBy(() -> verbs.pollCmEvent(loop)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void endOfTheWaitingThreadEndsAWaitAndIsToldAfterTheLastEvent() throws Exception {
        loop.createId(RdmaCm.RDMA_PS_TCP);
        events.queue.add(event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, null, lastCreated()));
        next(loop);
        events.broken = new IllegalStateException("the device file is gone");
        Throwable told = null;
        while (told == null) {
            verbs.await(loop, -1);
            try {
                assertThat(verbs.pollCmEvent(loop)).isNull();
            } catch (IOException e) {
                told = e;
            }
        }
        assertThat(told).hasMessageContaining("connection events").hasRootCauseMessage("the device file is gone");
        events.inUse = false;
    }

    @Test
    void endOfTheThreadThatWaitsForCompletionsIsTold() throws Exception {
        CompletionEvents completionEvents = new CompletionEvents();
        IbvCQ queue = new IbvCQ(null, completionEvents, 3);
        verbs.attach(loop, queue);
        verbs.checkAttached(loop, queue);
        completionEvents.broken = new IOException("the device file is gone");
        Throwable told = null;
        while (told == null) {
            verbs.await(loop, -1);
            try {
                verbs.checkAttached(loop, queue);
            } catch (IOException e) {
                told = e;
            }
        }
        assertThat(told).hasMessageContaining("completions").hasRootCauseMessage("the device file is gone");
        verbs.detach(loop, queue);
        verbs.checkAttached(loop, queue);
    }

    @Test
    void rejectedIdIsLeftToBeDestroyed() throws Exception {
        Id id = new Id(events);
        verbs.reject(id, new byte[0]);
        assertThat(id.destroyId()).isZero();
        assertThat(id.destructions).isOne();
    }

    @Test
    void refusedPostsGiveTheirCommandBuffersBack() throws Exception {
        WorkRequestBatch ring = new WorkRequestBatch(1);
        ring.add().send(11, IbvSendWR.IBV_WR_SEND, 0);
        Qp qp = new Qp();
        qp.call.refused = new IOException("j2c::post_send: ibv_post_send failed: Invalid argument\n");
        assertThatThrownBy(() -> verbs.postBatch(qp, ring)).hasMessageContaining("Invalid argument");
        assertThat(qp.call.freed).isTrue();
        assertThatThrownBy(() -> verbs.postReceives(qp, ring)).hasMessageContaining("Cannot allocate memory");
        assertThat(qp.receiveCall.freed).isTrue();
    }

    @Test
    void targetsOfReadsCanBeWrittenByThePeerAsIwarpHardwareWantsIt() throws Exception {
        assertThat(verbs.readTargetAccess(null))
                .isEqualTo(IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE);
    }

    @Test
    void emptyBatchIsNotPosted() throws Exception {
        Qp qp = new Qp();
        verbs.postBatch(qp, new WorkRequestBatch(1));
        verbs.postReceives(qp, new WorkRequestBatch(1));
        assertThat(qp.call.executed).isFalse();
    }

    @Test
    void batchIsPostedInOrderWithAllItsFields() throws Exception {
        WorkRequestBatch ring = new WorkRequestBatch(3);
        ring.add().send(11, IbvSendWR.IBV_WR_RDMA_WRITE, 0).remote(0x22, 0x33L).local(0x44L, 5, 6);
        ring.add()
                .send(12, VerbsConstants.WR_SEND_WITH_INV, IbvSendWR.IBV_SEND_SIGNALED)
                .remote(0x77, 0);
        Qp qp = new Qp();
        verbs.postBatch(qp, ring);
        assertThat(qp.call.executed).isTrue();
        assertThat(qp.posted).extracting(IbvSendWR::getWr_id).containsExactly(11L, 12L);
        IbvSendWR write = qp.posted.get(0);
        assertThat(write.getRdma().getRkey()).isEqualTo(0x22);
        assertThat(write.getRdma().getRemote_addr()).isEqualTo(0x33);
        assertThat(write.getSge(0).getAddr()).isEqualTo(0x44);
        assertThat(write.getSge(0).getLength()).isEqualTo(5);
        assertThat(write.getSge(0).getLkey()).isEqualTo(6);
        IbvSendWR send = qp.posted.get(1);
        assertThat(send.getOpcode()).isEqualTo(9);
        assertThat(send.getImm_data()).isEqualTo(0x77);
        assertThat(send.getNum_sge()).isZero();
        assertThat(send.getSend_flags()).isEqualTo(IbvSendWR.IBV_SEND_SIGNALED);
    }
}
