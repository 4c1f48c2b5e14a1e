// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvSendWR;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** Posts and polls over a driver that the test plays. */
@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class PostAndPollTest {

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

    /** A completion. */
    private record Polled(long id, int immediate, int flags) {}

    private Polled pollOne() throws IOException {
        List<Polled> polled = new ArrayList<>();
        new NativePoll(queue)
                .poll((id, status, opcode, bytes, immediate, queuePair, flags) ->
                        polled.add(new Polled(id, immediate, flags)));
        assertThat(polled).hasSize(1);
        return polled.get(0);
    }

    /** A program may give its requests any id. */
    @Test
    void completionOfTheIdMinusOneIsTaken() throws Exception {
        driver.poll = (max, completions) -> {
            FakeDriver.complete(completions, 0, -1, 0, 0, 0);
            return 1;
        };
        assertThat(pollOne().id()).isEqualTo(-1);
    }

    @Test
    void completionOfAnAnnouncementIsNobodys() throws Exception {
        assertThat(queuePair.announce()).isTrue();
        driver.poll = (max, completions) -> {
            FakeDriver.complete(completions, 0, NativeWorkQueue.ANNOUNCEMENT, 0, 0, 0);
            FakeDriver.complete(completions, 1, 5, 0, 0, 0);
            return 2;
        };
        assertThat(pollOne().id()).isEqualTo(5);
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
        WorkRequestBatch requests = new WorkRequestBatch(1);
        requests.add()
                .send(1, IbvSendWR.IBV_WR_SEND_WITH_IMM, 0)
                .immediate(data)
                .local(0, 0, 0);
        queuePair.sends().post(requests);
        assertThat(sent.get()).isEqualTo(data);

        int receive = 1 << 7;
        int withImmediate = 1 << 1;
        driver.poll = (max, completions) -> {
            FakeDriver.complete(completions, 0, 1, receive, data, withImmediate);
            return 1;
        };
        assertThat(pollOne()).isEqualTo(new Polled(1, data, withImmediate));
    }
}
