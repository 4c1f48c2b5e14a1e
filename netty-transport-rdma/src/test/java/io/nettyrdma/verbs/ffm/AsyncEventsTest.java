// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.logs.ExpectedLog;
import io.nettyrdma.logs.Logs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whom the events of a device concern; the types are those of {@code enum ibv_event_type}. */
class AsyncEventsTest {

    private static final int PORT_ERR = 10;
    private static final long QUEUE_PAIR = 0x7f0000001000L;
    private static final long COMPLETION_QUEUE = 0x7f0000002000L;

    private final AsyncEvents events = new AsyncEvents(0x7f0000000000L, "rxe0", false, 7);
    private final List<String> queuePair = new ArrayList<>();
    private final List<String> completionQueue = new ArrayList<>();

    AsyncEventsTest() {
        events.watch(QUEUE_PAIR, queuePair::add);
        events.watch(COMPLETION_QUEUE, completionQueue::add);
    }

    @ParameterizedTest
    @CsvSource({"1, IBV_EVENT_QP_FATAL", "2, IBV_EVENT_QP_REQ_ERR", "3, IBV_EVENT_QP_ACCESS_ERR"})
    void queuePairHearsOfItsFailure(int type, String name) {
        events.on(type, QUEUE_PAIR);

        assertThat(queuePair).singleElement().asString().startsWith(name);
        assertThat(completionQueue).isEmpty();
    }

    @Test
    void eventsThatSiwRaisesAlsoWhenThePeerClosesAreNoFailures() {
        AsyncEvents ofSiw = new AsyncEvents(0x7f0000000000L, "siw0", true, 7);
        ofSiw.watch(QUEUE_PAIR, queuePair::add);
        ofSiw.on(1, QUEUE_PAIR);
        ofSiw.on(2, QUEUE_PAIR);
        assertThat(queuePair).isEmpty();
        ofSiw.on(3, QUEUE_PAIR);
        assertThat(queuePair).singleElement().asString().startsWith("IBV_EVENT_QP_ACCESS_ERR");
    }

    @Test
    void completionQueueHearsOfItsFailure() {
        events.on(0, COMPLETION_QUEUE);

        assertThat(completionQueue).singleElement().asString().startsWith("IBV_EVENT_CQ_ERR");
        assertThat(queuePair).isEmpty();
    }

    @Test
    void everybodyHearsOfTheEndOfTheDevice() {
        events.on(8, 0);

        assertThat(queuePair).singleElement().asString().contains("rxe0");
        assertThat(completionQueue).singleElement().asString().contains("rxe0");
    }

    @Test
    void whoIsGoneHearsNothing() {
        events.unwatch(QUEUE_PAIR);

        events.on(1, QUEUE_PAIR);
        events.on(8, 0);

        assertThat(queuePair).isEmpty();
    }

    /** The number of the port is the first half of what is a pointer for others. */
    @Test
    void portThatIsDownIsLoggedAndNothingElse() {
        ExpectedLog log = Logs.expect(AsyncEvents.class, "port 1 of RDMA device rxe0 is down");

        events.on(PORT_ERR, 0xdeadbeef00000001L);

        assertThat(log.lines()).hasSize(1);
        assertThat(queuePair).isEmpty();
        assertThat(completionQueue).isEmpty();
    }
}
