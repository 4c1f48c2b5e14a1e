// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Sends that do not fit the Receives, and keys that are not theirs to use or to invalidate. */
final class ViolatingSendTest extends ViolatingPeer {

    @Test
    void sendIntoAnEmptyReceiveQueue() throws Exception {
        peer.send(RawPeer.send(1, 0, true, EIGHT));
        Terminate t = expect(TerminateError.DDP_NO_BUFFER);
        assertThat(t.raw() >>> 8).isEqualTo(0x1202c0);
    }

    @Test
    void sendLongerThanTheReceive() throws Exception {
        receives(2);
        peer.send(RawPeer.send(1, 0, true, new byte[17]));
        expect(TerminateError.DDP_TOO_LONG);
        assertThat(node.completion().status()).isEqualTo(VerbsConstants.WC_LOC_LEN_ERR);
        assertThat(node.completion().status()).isEqualTo(VerbsConstants.WC_WR_FLUSH_ERR);
    }

    @Test
    void sendLongerThanTheReceiveInItsSecondSegment() throws Exception {
        receives(1);
        peer.send(RawPeer.send(1, 0, false, new byte[12]));
        peer.send(RawPeer.send(1, 12, true, EIGHT));
        expect(TerminateError.DDP_TOO_LONG);
    }

    @Test
    void sendWithAWrongMsn() throws Exception {
        receives(1);
        peer.send(untagged(RdmapOpcode.SEND, 0, 2, 0));
        expect(TerminateError.DDP_MSN_RANGE);
        assertThat(statuses()).containsExactly(VerbsConstants.WC_WR_FLUSH_ERR);
    }

    @Test
    void sendOnAWrongQueue() throws Exception {
        receives(1);
        peer.send(untagged(RdmapOpcode.SEND, 3, 1, 0));
        expect(TerminateError.DDP_INVALID_QUEUE);
    }

    @Test
    void sendThatStartsInTheMiddle() throws Exception {
        receives(1);
        peer.send(untagged(RdmapOpcode.SEND, 0, 1, 4));
        expect(TerminateError.DDP_INVALID_OFFSET);
    }

    @Test
    void sendWithAGap() throws Exception {
        receives(1);
        peer.send(RawPeer.send(1, 0, false, new byte[4]));
        peer.send(RawPeer.send(1, 8, true, new byte[4]));
        expect(TerminateError.DDP_INVALID_OFFSET);
    }

    @Test
    void sendThatChangesItsOpcode() throws Exception {
        receives(1);
        peer.send(RawPeer.send(1, 0, false, new byte[4]));
        peer.send(untagged(RdmapOpcode.SEND_SOLICITED, 0, 1, 4));
        expect(TerminateError.RDMAP_OPCODE);
    }

    private void sendInvalidate(int key) throws IOException {
        peer.send(out -> {
            Ddp.putUntagged(out, RdmapOpcode.SEND_INVALIDATE, true, key, 0, 1, 0);
            out.put(EIGHT);
        });
    }

    @Test
    void invalidateOfAnUnknownKey() throws Exception {
        receives(1);
        sendInvalidate(0);
        expect(TerminateError.RDMAP_CANNOT_INVALIDATE);
        assertThat(statuses()).containsExactly(VerbsConstants.WC_REM_INV_REQ_ERR);
    }

    @Test
    void invalidateOfAnotherProtectionDomain() throws Exception {
        receives(1);
        SoftMr other = node.register(node.newPd(), ByteBuffer.allocateDirect(64), Node.ALL);
        sendInvalidate(other.getRkey());
        expect(TerminateError.RDMAP_CANNOT_INVALIDATE);
        assertThat(other.region().isValid()).isTrue();
    }

    @Test
    void invalidateOfARegionThatIsNotExposed() throws Exception {
        receives(1);
        SoftMr local = node.register(64, Node.LOCAL);
        sendInvalidate(local.getRkey());
        expect(TerminateError.RDMAP_CANNOT_INVALIDATE);
        assertThat(local.region().isValid()).isTrue();
    }

    @Test
    void localKeyOfAReceiveThatIsBad() throws Exception {
        SoftMr readOnly = node.register(64, IbvMr.IBV_ACCESS_REMOTE_READ);
        node.receive(qp, 5, readOnly, 0, 16);
        peer.send(RawPeer.send(1, 0, true, EIGHT));
        expect(TerminateError.DDP_LOCAL_CATASTROPHIC);
        assertThat(statuses()).containsExactly(VerbsConstants.WC_LOC_PROT_ERR);
    }

    @Test
    void localKeyOfASendThatIsBad() throws Exception {
        peer.send(RawPeer.write(1, 0, true, new byte[0]));
        node.send(qp, 1, 0, memory, 0, 8);
        node.request().send(2, 2, 0).local(memory.getAddr(), 8, memory.getLkey() + 1);
        node.post(qp);
        node.await("the fault", () -> node.completions.size() == 1);
        assertThat(node.completion().status()).isEqualTo(VerbsConstants.WC_LOC_PROT_ERR);
        assertThat(Ddp.opcode(peer.expectFpdu(node), 0)).isEqualTo(RdmapOpcode.SEND);
        Terminate t = expect(TerminateError.RDMAP_LOCAL_CATASTROPHIC);
        assertThat(t.raw()).isEqualTo(0x00ff0000);
    }
}
