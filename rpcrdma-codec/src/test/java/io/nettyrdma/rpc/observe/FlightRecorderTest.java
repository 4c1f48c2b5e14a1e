// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.ObservedPair;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NoVerbsLeft.class)
class FlightRecorderTest {

    private static final String CALL = "io.nettyrdma.rpc.Call";
    private static final String CONNECTION = "io.nettyrdma.rpc.Connection";
    private static final String REJECTION = "io.nettyrdma.rpc.Rejection";
    private static final int REJECTED_XID = 0x0bad_0001;
    private static final RpcRdmaListener NOBODY = new RpcRdmaListener() {};

    @TempDir
    Path folder;

    @Test
    void callsAreRecorded() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable(CALL).withoutThreshold();
            recording.disable(CONNECTION);
            events = record(recording);
        }

        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals(CALL))
                .extracting(event -> event.getString("role") + " " + event.getLong("xid") + " "
                        + event.getLong("program") + " " + event.getLong("procedure") + " "
                        + event.getString("outcome"))
                .containsExactlyInAnyOrder(
                        "REQUESTER 1 500000 1 REPLIED",
                        "RESPONDER 1 500000 1 REPLIED",
                        "REQUESTER 2 500000 1 REPLIED",
                        "RESPONDER 2 -1 -1 REPLIED",
                        "REQUESTER 57005 500000 1 ERR_CHUNK",
                        "RESPONDER 57005 -1 -1 ERR_CHUNK");
        assertThat(events).allSatisfy(event -> assertThat(event.getDuration()).isPositive());
    }

    @Test
    void connectionsAreRecordedWhenTheyOpenAndWhenTheyEnd() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.disable(CALL);
            recording.enable(CONNECTION);
            events = record(recording);
        }

        assertThat(events)
                .extracting(event -> event.getString("role") + " " + event.getString("state") + " "
                        + event.getLong("inlineCallBytes") + " " + event.getBoolean("remoteInvalidation"))
                .containsExactlyInAnyOrder(
                        "REQUESTER OPENED 4096 true",
                        "RESPONDER OPENED 4096 true",
                        "REQUESTER CLOSED 4096 true",
                        "RESPONDER CLOSED 4096 true");
        assertThat(events)
                .filteredOn(event -> "CLOSED".equals(event.getString("state")))
                .allSatisfy(event -> assertThat(event.getDuration()).isPositive());
    }

    @Test
    void rejectionsAreRecorded() throws Exception {
        Path file = folder.resolve("rejections.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(REJECTION);
            recording.start();
            rejectOne();
            recording.stop();
            recording.dump(file);
        }

        assertThat(RecordingFile.readAllEvents(file))
                .filteredOn(event -> event.getLong("xid") == REJECTED_XID)
                .extracting(event -> event.getString("role") + " " + event.getString("reaction") + " "
                        + event.getString("defect") + " " + event.getInt("offset") + " " + event.getLong("found"))
                .containsExactly("RESPONDER RDMA2_ERROR RDMA2_ERR_INVAL_HTYPE, unknown header type 12 77");
    }

    /** A responder receives a header type that there is not. */
    private static void rejectOne() {
        TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(
                RpcRdmaConfig.builder().versions(2, 2).build()));
        try (pipeline) {
            pipeline.channel.pipeline().fireChannelActive();
            pipeline.receive(TestPipeline.words(REJECTED_XID, 2, Rdma2.credits(64, 32), 77, 0));
            pipeline.dropSends();
        }
    }

    @Test
    void fastCallsStayBelowTheThreshold() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable(CALL).withThreshold(Duration.ofHours(1));
            recording.disable(CONNECTION);
            events = record(recording);
        }

        assertThat(events).isEmpty();
    }

    @Test
    void disabledEventsAreNotRecorded() throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.disable(CALL);
            recording.disable(CONNECTION);
            events = record(recording);
        }

        assertThat(events).isEmpty();
    }

    /** The events of this package that three calls and the connection of theirs leave. */
    private List<RecordedEvent> record(Recording recording) throws Exception {
        recording.start();
        ObservedPair pair = new ObservedPair(NOBODY, NOBODY);
        try (pair) {
            pair.execute(ObservedPair.call(1, List.of(8000), List.of(6000), 8));
            pair.execute(ObservedPair.call(2, List.of(), List.of(), 8));
            pair.fail(ObservedPair.call(ObservedPair.REFUSED_XID, List.of(), List.of(), 8));
            pair.awaitEnds(3);
        }
        recording.stop();
        Path file = folder.resolve("recording.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.nettyrdma.")
                        && pair.channels.contains(event.getString("channel")))
                .toList();
    }
}
