// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Writes to where they must not go. */
final class ViolatingWriteTest extends ViolatingPeer {

    @Test
    void writeToAnUnknownKey() throws Exception {
        peer.send(RawPeer.write(memory.getRkey() ^ 0x100, memory.getAddr(), true, EIGHT));
        expect(TerminateError.DDP_INVALID_STAG);
    }

    @Test
    void writeToAKeyThatDiffersInItsHighestBitOnly() throws Exception {
        peer.send(RawPeer.write(memory.getRkey() ^ 0x8000_0000, memory.getAddr(), true, EIGHT));
        expect(TerminateError.DDP_INVALID_STAG);
    }

    @Test
    void writeToADeregisteredKey() throws Exception {
        node.verbs.deregMr(memory).execute();
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr(), true, EIGHT));
        expect(TerminateError.DDP_INVALID_STAG);
    }

    @Test
    @Requirement({"V1-139", "V2-160"})
    void writeWithoutTheRight() throws Exception {
        SoftMr local = node.register(64, Node.LOCAL | IbvMr.IBV_ACCESS_REMOTE_READ);
        peer.send(RawPeer.write(local.getRkey(), local.getAddr(), true, EIGHT));
        expect(TerminateError.DDP_INVALID_STAG);
    }

    @Test
    @Requirement("V1-141")
    void writeToAnotherProtectionDomain() throws Exception {
        SoftMr other = node.register(node.newPd(), ByteBuffer.allocateDirect(64), Node.ALL);
        peer.send(RawPeer.write(other.getRkey(), other.getAddr(), true, EIGHT));
        expect(TerminateError.DDP_STAG_NOT_ASSOCIATED);
    }

    @Test
    @Requirement({"V1-139", "V2-160"})
    void writeBeforeTheStart() throws Exception {
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr() - 1, true, EIGHT));
        expect(TerminateError.DDP_BOUNDS);
    }

    @Test
    @Requirement({"V1-139", "V2-160"})
    void writeBeyondTheEnd() throws Exception {
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr() + 4096 - 7, true, EIGHT));
        expect(TerminateError.DDP_BOUNDS);
    }

    @Test
    void writeUpToTheEndIsFine() throws Exception {
        byte[] ones = {1, 1, 1, 1, 1, 1, 1, 1};
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr() + 4096 - 8, true, ones));
        node.await("the Write", () -> octets.get(4095) == 1);
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr() + 4096, true, new byte[1]));
        expect(TerminateError.DDP_BOUNDS);
    }

    @Test
    @Requirement({"V1-139", "V2-160"})
    void writeThatWraps() throws Exception {
        peer.send(RawPeer.write(memory.getRkey(), -4, true, EIGHT));
        expect(TerminateError.DDP_TO_WRAP);
    }

    @Test
    void writeWhoseSecondSegmentIsElsewhere() throws Exception {
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr(), false, EIGHT));
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr() + 16, true, EIGHT));
        expect(TerminateError.DDP_BOUNDS);
    }

    @Test
    void writeWhoseSecondSegmentHasAnotherKey() throws Exception {
        SoftMr other = node.register(64, Node.ALL);
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr(), false, EIGHT));
        peer.send(RawPeer.write(other.getRkey(), memory.getAddr() + 8, true, EIGHT));
        expect(TerminateError.DDP_INVALID_STAG);
    }

    @Test
    void writeWhoseKeyIsInvalidatedBetweenSegments() throws Exception {
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr(), false, new byte[] {1, 1, 1, 1}));
        node.await("the first segment", () -> octets.getInt(0) == 0x01010101);
        node.verbs.deregMr(memory).execute();
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr() + 4, true, new byte[] {2, 2, 2, 2}));
        expect(TerminateError.DDP_INVALID_STAG);
        assertThat(octets.getInt(4)).isZero();
    }

    @Test
    void sendMayComeBetweenTheSegmentsOfAWrite() throws Exception {
        receives(1);
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr() + 100, false, EIGHT));
        peer.send(RawPeer.send(1, 0, true, EIGHT));
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr() + 108, true, new byte[] {5, 5, 5, 5}));
        assertThat(node.completion().status()).isZero();
        node.await("the Write", () -> octets.get(111) == 5);
    }
}
