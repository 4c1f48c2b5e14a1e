// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Answers to the node's own Reads that are not the answers. */
final class ViolatingReadResponseTest extends ViolatingPeer {

    /** The node's own Read, as it arrives. */
    private ByteBuffer nodeReads(SoftMr sink) throws IOException {
        peer.send(RawPeer.write(1, 0, true, new byte[0]));
        node.read(qp, 77, Node.SIGNALED, sink, 0, 16, 0x5555, 0x100);
        ByteBuffer request = peer.expectFpdu(node);
        assertThat(Ddp.opcode(request, 0)).isEqualTo(RdmapOpcode.READ_REQUEST);
        assertThat(ReadRequest.sinkStag(request, 18)).isEqualTo(sink.getLkey());
        assertThat(ReadRequest.sinkOffset(request, 18)).isEqualTo(sink.getAddr());
        return request;
    }

    private void expectReadFails(int status) {
        Node.Completion c = node.completion();
        assertThat(c.id()).isEqualTo(77);
        assertThat(c.status()).isEqualTo(status);
    }

    @Test
    void responseThatNobodyAskedFor() throws Exception {
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr(), true, EIGHT));
        expect(TerminateError.RDMAP_OPCODE);
    }

    @Test
    void responseWithAnotherKey() throws Exception {
        nodeReads(memory);
        peer.send(RawPeer.readResponse(memory.getRkey() + 1, memory.getAddr(), true, new byte[16]));
        expect(TerminateError.DDP_INVALID_STAG);
        expectReadFails(VerbsConstants.WC_BAD_RESP_ERR);
    }

    @Test
    void responseAtAnotherOffset() throws Exception {
        nodeReads(memory);
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr() + 8, true, new byte[16]));
        expect(TerminateError.DDP_BOUNDS);
        expectReadFails(VerbsConstants.WC_BAD_RESP_ERR);
    }

    @Test
    void responseTooShort() throws Exception {
        nodeReads(memory);
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr(), false, EIGHT));
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr() + 8, true, new byte[7]));
        expect(TerminateError.DDP_BOUNDS);
        expectReadFails(VerbsConstants.WC_BAD_RESP_ERR);
    }

    @Test
    void responseTooLong() throws Exception {
        nodeReads(memory);
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr(), true, new byte[17]));
        expect(TerminateError.DDP_BOUNDS);
        expectReadFails(VerbsConstants.WC_LOC_LEN_ERR);
    }

    @Test
    void responseIntoASinkThatWasDeregistered() throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(16);
        SoftMr sink = node.register(buffer, Node.LOCAL);
        nodeReads(sink);
        node.verbs.deregMr(sink).execute();
        peer.send(RawPeer.readResponse(
                sink.getLkey(), sink.getAddr(), true, new byte[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
        expect(TerminateError.DDP_INVALID_STAG);
        expectReadFails(VerbsConstants.WC_LOC_PROT_ERR);
        assertThat(buffer.getLong(0)).isZero();
    }

    @Test
    void writeIntoTheSinkOfAReadNeedsTheRemoteRight() throws Exception {
        SoftMr sink = node.register(16, Node.LOCAL);
        nodeReads(sink);
        peer.send(RawPeer.write(sink.getLkey(), sink.getAddr(), true, EIGHT));
        expect(TerminateError.DDP_INVALID_STAG);
    }

    @Test
    void refusedReadFailsWithRemoteAccess() throws Exception {
        byte[] segment = nodeReads(memory).array();
        peer.send(out -> {
            Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, 1, 0);
            Terminate.put(out, TerminateError.RDMAP_ACCESS, segment, segment.length);
        });
        expectReadFails(VerbsConstants.WC_REM_ACCESS_ERR);
        peer.expectEnd(node);
        node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
        assertThat(node.reason(id))
                .startsWith("this side used a remote key that the peer has not registered, has"
                        + " invalidated, or has registered for less memory or other access: peer sent"
                        + " Terminate RDMAP/remote protection/access rights (01 02 e0");
    }
}
