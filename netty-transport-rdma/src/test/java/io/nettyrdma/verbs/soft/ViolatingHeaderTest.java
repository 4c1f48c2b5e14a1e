// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Segments whose headers are wrong, whatever message they are of. */
final class ViolatingHeaderTest extends ViolatingPeer {

    @Test
    void wrongDdpVersion() throws Exception {
        peer.send(raw(0x42, 0x43, 0, 0, 1, 0));
        expect(TerminateError.DDP_UNTAGGED_VERSION);
    }

    @Test
    void wrongDdpVersionOfATaggedSegment() throws Exception {
        peer.send(raw(0xc0, 0x40, 1, 0, 0));
        expect(TerminateError.DDP_TAGGED_VERSION);
    }

    @Test
    void wrongRdmapVersion() throws Exception {
        peer.send(raw(0x41, 0x83, 0, 0, 1, 0));
        expect(TerminateError.RDMAP_VERSION);
    }

    @Test
    void unknownOpcode() throws Exception {
        peer.send(raw(0x41, 0x48, 0, 0, 1, 0));
        expect(TerminateError.RDMAP_OPCODE);
    }

    @Test
    void taggedSend() throws Exception {
        receives(1);
        peer.send(raw(0xc1, 0x43, 0, 0, 1, 0));
        expect(TerminateError.RDMAP_OPCODE);
    }

    @Test
    void ulpduTooShortForItsHeader() throws Exception {
        peer.send(raw(0x41, 0x43, 0, 0, 1));
        expect(TerminateError.MPA_LENGTH);
    }

    @Test
    void emptyUlpdu() throws Exception {
        peer.send(out -> {});
        expect(TerminateError.MPA_LENGTH);
    }

    @Test
    void wrongCrcPlacesNothing() throws Exception {
        ByteBuffer fpdu = peer.fpdu(RawPeer.write(memory.getRkey(), memory.getAddr(), true, new byte[] {1, 2, 3, 4}));
        fpdu.put(fpdu.limit() - 1, (byte) ~fpdu.get(fpdu.limit() - 1));
        peer.write(fpdu);
        Terminate t = expect(TerminateError.MPA_CRC);
        assertThat(t.raw()).isEqualTo(0x20020000);
        assertThat(octets.getInt(0)).isZero();
    }

    @Test
    void nothingBehindAViolationIsPlaced() throws Exception {
        ByteBuffer both = ByteBuffer.allocate(256);
        both.put(peer.fpdu(raw(0x41, 0x48, 0, 0, 1, 0)));
        both.put(peer.fpdu(RawPeer.write(memory.getRkey(), memory.getAddr(), true, new byte[] {1, 1, 1, 1})));
        peer.write(both.flip());
        expect(TerminateError.RDMAP_OPCODE);
        assertThat(octets.getInt(0)).isZero();
    }
}
