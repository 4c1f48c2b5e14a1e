// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.sun.management.ThreadMXBean;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** What is over as soon as an event is acknowledged: threads that destroy things wait for that. */
@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class AcknowledgementTest {

    private static final long QUEUE_PAIR = 0x7f0000001000L;

    private FakeDriver driver;

    @BeforeEach
    void install() throws Exception {
        driver = FakeDriver.install();
    }

    private NativeContexts contexts() {
        return new NativeContexts() {
            @Override
            NativeContext of(long pointer) {
                assertThat(pointer).isEqualTo(driver.context.pointer());
                return driver.context;
            }
        };
    }

    private static final class Events extends NativeEventChannel {
        Runnable whenAcknowledged = () -> {};

        Events(NativeContexts contexts, NativeMemory channel) throws IOException {
            super(contexts, channel.address());
        }

        @Override
        void acknowledge(long event) {
            whenAcknowledged.run();
        }
    }

    private NativeMemory channel() throws IOException {
        NativeMemory memory = driver.memory(VerbsLayout.RDMA_EVENT_CHANNEL_BYTES);
        memory.octets().putInt(VerbsLayout.RDMA_EVENT_CHANNEL_FD, VerbsLibrary.eventFd());
        return memory;
    }

    private NativeMemory event(int type, NativeMemory id) {
        NativeMemory event = driver.memory(VerbsLayout.RDMA_CM_EVENT_BYTES);
        event.octets()
                .putInt(VerbsLayout.RDMA_CM_EVENT_EVENT, type)
                .putLong(VerbsLayout.RDMA_CM_EVENT_ID, id.address());
        return event;
    }

    private NativeMemory id() {
        NativeMemory id = driver.memory(VerbsLayout.RDMA_CM_ID_BYTES);
        id.octets().putLong(VerbsLayout.RDMA_CM_ID_VERBS, driver.context.pointer());
        return id;
    }

    /** Another thread destroys the id as soon as it may. */
    @Test
    void connectionEventIsReadBefore() throws Exception {
        Events events = new Events(contexts(), channel());
        NativeMemory struct = id();
        NativeCmId id = NativeCmId.requested(events, struct.address());
        events.whenAcknowledged = () -> {
            events.remove(id);
            struct.octets().putLong(VerbsLayout.RDMA_CM_ID_VERBS, 0xdeadL);
        };

        NativeCmEvent event =
                events.copy(event(VerbsConstants.CM_ADDR_RESOLVED, struct).address());

        assertThat(event).isNotNull();
        assertThat(event.getConnIdPriv()).isSameAs(id);
        assertThat(id.getVerbs()).isSameAs(driver.context);
    }

    @Test
    void eventOfAnIdThatIsGoneIsAcknowledged() throws Exception {
        Events events = new Events(contexts(), channel());
        List<String> calls = new ArrayList<>();
        events.whenAcknowledged = () -> calls.add("acknowledged");

        assertThat(events.copy(event(VerbsConstants.CM_ESTABLISHED, id()).address()))
                .isNull();

        assertThat(calls).containsExactly("acknowledged");
    }

    /** What happened to a queue pair may be told after its id was destroyed. */
    @Test
    void eventOfThisSidesMakingIsNotGivenForAnIdThatIsGone() throws Exception {
        Events events = new Events(contexts(), channel());
        NativeCmId gone = NativeCmId.requested(events, id().address());
        NativeCmId present = NativeCmId.requested(events, id().address());
        events.raise(VerbsConstants.CM_DISCONNECTED, gone);
        events.raise(VerbsConstants.CM_DISCONNECTED, present);
        gone.close();

        assertThat(events.take().getConnIdPriv()).isSameAs(present);
    }

    @Test
    void failureOfAQueuePairIsToldBefore() {
        List<String> calls = new ArrayList<>();
        AsyncEvents events = new AsyncEvents(0, "fake0", false, 7) {
            private int left = 1;

            @Override
            boolean get(NativeMemory event) {
                event.octets().putInt(VerbsLayout.IBV_ASYNC_EVENT_EVENT_TYPE, 1);
                event.octets().putLong(VerbsLayout.IBV_ASYNC_EVENT_ELEMENT, QUEUE_PAIR);
                return left-- > 0;
            }

            @Override
            void acknowledge(NativeMemory event) {
                calls.add("acknowledged");
            }
        };
        events.watch(QUEUE_PAIR, what -> calls.add("told"));

        events.take();

        assertThat(calls).containsExactly("told", "acknowledged");
    }

    @Test
    void eventsOfCompletionsAndWakeupsAllocateNothing() throws Exception {
        NativeCompChannel completions = driver.completionChannel();
        List<NativeCq> queues = List.of(driver.queue(), driver.queue());
        queues.forEach(completions::add);
        WakeDescriptor wake = new WakeDescriptor();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int rounds = 20_000;
        // Until the compiler is done with it: interpreted, a call of C allocates its arguments.
        Deadline.until(
                () -> {
                    long before = threads.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < rounds; i++) {
                        if (completions.queue(queues.get(1).pointer()) != queues.get(1)) {
                            throw new AssertionError();
                        }
                        wake.wakeup();
                        wake.drain();
                    }
                    return threads.getCurrentThreadAllocatedBytes() - before < rounds;
                },
                "rounds that allocate nothing");
        wake.close();
        completions.remove(queues.get(1));
        assertThat(completions.queue(queues.get(1).pointer())).isNull();
        assertThat(completions.queue(queues.get(0).pointer())).isSameAs(queues.get(0));
    }

    @Test
    void onlyIwarpNeedsToBeWrittenByThePeerToRead() throws Exception {
        NativeExtensions extensions = new NativeExtensions(contexts());
        assertThat(extensions.readTargetAccess(new IbvPd(driver.context))).isEqualTo(IbvMr.IBV_ACCESS_LOCAL_WRITE);
        assertThat(extensions.readTargetAccess(new IbvPd(FakeDriver.installIwarp().context)))
                .isEqualTo(IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE);
    }
}
