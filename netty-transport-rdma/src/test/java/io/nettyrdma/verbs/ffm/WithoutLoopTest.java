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
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaCmEvent;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** What programs hear that have threads in DiSNI's calls and no event loop. */
@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class WithoutLoopTest {

    private static final long QUEUE_PAIR = 0x7f0000001000L;
    private static final int CQ_ERR = 0;
    private static final int QP_FATAL = 1;
    private static final int PORT_ACTIVE = 9;

    private FakeDriver driver;
    private Device device;
    private NativeEventChannel events;
    private NativeCm cm;

    /** What a device says without having been asked. */
    private static final class Device extends AsyncEvents {
        final WakeDescriptor descriptor;
        final Queue<Said> events = new ConcurrentLinkedQueue<>();

        private record Said(int type, long element) {}

        Device(WakeDescriptor descriptor) {
            super(0, "fake0", false, descriptor.fd());
            this.descriptor = descriptor;
        }

        void say(int type, long element) {
            events.add(new Said(type, element));
            descriptor.wakeup();
        }

        @Override
        boolean get(NativeMemory event) {
            descriptor.drain();
            Said said = events.poll();
            if (said == null) {
                return false;
            }
            event.octets().putInt(VerbsLayout.IBV_ASYNC_EVENT_EVENT_TYPE, said.type());
            event.octets().putLong(VerbsLayout.IBV_ASYNC_EVENT_ELEMENT, said.element());
            return true;
        }

        @Override
        void acknowledge(NativeMemory event) {
            // C has nothing to wait for
        }
    }

    @BeforeEach
    void install() throws Exception {
        driver = FakeDriver.install();
        device = new Device(new WakeDescriptor());
        NativeContexts contexts = new NativeContexts() {
            @Override
            List<AsyncEvents> asyncEvents() {
                return List.of(device);
            }
        };
        cm = new NativeCm(contexts);
        NativeMemory channel = driver.memory(VerbsLayout.RDMA_EVENT_CHANNEL_BYTES);
        channel.octets().putInt(VerbsLayout.RDMA_EVENT_CHANNEL_FD, VerbsLibrary.eventFd());
        events = new NativeEventChannel(contexts, channel.address()) {
            @Override
            boolean get(NativeMemory event) {
                return false;
            }
        };
    }

    private NativeCmId id() throws IOException {
        return NativeCmId.requested(
                events, driver.memory(VerbsLayout.RDMA_CM_ID_BYTES).address());
    }

    private FutureTask<RdmaCmEvent> take() {
        return start(() -> cm.getCmEvent(events, -1));
    }

    private static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @Test
    void failedQueuePairEndsItsConnection() throws Exception {
        NativeCmId id = id();
        device.watch(QUEUE_PAIR, (what, perhaps) -> events.raise(VerbsConstants.CM_DISCONNECTED, id));
        FutureTask<RdmaCmEvent> taken = take();

        device.say(PORT_ACTIVE, 1); // of no target: ends no wait
        device.say(QP_FATAL, QUEUE_PAIR);

        RdmaCmEvent event = taken.get(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(event.getEvent()).isEqualTo(VerbsConstants.CM_DISCONNECTED);
        assertThat(event.getConnIdPriv()).isSameAs(id);
        assertThat(device.events).isEmpty();
    }

    /** The thread that takes what the device says need not be the one that waits for the connection. */
    @Test
    void eventThatAnotherThreadRaisesEndsTheWait() throws Exception {
        NativeCmId id = id();
        FutureTask<RdmaCmEvent> taken = take();
        events.raise(VerbsConstants.CM_DISCONNECTED, id);
        assertThat(taken.get(Deadline.SECONDS, TimeUnit.SECONDS).getConnIdPriv())
                .isSameAs(id);
    }

    @Test
    void connectionEndsOnce() throws Exception {
        NativeCmId id = id();
        NativeCmId other = id();
        events.raise(VerbsConstants.CM_DISCONNECTED, id);
        events.raise(VerbsConstants.CM_DISCONNECTED, id);
        events.raise(VerbsConstants.CM_DISCONNECTED, other);
        assertThat(cm.getCmEvent(events, 0).getConnIdPriv()).isSameAs(id);
        assertThat(cm.getCmEvent(events, 0).getConnIdPriv()).isSameAs(other);
        assertThat(cm.getCmEvent(events, 0)).isNull();
        assertThat(cm.getCmEvent(events, 1)).isNull();
    }

    /** No event of the completion channel reports it, and the thread may be the only one that waits. */
    @Test
    void failedCompletionQueueEndsTheWaitForItsCompletions() throws Exception {
        NativeCompChannel completions = driver.completionChannel(device);
        NativeCq queue = driver.queue(completions);
        device.watch(queue.pointer(), (what, perhaps) -> queue.fail(what));
        FutureTask<Boolean> taken = start(() -> new NativeVerbs().getCqEvent(completions, null, -1));

        device.say(PORT_ACTIVE, 1); // of no target: ends no wait
        device.say(CQ_ERR, queue.pointer());

        assertThat(taken.get(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(queue::checkFailure).hasMessageContaining("IBV_EVENT_CQ_ERR");
        assertThat(device.events).isEmpty();
        assertThat(new NativeVerbs().getCqEvent(completions, null, 1))
                .as("ends a second wait")
                .isFalse();
    }

    @Test
    void failureOfACompletionQueueThatAnotherThreadTakesEndsTheWait() throws Exception {
        NativeCompChannel completions = driver.completionChannel(device);
        NativeCq queue = driver.queue(completions);
        FutureTask<Boolean> taken = start(() -> new NativeVerbs().getCqEvent(completions, null, -1));
        queue.fail("reason");
        assertThat(taken.get(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();

        queue.fail("before the wait");
        assertThat(new NativeVerbs().getCqEvent(completions, null, 0)).isTrue();
    }

    /** Siw may raise no event for a completion: a thread that would wait for it looks from time to time. */
    @Test
    void completionsOfSiwAreLookedForWithoutAnEvent() throws Exception {
        NativeCompChannel silent = FakeDriver.installSiw().completionChannel();
        assertThat(new NativeVerbs().getCqEvent(silent, null, -1)).isTrue();
        assertThat(new NativeVerbs().getCqEvent(silent, null, 1)).isFalse();
        assertThat(new NativeVerbs().getCqEvent(driver.completionChannel(), null, 30))
                .isFalse();
    }
}
