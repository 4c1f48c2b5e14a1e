// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Reads of what they must not see, and more of them than were agreed. */
final class ViolatingReadRequestTest extends ViolatingPeer {

    private void read(int msn, int size, int key, long address) throws IOException {
        peer.send(RawPeer.readRequest(msn, 0xaabb, 0x1000, size, key, address));
    }

    @Test
    void readOfAnUnknownKey() throws Exception {
        read(1, 8, memory.getRkey() + 1, memory.getAddr());
        Terminate t = expect(TerminateError.RDMAP_INVALID_STAG);
        ByteBuffer request = ByteBuffer.wrap(t.readRequest());
        assertThat(ReadRequest.sinkStag(request, 0)).isEqualTo(0xaabb);
        assertThat(ReadRequest.size(request, 0)).isEqualTo(8);
    }

    @Test
    @Requirement({"V1-139", "V2-160"})
    void readWithoutTheRight() throws Exception {
        SoftMr local = node.register(64, Node.LOCAL | IbvMr.IBV_ACCESS_REMOTE_WRITE);
        read(1, 8, local.getRkey(), local.getAddr());
        expect(TerminateError.RDMAP_ACCESS);
    }

    @Test
    @Requirement("V1-141")
    void readOfAnotherProtectionDomain() throws Exception {
        SoftMr other = node.register(node.newPd(), ByteBuffer.allocateDirect(64), Node.ALL);
        read(1, 8, other.getRkey(), other.getAddr());
        expect(TerminateError.RDMAP_STAG_NOT_ASSOCIATED);
    }

    @Test
    @Requirement({"V1-139", "V2-160"})
    void readOutOfBounds() throws Exception {
        read(1, 4097, memory.getRkey(), memory.getAddr());
        expect(TerminateError.RDMAP_BOUNDS);
    }

    @Test
    void readOfFourGigabytes() throws Exception {
        read(1, -1, memory.getRkey(), memory.getAddr());
        expect(TerminateError.RDMAP_BOUNDS);
    }

    @Test
    @Requirement({"V1-139", "V2-160"})
    void readThatWraps() throws Exception {
        read(1, 64, memory.getRkey(), -8);
        expect(TerminateError.RDMAP_TO_WRAP);
    }

    @Test
    void readWithAWrongMsn() throws Exception {
        read(2, 8, memory.getRkey(), memory.getAddr());
        expect(TerminateError.DDP_MSN_RANGE);
    }

    @Test
    void readRequestWithFourOctetsTooMany() throws Exception {
        peer.send(out -> {
            RawPeer.readRequest(1, 1, 0, 8, memory.getRkey(), memory.getAddr()).accept(out);
            out.putInt(0);
        });
        expect(TerminateError.DDP_TOO_LONG);
    }

    @Test
    void readRequestTooShort() throws Exception {
        peer.send(out -> {
            RawPeer.readRequest(1, 1, 0, 8, memory.getRkey(), memory.getAddr()).accept(out);
            out.position(out.position() - 4);
        });
        expect(TerminateError.MPA_LENGTH);
    }

    @Test
    void readsBeyondTheAgreedDepth() throws Exception {
        // All in one TCP segment, so that none is answered in between; 4 are agreed, and 5 tolerated.
        ByteBuffer all = ByteBuffer.allocate(1024);
        for (int msn = 1; msn <= 6; msn++) {
            all.put(peer.fpdu(RawPeer.readRequest(msn, 1, 0, 8, memory.getRkey(), memory.getAddr())));
        }
        peer.write(all.flip());
        expect(TerminateError.DDP_NO_BUFFER);
    }

    @Test
    void earlierReadsAreAnsweredBeforeTheFaultyOne() throws Exception {
        ByteBuffer both = ByteBuffer.allocate(256);
        both.put(peer.fpdu(RawPeer.readRequest(1, 1, 0, 8, memory.getRkey(), memory.getAddr())));
        both.put(peer.fpdu(RawPeer.readRequest(2, 1, 0, 8, memory.getRkey() + 1, memory.getAddr())));
        peer.write(both.flip());
        assertThat(Ddp.opcode(peer.expectFpdu(node), 0)).isEqualTo(RdmapOpcode.READ_RESPONSE);
        expect(TerminateError.RDMAP_INVALID_STAG);
    }

    @Test
    void emptyReadIsAnsweredWhateverItsKey() throws Exception {
        read(1, 0, 12345, 678);
        ByteBuffer response = peer.expectFpdu(node);
        assertThat(response.capacity()).isEqualTo(Ddp.TAGGED_HEADER_BYTES);
        assertThat(Ddp.opcode(response, 0)).isEqualTo(RdmapOpcode.READ_RESPONSE);
        assertThat(Ddp.stag(response, 0)).isEqualTo(0xaabb);
        assertThat(Ddp.taggedOffset(response, 0)).isEqualTo(0x1000);
    }
}
