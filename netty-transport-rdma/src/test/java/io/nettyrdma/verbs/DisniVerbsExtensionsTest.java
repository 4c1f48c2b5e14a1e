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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The adapter over a device whose waits cannot be woken, here made of objects that only record. */
@Timeout(60)
class DisniVerbsExtensionsTest {

    private static final class Events extends RdmaEventChannel {
        final BlockingQueue<RdmaCmEvent> queue = new LinkedBlockingQueue<>();
        volatile boolean destroyed;
        volatile boolean inUse;
        volatile RuntimeException broken;

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
                return queue.poll(timeout, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            } finally {
                inUse = false;
            }
        }

        @Override
        public int destroyEventChannel() {
            assertThat(inUse).isFalse();
            destroyed = true;
            return 0;
        }
    }

    private static final class Id extends RdmaCmId {
        int destructions;

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

        @Override
        public SendWRMod getWrMod(int index) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SVCPostSend execute() {
            executed = true;
            return this;
        }

        @Override
        public boolean isValid() {
            return true;
        }

        @Override
        public SVCPostSend free() {
            return this;
        }
    }

    private static final class Qp extends IbvQP {
        final List<IbvSendWR> posted = new ArrayList<>();
        final Call call = new Call();

        Qp() throws IOException {
            super(1);
        }

        @Override
        public SVCPostSend postSend(List<IbvSendWR> list, List<IbvSendWR> bad) {
            posted.addAll(list);
            return call;
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
    private DisniVerbsExtensions verbs;

    @BeforeEach
    void open() throws Exception {
        RdmaProviders.get(); // DiSNI's constructors ask for a provider
        events = new Events();
        verbs = new DisniVerbsExtensions(() -> events);
        assertThat(verbs.openConfinedEventChannel()).isSameAs(events);
    }

    @Test
    void connectionEventEndsAWaitAndIsFetchedOnce() throws Exception {
        RdmaCmEvent event = new RdmaCmEvent(0, null, new Id(events));
        events.queue.add(event);
        RdmaCmEvent fetched = null;
        while (fetched == null) {
            verbs.await(events, -1);
            fetched = verbs.pollCmEvent(events);
        }
        assertThat(fetched).isSameAs(event);
        assertThat(verbs.pollCmEvent(events)).isNull();
        verbs.closeEventChannel(events);
    }

    @Test
    void wakeUpBeforeTheWaitIsNotLost() throws Exception {
        verbs.wakeup(events);
        verbs.await(events, -1);
        verbs.closeEventChannel(events);
    }

    @Test
    void wakeUpsOfAnotherThreadEndEveryWait() throws Exception {
        for (int i = 0; i < 1000; i++) {
            Thread waking = new Thread(() -> verbs.wakeup(events));
            waking.start();
            verbs.await(events, -1);
            waking.join();
            verbs.await(events, 0); // takes a wake-up that came late
        }
        verbs.closeEventChannel(events);
    }

    @Test
    void closedEventChannelIsDestroyedWhenNobodyWaitsInIt() throws Exception {
        verbs.closeEventChannel(events);
        assertThat(events.destroyed).isTrue();
        verbs.closeEventChannel(events);
        verbs.wakeup(events);
        assertThatThrownBy(() -> verbs.pollCmEvent(events)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void endOfTheWaitingThreadEndsAWaitAndIsToldAfterTheLastEvent() throws Exception {
        RdmaCmEvent event = new RdmaCmEvent(0, null, new Id(events));
        events.queue.add(event);
        RdmaCmEvent fetched = null;
        while (fetched == null) {
            verbs.await(events, -1);
            fetched = verbs.pollCmEvent(events);
        }
        events.broken = new IllegalStateException("the device file is gone");
        Throwable told = null;
        while (told == null) {
            verbs.await(events, -1);
            try {
                assertThat(verbs.pollCmEvent(events)).isNull();
            } catch (IOException e) {
                told = e;
            }
        }
        assertThat(told).hasMessageContaining("connection events").hasRootCauseMessage("the device file is gone");
        events.inUse = false;
        verbs.closeEventChannel(events);
    }

    @Test
    void endOfTheThreadThatWaitsForCompletionsIsTold() throws Exception {
        CompletionEvents completionEvents = new CompletionEvents();
        IbvCQ queue = new IbvCQ(null, completionEvents, 3);
        verbs.attach(events, queue);
        verbs.checkAttached(events, queue);
        completionEvents.broken = new IOException("the device file is gone");
        Throwable told = null;
        while (told == null) {
            verbs.await(events, -1);
            try {
                verbs.checkAttached(events, queue);
            } catch (IOException e) {
                told = e;
            }
        }
        assertThat(told).hasMessageContaining("completions").hasRootCauseMessage("the device file is gone");
        verbs.detach(events, queue);
        verbs.checkAttached(events, queue);
        verbs.closeEventChannel(events);
    }

    @Test
    void rejectedIdIsLeftToBeDestroyed() throws Exception {
        Id id = new Id(events);
        verbs.reject(id, new byte[0]);
        assertThat(id.destroyId()).isZero();
        assertThat(id.destructions).isOne();
        verbs.closeEventChannel(events);
    }

    @Test
    void batchIsPostedInOrderWithAllItsFields() throws Exception {
        WorkRequestRing ring = new WorkRequestRing(3, 1);
        ring.add().send(11, IbvSendWR.IBV_WR_RDMA_WRITE, 0).remote(0x22, 0x33L).addSge(0x44L, 5, 6);
        ring.add()
                .send(12, WorkRequest.OPCODE_SEND_WITH_INVALIDATE, IbvSendWR.IBV_SEND_SIGNALED)
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
        verbs.closeEventChannel(events);
    }
}
