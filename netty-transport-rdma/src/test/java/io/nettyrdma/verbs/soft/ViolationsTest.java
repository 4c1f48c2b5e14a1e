/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.verbs.ConnectionParameters;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a bare socket can do wrong, and the Terminate it gets for it. */
final class ViolationsTest {

    private static final byte[] EIGHT = new byte[8];

    private Node node;
    private RdmaCmId listener;
    private RdmaCmId id;
    private IbvQP qp;
    private RawPeer peer;
    private SoftMr memory;
    private ByteBuffer octets;

    @BeforeEach
    void connect() throws Exception {
        open(SoftProviderConfig.builder().receiverNotReadyTimeoutMillis(0).build());
    }

    private void open(SoftProviderConfig config) throws Exception {
        node = new Node(config);
        listener = node.listen(Pair.loopback(), 8);
        octets = ByteBuffer.allocateDirect(4096);
        memory = node.register(octets, Node.ALL);
        peer = RawPeer.connect(node.localAddress(listener), true);
        peer.request(true, EnhancedData.clientServer(4, 4), Node.NONE);
        id = node.own(node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
        qp = node.newQp(id, 16);
        node.cm.accept(id, new ConnectionParameters(Node.NONE, 4, 4));
        node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
        assertThat(peer.expectFrame(true, node).enhanced()).isEqualTo(EnhancedData.clientServer(4, 4));
    }

    @AfterEach
    void close() throws Exception {
        peer.close();
        node.await(
                "lingering connections to end",
                () -> node.provider.openResources().connections() == 0);
        node.close();
    }

    /** Checks the Terminate, the FIN behind it, the event and the reason; then everything flushed once. */
    private Terminate expect(TerminateError error) throws IOException {
        Terminate t = peer.expectTerminate(node);
        assertThat(t.describe()).startsWith(error.text());
        peer.expectEnd(node);
        assertThat(peer.reset).isFalse();
        node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
        assertThat(node.reason(id)).contains(error.text());
        assertThat(node.pollEvent()).isNull();
        return t;
    }

    private static Consumer<ByteBuffer> raw(int control, int rdmap, int stagOrReserved, int... words) {
        return out -> {
            out.put((byte) control).put((byte) rdmap).putInt(stagOrReserved);
            for (int w : words) {
                out.putInt(w);
            }
        };
    }

    private static Consumer<ByteBuffer> untagged(int opcode, int queue, int msn, int offset) {
        return out -> {
            Ddp.putUntagged(out, opcode, true, 0, queue, msn, offset);
            out.put(EIGHT);
        };
    }

    private void receives(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            node.receive(qp, i, memory, 0, 16);
        }
    }

    private Set<Integer> statuses() throws IOException {
        node.poll();
        return node.completions.stream().map(Node.Completion::status).collect(Collectors.toSet());
    }

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
        assertThat(node.completion().status()).isEqualTo(SoftCq.STATUS_LOCAL_LENGTH);
        assertThat(node.completion().status()).isEqualTo(SoftCq.STATUS_FLUSHED);
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
        assertThat(statuses()).containsExactly(SoftCq.STATUS_FLUSHED);
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
    @Requirement("V1-139")
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
    @Requirement("V1-139")
    void writeBeforeTheStart() throws Exception {
        peer.send(RawPeer.write(memory.getRkey(), memory.getAddr() - 1, true, EIGHT));
        expect(TerminateError.DDP_BOUNDS);
    }

    @Test
    @Requirement("V1-139")
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
    @Requirement("V1-139")
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
    @Requirement("V1-139")
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
    @Requirement("V1-139")
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
    @Requirement("V1-139")
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

    @Test
    void responseThatNobodyAskedFor() throws Exception {
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr(), true, EIGHT));
        expect(TerminateError.RDMAP_OPCODE);
    }

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
    void responseWithAnotherKey() throws Exception {
        nodeReads(memory);
        peer.send(RawPeer.readResponse(memory.getRkey() + 1, memory.getAddr(), true, new byte[16]));
        expect(TerminateError.DDP_INVALID_STAG);
        expectReadFails(SoftCq.STATUS_BAD_RESPONSE);
    }

    @Test
    void responseAtAnotherOffset() throws Exception {
        nodeReads(memory);
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr() + 8, true, new byte[16]));
        expect(TerminateError.DDP_BOUNDS);
        expectReadFails(SoftCq.STATUS_BAD_RESPONSE);
    }

    @Test
    void responseTooShort() throws Exception {
        nodeReads(memory);
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr(), false, EIGHT));
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr() + 8, true, new byte[7]));
        expect(TerminateError.DDP_BOUNDS);
        expectReadFails(SoftCq.STATUS_BAD_RESPONSE);
    }

    @Test
    void responseTooLong() throws Exception {
        nodeReads(memory);
        peer.send(RawPeer.readResponse(memory.getRkey(), memory.getAddr(), true, new byte[17]));
        expect(TerminateError.DDP_BOUNDS);
        expectReadFails(SoftCq.STATUS_LOCAL_LENGTH);
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
        expectReadFails(SoftCq.STATUS_LOCAL_PROTECTION);
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
        expectReadFails(SoftCq.STATUS_REMOTE_ACCESS);
        peer.expectEnd(node);
        node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
        assertThat(node.reason(id)).startsWith("peer sent Terminate RDMAP/remote protection/access rights (01 02 e0");
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
        assertThat(statuses()).containsExactly(SoftCq.STATUS_REMOTE_INVALID_REQUEST);
    }

    @Test
    void invalidateOfAnotherProtectionDomain() throws Exception {
        receives(1);
        SoftMr other = node.register(node.newPd(), ByteBuffer.allocateDirect(64), Node.ALL);
        sendInvalidate(other.getRkey());
        expect(TerminateError.RDMAP_CANNOT_INVALIDATE);
        assertThat(other.isValid()).isTrue();
    }

    @Test
    void invalidateOfARegionThatIsNotExposed() throws Exception {
        receives(1);
        SoftMr local = node.register(64, Node.LOCAL);
        sendInvalidate(local.getRkey());
        expect(TerminateError.RDMAP_CANNOT_INVALIDATE);
        assertThat(local.isValid()).isTrue();
    }

    @Test
    void localKeyOfAReceiveThatIsBad() throws Exception {
        SoftMr readOnly = node.register(64, IbvMr.IBV_ACCESS_REMOTE_READ);
        node.receive(qp, 5, readOnly, 0, 16);
        peer.send(RawPeer.send(1, 0, true, EIGHT));
        expect(TerminateError.DDP_LOCAL_CATASTROPHIC);
        assertThat(statuses()).containsExactly(SoftCq.STATUS_LOCAL_PROTECTION);
    }

    @Test
    void localKeyOfASendThatIsBad() throws Exception {
        peer.send(RawPeer.write(1, 0, true, new byte[0]));
        node.send(qp, 1, 0, memory, 0, 8);
        node.request().send(2, 2, 0).addSge(memory.getAddr(), 8, memory.getLkey() + 1);
        node.post(qp);
        node.await("the fault", () -> node.completions.size() == 1);
        assertThat(node.completion().status()).isEqualTo(SoftCq.STATUS_LOCAL_PROTECTION);
        assertThat(Ddp.opcode(peer.expectFpdu(node), 0)).isEqualTo(RdmapOpcode.SEND);
        Terminate t = expect(TerminateError.RDMAP_LOCAL_CATASTROPHIC);
        assertThat(t.raw()).isEqualTo(0x00ff0000);
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
