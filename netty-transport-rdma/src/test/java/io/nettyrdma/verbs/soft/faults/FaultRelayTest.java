// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The relay does what the plan says, no sooner and no later. */
@ExtendWith(NothingLeft.class)
final class FaultRelayTest {

    private static final byte[] TEN = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

    /** Two blocking sockets with a relay between them. */
    private static final class Line implements AutoCloseable {
        final FaultRelay relay;
        final Socket initiator;
        final Socket responder;

        Line(FaultPlan forth, FaultPlan back) throws IOException {
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                server.setSoTimeout(Deadline.MILLIS);
                relay = new FaultRelay((InetSocketAddress) server.getLocalSocketAddress(), forth, back).start();
                initiator =
                        new Socket(relay.address().getAddress(), relay.address().getPort());
                responder = server.accept();
            }
            initiator.setSoTimeout(Deadline.MILLIS);
            responder.setSoTimeout(Deadline.MILLIS);
        }

        byte[] sendTen() throws IOException {
            OutputStream out = initiator.getOutputStream();
            out.write(TEN);
            initiator.shutdownOutput();
            return responder.getInputStream().readAllBytes();
        }

        void expectSilence() throws IOException {
            responder.setSoTimeout(20);
            assertThatThrownBy(() -> responder.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            responder.setSoTimeout(Deadline.MILLIS);
        }

        @Override
        public void close() throws IOException {
            initiator.close();
            responder.close();
            relay.close();
        }
    }

    @Test
    void nothingHappensWithoutAPlan() throws Exception {
        try (Line line = new Line(FaultPlan.none(), FaultPlan.none())) {
            assertThat(line.sendTen()).isEqualTo(TEN);
            line.responder.getOutputStream().write(TEN);
            line.responder.shutdownOutput();
            assertThat(line.initiator.getInputStream().readAllBytes()).isEqualTo(TEN);
            assertThat(line.relay.forthOctets()).isEqualTo(10);
            assertThat(line.relay.backOctets()).isEqualTo(10);
        }
    }

    @Test
    void octetsAreCorrupted() throws Exception {
        FaultPlan plan = FaultPlan.none().corruptAt(9, 0x10).corruptAt(0).segmentsOf(1);
        try (Line line = new Line(plan, FaultPlan.none())) {
            assertThat(line.sendTen()).containsExactly(0xff, 1, 2, 3, 4, 5, 6, 7, 8, 0x19);
        }
    }

    @Test
    void closeEndsBothDirections() throws Exception {
        try (Line line = new Line(FaultPlan.none().closeAt(4), FaultPlan.none())) {
            assertThat(line.sendTen()).containsExactly(0, 1, 2, 3);
            assertThat(line.initiator.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void closeInFrontOfTheFirstOctetNeedsNone() throws Exception {
        try (Line line = new Line(FaultPlan.none(), FaultPlan.none().closeAt(0))) {
            assertThat(line.initiator.getInputStream().read()).isEqualTo(-1);
            assertThat(line.responder.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void resetIsOneForBothSides() throws Exception {
        try (Line line = new Line(FaultPlan.none().holdAt(4).resetAt(4), FaultPlan.none())) {
            line.initiator.getOutputStream().write(TEN);
            InputStream in = line.responder.getInputStream();
            assertThat(in.readNBytes(4)).containsExactly(0, 1, 2, 3);
            line.relay.release();
            assertThatThrownBy(in::read).isInstanceOf(SocketException.class).hasMessageContaining("reset");
            assertThatThrownBy(() -> line.initiator.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
    }

    @Test
    void heldOctetsComeAfterRelease() throws Exception {
        try (Line line = new Line(FaultPlan.none().holdAt(4), FaultPlan.none())) {
            line.initiator.getOutputStream().write(TEN);
            InputStream in = line.responder.getInputStream();
            assertThat(in.readNBytes(4)).containsExactly(0, 1, 2, 3);
            line.expectSilence();
            assertThat(line.relay.isHeld()).isTrue();
            line.relay.release();
            assertThat(in.readNBytes(6)).containsExactly(4, 5, 6, 7, 8, 9);
        }
    }

    @Test
    void stalledDirectionStaysSoAndTheOtherOneGoesOn() throws Exception {
        try (Line line = new Line(FaultPlan.none().stallAt(0), FaultPlan.none())) {
            line.initiator.getOutputStream().write(TEN);
            line.initiator.shutdownOutput();
            line.expectSilence();
            line.relay.release();
            line.expectSilence();
            line.responder.getOutputStream().write(7);
            assertThat(line.initiator.getInputStream().read()).isEqualTo(7);
        }
    }

    @Test
    void finIsKeptBack() throws Exception {
        try (Line line = new Line(FaultPlan.none().withoutFin(), FaultPlan.none())) {
            line.initiator.getOutputStream().write(TEN);
            line.initiator.shutdownOutput();
            assertThat(line.responder.getInputStream().readNBytes(10)).isEqualTo(TEN);
            line.expectSilence();
        }
    }

    @Test
    void plansAdd() {
        FaultPlan both = FaultPlan.none()
                .resetAt(9)
                .segmentsOf(7)
                .and(FaultPlan.none().corruptAt(3).holdAt(9).segmentsOf(5).withoutFin());
        assertThat(both).hasToString("CORRUPT at 3, RESET at 9, HOLD at 9, segments of 5, no FIN");
    }

    @Test
    void laterConnectionsCanHaveOtherPlans() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FaultRelay relay = new FaultRelay(
                                (InetSocketAddress) server.getLocalSocketAddress(),
                                FaultPlan.none().closeAt(0),
                                FaultPlan.none())
                        .start()) {
            server.setSoTimeout(Deadline.MILLIS);
            try (Socket first = new Socket(
                            relay.address().getAddress(), relay.address().getPort());
                    Socket accepted = server.accept()) {
                assertThat(first.getInputStream().read()).isEqualTo(-1);
                assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            }
            relay.plans(FaultPlan.none(), FaultPlan.none());
            try (Socket second = new Socket(
                            relay.address().getAddress(), relay.address().getPort());
                    Socket accepted = server.accept()) {
                second.getOutputStream().write(TEN);
                assertThat(accepted.getInputStream().readNBytes(10)).isEqualTo(TEN);
            }
        }
    }

    @Test
    void oneConnectionCanHaveItsOwnPlansAndBeRecorded() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FaultRelay relay = new FaultRelay(
                                (InetSocketAddress) server.getLocalSocketAddress(), FaultPlan.none(), FaultPlan.none())
                        .start()) {
            server.setSoTimeout(Deadline.MILLIS);
            relay.next(FaultPlan.none().corruptAt(1).stallAt(4).recorded(), FaultPlan.none());
            try (Socket first = new Socket(
                            relay.address().getAddress(), relay.address().getPort());
                    Socket accepted = server.accept()) {
                first.getOutputStream().write(TEN);
                byte[] harmed = accepted.getInputStream().readNBytes(4);
                assertThat(harmed).containsExactly(0, 0xfe, 2, 3);
                assertThat(relay.forthRecord()).isEqualTo(harmed);
                assertThat(relay.backRecord()).isEmpty();
                assertThat(relay.heldConnections()).isOne();
            }
            try (Socket second = new Socket(
                            relay.address().getAddress(), relay.address().getPort());
                    Socket accepted = server.accept()) {
                second.getOutputStream().write(TEN);
                assertThat(accepted.getInputStream().readNBytes(10)).isEqualTo(TEN);
                assertThat(relay.latestForthOctets()).isEqualTo(10);
                assertThat(relay.forthRecord()).isEmpty();
                assertThat(relay.connections()).isEqualTo(2);
            }
        }
    }
}
