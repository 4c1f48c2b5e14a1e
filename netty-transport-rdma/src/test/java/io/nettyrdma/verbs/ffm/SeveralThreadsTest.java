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

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** Programs of several threads, as DiSNI's users write them, over a driver that waits where the test tells it to. */
@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class SeveralThreadsTest {

    /** So many that the memory for the requests of one post is replaced by a larger one. */
    private static final int MANY = 100;

    private final RdmaVerbs verbs = new NativeVerbs();
    private FakeDriver driver;
    private NativeCq queue;
    private NativeQp queuePair;

    @BeforeEach
    void install() throws Exception {
        driver = FakeDriver.install();
        queue = driver.queue();
        queuePair = driver.queuePair(queue);
    }

    @AfterEach
    void driverHasNotFailed() {
        assertThat(driver == null ? null : driver.failure.get()).isNull();
    }

    private static <T> FutureTask<T> start(Callable<T> body) {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not in time");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<IbvSendWR> requests(int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(FakeDriver::request)
                .toList();
    }

    private static IbvRecvWR receive(long id) {
        IbvRecvWR receive = new IbvRecvWR();
        receive.setWr_id(id);
        return receive;
    }

    /** The driver is still reading the list of one thread when the other posts a longer one. */
    @Test
    void listThatTheDriverReadsIsNotTheNextThreads() throws Exception {
        CountDownLatch reads = new CountDownLatch(1);
        CompletableFuture<Thread> second = new CompletableFuture<>();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger atOnce = new AtomicInteger();
        CompletableFuture<List<Long>> first = new CompletableFuture<>();
        driver.send = (qp, request) -> {
            atOnce.accumulateAndGet(inside.incrementAndGet(), Math::max);
            if (!first.isDone() && reads.getCount() > 0) {
                reads.countDown();
                Thread other = second.get(Deadline.SECONDS, TimeUnit.SECONDS);
                while (other.getState() != Thread.State.BLOCKED && atOnce.get() < 2 && other.isAlive()) {
                    Thread.onSpinWait();
                }
                first.complete(FakeDriver.ids(request));
            }
            inside.decrementAndGet();
            return 0;
        };
        FutureTask<Object> one =
                start(() -> verbs.postSend(queuePair, requests(1, 1), null).execute());
        await(reads);
        FutureTask<Object> other = start(() -> {
            second.complete(Thread.currentThread());
            return verbs.postSend(queuePair, requests(2, MANY), null).execute();
        });

        one.get(Deadline.SECONDS, TimeUnit.SECONDS);
        other.get(Deadline.SECONDS, TimeUnit.SECONDS);

        assertThat(first.get()).containsExactly(1L);
        assertThat(atOnce).hasValue(1);
    }

    @Test
    void sendAndReceiveArePostedAtTheSameTime() throws Exception {
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch received = new CountDownLatch(1);
        CompletableFuture<List<Long>> sent = new CompletableFuture<>();
        driver.send = (qp, request) -> {
            sending.countDown();
            await(received);
            sent.complete(FakeDriver.ids(request));
            return 0;
        };
        FutureTask<Object> sender =
                start(() -> verbs.postSend(queuePair, requests(1, 2), null).execute());
        await(sending);

        verbs.postRecv(queuePair, List.of(receive(7), receive(8), receive(9)), null)
                .execute();
        received.countDown();
        sender.get(Deadline.SECONDS, TimeUnit.SECONDS);

        assertThat(sent.get()).containsExactly(1L, 2L);
    }

    /** A loop does not wait for anybody: it alone posts to its queue pairs. */
    @Test
    void loopTakesNoLock() throws Exception {
        WorkRequestBatch batch = new WorkRequestBatch(1, 1);
        batch.add().send(3, VerbsConstants.WR_SEND, 0);
        CompletableFuture<Boolean> locked = new CompletableFuture<>();
        driver.send = (qp, request) -> {
            locked.complete(Thread.holdsLock(queuePair.sends()));
            return 0;
        };
        new NativeExtensions(new NativeContexts()).postBatch(queuePair, batch);
        assertThat(locked.get()).isFalse();
    }

    /** The driver gives one thread its completions, and holds the other until the first has read them. */
    @Test
    void threadsThatPollGetTheirOwnCompletions() throws Exception {
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch overwritten = new CountDownLatch(1);
        driver.poll = (max, completions) -> {
            boolean isFirst = written.getCount() > 0;
            FakeDriver.complete(completions, 0, isFirst ? 1 : 2, 0, 0, 0);
            if (isFirst) {
                written.countDown();
                await(overwritten);
            } else {
                overwritten.countDown();
            }
            return 1;
        };
        FutureTask<Long> one = start(this::pollOne);
        await(written);

        assertThat(pollOne()).isEqualTo(2);
        assertThat(one.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
    }

    private long pollOne() throws IOException {
        IbvWC[] completions = {new IbvWC()};
        assertThat(verbs.pollCQ(queue, completions, 1).execute().getPolls()).isEqualTo(1);
        return completions[0].getWr_id();
    }

    /** A program may give its requests any id. */
    @Test
    void completionOfTheIdMinusOneIsTaken() throws Exception {
        driver.poll = (max, completions) -> {
            FakeDriver.complete(completions, 0, -1, 0, 0, 0);
            return 1;
        };
        assertThat(pollOne()).isEqualTo(-1);
    }

    @Test
    void completionOfAnAnnouncementIsNobodys() throws Exception {
        assertThat(queuePair.announce()).isTrue();
        driver.poll = (max, completions) -> {
            FakeDriver.complete(completions, 0, NativeWorkQueue.ANNOUNCEMENT, 0, 0, 0);
            FakeDriver.complete(completions, 1, 5, 0, 0, 0);
            return 2;
        };
        IbvWC[] completions = {new IbvWC(), new IbvWC()};
        assertThat(verbs.pollCQ(queue, completions, 2).execute().getPolls()).isEqualTo(1);
        assertThat(completions[0].getWr_id()).isEqualTo(5);
    }

    @Test
    void immediateDataGoOutAndComeIn() throws Exception {
        int data = 0x1234_5678;
        CompletableFuture<Integer> sent = new CompletableFuture<>();
        driver.send = (qp, request) -> {
            sent.complete(FakeDriver.at(request, VerbsLayout.IBV_SEND_WR_BYTES)
                    .getInt(VerbsLayout.IBV_SEND_WR_INVALIDATE_RKEY));
            return 0;
        };
        IbvSendWR request = FakeDriver.request(1);
        request.setOpcode(IbvSendWR.IBV_WR_SEND_WITH_IMM);
        request.setImm_data(data);
        verbs.postSend(queuePair, List.of(request), null).execute();
        assertThat(sent.get()).isEqualTo(data);

        int receive = 1 << 7;
        int withImmediate = 1 << 1;
        driver.poll = (max, completions) -> {
            FakeDriver.complete(completions, 0, 1, receive, data, withImmediate);
            return 1;
        };
        IbvWC[] completions = {new IbvWC()};
        verbs.pollCQ(queue, completions, 1).execute();
        assertThat(completions[0].getImm_data()).isEqualTo(data);
        assertThat(completions[0].getWc_flags()).isEqualTo(withImmediate);
    }
}
