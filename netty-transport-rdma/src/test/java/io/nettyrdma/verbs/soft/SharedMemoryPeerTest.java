// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.verbs.soft.Stage.Role;
import io.nettyrdma.verbs.soft.Stage.Timing;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.ring.SharedFile;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Peers on this host that die while a connection moves to shared memory, or do not keep to it. Another connection goes
 * on, and no file and no memory is left: the stage looks.
 */
@EnabledOnOs(OS.LINUX)
final class SharedMemoryPeerTest {

    private static final long NUMBER = 0x7777_0000_1111_0000L;

    /** How far a peer gets. */
    enum Step {
        BEFORE,
        OFFERED_OR_CLAIMED,
        MARKED,
        MOVED,
        HAS_SENT;

        boolean isReachedBy(Step last) {
            return compareTo(last) <= 0;
        }
    }

    private static Stage stage(Role role) throws Exception {
        Stage stage = new Stage(role, Stage.DEPTH, true, 0, System::nanoTime);
        stage.exchange();
        stage.establish(2, Timing.LATER);
        return stage;
    }

    private static Path folder() throws IOException {
        return Path.of("/dev/shm/netty-rdma-" + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    private static Path name(long number) throws IOException {
        return folder().resolve(String.format("%016x", number));
    }

    private static void expectEnd(Stage s) throws IOException {
        s.node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
        s.exchange();
        s.node.await("memory to go back", () -> s.node.provider.openResources().sharedFiles() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void peerThatOffersAndDiesIsMissed(Step last) throws Exception {
        try (Stage s = stage(Role.INITIATOR)) {
            RawPeer peer = s.peer;
            peer.shared = SharedFile.make(NUMBER);
            if (Step.OFFERED_OR_CLAIMED.isReachedBy(last)) {
                peer.mark(NUMBER);
            }
            if (Step.MARKED.isReachedBy(last)) {
                assertThat(peer.expectMark(s.node)).isEqualTo(NUMBER);
                assertThat(name(NUMBER)).doesNotExist();
            }
            if (Step.MOVED.isReachedBy(last)) {
                peer.mark(NUMBER);
                peer.moveTo(peer.shared);
            }
            if (Step.HAS_SENT.isReachedBy(last)) {
                peer.send(RawPeer.send(1, 0, true, Stage.payload(8)));
            }
            peer.socket.close();
            expectEnd(s);
            int status = last == Step.HAS_SENT ? VerbsConstants.WC_SUCCESS : VerbsConstants.WC_WR_FLUSH_ERR;
            assertThat(s.statuses()).containsEntry(1L, status);
        }
    }

    @ParameterizedTest
    @EnumSource
    void peerThatTakesAnOfferAndDiesIsMissed(Step last) throws Exception {
        try (Stage s = stage(Role.RESPONDER)) {
            RawPeer peer = s.peer;
            peer.mark(Ddp.MARK_HERE);
            long number = peer.expectMark(s.node);
            assertThat(name(number)).exists();
            if (Step.OFFERED_OR_CLAIMED.isReachedBy(last)) {
                peer.shared = SharedFile.claim(number);
            }
            if (Step.MARKED.isReachedBy(last)) {
                peer.mark(number);
            }
            if (Step.MOVED.isReachedBy(last)) {
                assertThat(peer.expectMark(s.node)).isEqualTo(number);
                peer.moveTo(peer.shared);
            }
            if (Step.HAS_SENT.isReachedBy(last)) {
                peer.send(RawPeer.send(1, 0, true, Stage.payload(8)));
            }
            peer.socket.close();
            expectEnd(s);
            assertThat(name(number)).doesNotExist();
            int status = last == Step.HAS_SENT ? VerbsConstants.WC_SUCCESS : VerbsConstants.WC_WR_FLUSH_ERR;
            assertThat(s.statuses()).containsEntry(1L, status);
        }
    }

    /** Marks that lead nowhere are the empty Writes that they are to everyone else. */
    @Test
    void marksOfNothingChangeNothing() throws Exception {
        try (Stage s = stage(Role.INITIATOR)) {
            s.peer.mark(NUMBER);
            s.peer.send(RawPeer.send(1, 0, true, Stage.payload(8)));
            assertThat(s.node.completion().status()).isEqualTo(VerbsConstants.WC_SUCCESS);
            s.peer.shared = SharedFile.make(NUMBER); // too late: a connection is asked once
            s.peer.mark(NUMBER);
            s.peer.mark(0);
            s.peer.send(RawPeer.send(2, 0, true, Stage.payload(8)));
            assertThat(s.node.completion().status()).isEqualTo(VerbsConstants.WC_SUCCESS);
            assertThat(name(NUMBER)).exists();
        }
        try (Stage s = stage(Role.RESPONDER)) {
            s.peer.mark(Ddp.MARK_HERE);
            long number = s.peer.expectMark(s.node);
            s.peer.shared = SharedFile.claim(number);
            s.peer.mark(number + 1);
            s.peer.send(RawPeer.send(1, 0, true, Stage.payload(8)));
            assertThat(s.node.completion().status()).isEqualTo(VerbsConstants.WC_SUCCESS);
            s.peer.mark(number);
            assertThat(s.peer.expectMark(s.node)).isEqualTo(number);
            s.peer.moveTo(s.peer.shared);
            s.peer.mark(number); // a third one, in the ring
            s.peer.send(RawPeer.send(2, 0, true, Stage.payload(8)));
            assertThat(s.node.completion().status()).isEqualTo(VerbsConstants.WC_SUCCESS);
        }
    }

    @Test
    void offerThatHasNoAnswerIsTakenBack() throws Exception {
        try (Stage s = stage(Role.RESPONDER)) {
            s.peer.mark(Ddp.MARK_HERE);
            long number = s.peer.expectMark(s.node);
            s.node.await(
                    "memory to go back", () -> s.node.provider.openResources().sharedFiles() == 0);
            assertThat(name(number)).doesNotExist();
        }
    }

    @Test
    void partOfAnFpduEndsTheConnection() throws Exception {
        try (Stage s = stage(Role.RESPONDER)) {
            s.peer.share(false, s.node);
            s.peer.write(s.peer.fpdu(RawPeer.send(1, 0, true, Stage.payload(8))).limit(20));
            expectEnd(s);
            assertThat(s.node.reason(s.id)).contains("part of an FPDU");
        }
    }

    /** Often, as the JVM tells of the fault at other times when the code is compiled. */
    @RepeatedTest(20)
    void fileThatIsCutShortEndsTheConnection() throws Exception {
        try (Stage s = stage(Role.RESPONDER)) {
            s.peer.shared = SharedFile.make(NUMBER);
            try (FileChannel file = FileChannel.open(name(NUMBER), StandardOpenOption.WRITE)) {
                s.peer.mark(NUMBER);
                s.peer.expectMark(s.node);
                s.peer.mark(NUMBER);
                s.node.drive();
                s.node.drive();
                file.truncate(0);
            }
            s.peer.bell();
            expectEnd(s);
            assertThat(s.node.log.lines).isNotEmpty();
            s.node.log.lines.clear();
        }
    }
}
