// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Where violations are played: the provider in one of the two roles, a bare socket as its peer, memory of every kind
 * with guards around it, work outstanding in all queues, and a second connection of the same event channel that has to
 * go on as if nothing happened.
 */
final class Stage implements AutoCloseable {

    /** What the provider is. */
    enum Role {
        INITIATOR,
        RESPONDER
    }

    /** How the peer's octets come. */
    enum Timing {
        /** After the provider's requests are on the wire. */
        LATER,
        /** The same, each octet by itself. */
        SLICED,
        /** The same, through shared memory. */
        SHARED,
        /** In the very first FPDU, for which a responder holds back its own. */
        FIRST
    }

    static final byte PAYLOAD = 7;
    /** The provider's outstanding RDMA Read, and the Send posted behind it. */
    static final long READ = 101;

    static final long SEND = 102;
    /** What an action posts. */
    static final long OWN = 103;

    static final int READ_BYTES = 16;
    static final int RECEIVE_BYTES = 16;
    static final int REGION_BYTES = 4096;
    static final int DEPTH = 4;

    final Role role;
    final Node node;
    final GuardedRegion exposed;
    final GuardedRegion readOnly;
    final GuardedRegion writeOnly;
    final GuardedRegion local;
    final GuardedRegion unwritable;
    final GuardedRegion foreign;
    final GuardedRegion gone;
    final GuardedRegion inbox;
    final GuardedRegion sink;
    RawPeer peer;
    RdmaCmId id;
    IbvQP qp;
    private int qpNumber;
    /** The Read Request of {@link #READ} as the peer got it. */
    ByteBuffer readRequest;
    /** The ULPDU that the peer has sent last. */
    byte[] lastUlpdu = {};

    private final List<Long> posted = new ArrayList<>();
    private final List<GuardedRegion> regions = new ArrayList<>();
    private final int reads;
    private final RdmaCmId listener;
    private final Bystander bystander;

    Stage(Role role, int reads) throws Exception {
        this(role, reads, false, 0, System::nanoTime);
    }

    /** A stage on which connections may move to shared memory. */
    Stage(Role role, int reads, boolean shared, int receiverNotReadyTimeoutMillis, LongSupplier nanoTime)
            throws Exception {
        this.role = role;
        this.reads = reads;
        SoftProviderConfig config = SoftProviderConfig.builder()
                .receiverNotReadyTimeoutMillis(receiverNotReadyTimeoutMillis)
                .timeouts(t -> t.lingerMillis = 5_000)
                .sameHostAfterBatches(shared ? 0 : -1)
                .build();
        node = new Node(config, 4096, nanoTime);
        exposed = region(Node.ALL);
        readOnly = region(Node.LOCAL | IbvMr.IBV_ACCESS_REMOTE_READ);
        writeOnly = region(Node.LOCAL | IbvMr.IBV_ACCESS_REMOTE_WRITE);
        local = region(Node.LOCAL);
        unwritable = region(IbvMr.IBV_ACCESS_REMOTE_READ);
        foreign = new GuardedRegion(node, node.newPd(), REGION_BYTES, Node.ALL);
        gone = region(Node.ALL);
        node.verbs.deregMr(gone.mr).execute();
        inbox = region(Node.LOCAL);
        sink = region(Node.LOCAL);
        regions.add(foreign);

        listener = node.listen(Pair.loopback(), 8);
        bystander = new Bystander(node, listener);
    }

    private GuardedRegion region(int access) throws IOException {
        GuardedRegion r = new GuardedRegion(node, node.pd, REGION_BYTES, access);
        regions.add(r);
        return r;
    }

    /** Goes through the start-up, and lets the provider have receives, a Read and a Send outstanding. */
    void establish(int receives, Timing timing) throws Exception {
        ConnectionParameters depths = new ConnectionParameters(Node.NONE, reads, DEPTH);
        if (role == Role.RESPONDER) {
            peer = RawPeer.connect(node.localAddress(listener), true);
            peer.request(true, EnhancedData.clientServer(DEPTH, reads), Node.NONE);
            id = node.own(node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
            qp = node.newQp(id, 16);
            receives(receives);
            node.cm.accept(id, depths);
            node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            peer.expectFrame(true, node);
            if (timing != Timing.FIRST) {
                send(RawPeer.write(1, 0, true, new byte[0]));
            }
        } else {
            id = node.newId();
            qp = node.newQp(id, 16);
            receives(receives);
            try (ServerSocketChannel server = ServerSocketChannel.open().bind(Pair.loopback())) {
                node.connect(id, (InetSocketAddress) server.getLocalAddress(), depths);
                peer = RawPeer.accept(server, node);
            }
            MpaFrame request = peer.expectFrame(false, node);
            assertThat(request.enhanced()).isEqualTo(EnhancedData.clientServer(reads, DEPTH));
            peer.frame(new MpaFrame(true, false, true, false, 2, EnhancedData.clientServer(DEPTH, reads), Node.NONE));
            node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
        }
        qpNumber = qp.getQp_num();
        node.read(qp, READ, Node.SIGNALED, sink.mr, 0, READ_BYTES, 0x5555, 0x100);
        node.send(qp, SEND, Node.SIGNALED, local.mr, 0, 8);
        posted.add(READ);
        posted.add(SEND);
        if (timing != Timing.FIRST) {
            awaitSend();
        }
        if (timing == Timing.SHARED) {
            peer.share(role == Role.INITIATOR, node);
        }
        if (timing == Timing.SLICED) {
            peer.betweenOctets = node::drive;
        }
    }

    private void awaitSend() {
        while (true) {
            ByteBuffer ulpdu = peer.expectFpdu(node);
            int opcode = Ddp.opcode(ulpdu, 0);
            if (opcode == RdmapOpcode.READ_REQUEST) {
                readRequest = ulpdu;
            } else if (opcode == RdmapOpcode.SEND) {
                return;
            }
        }
    }

    private void receives(int count) throws IOException {
        for (int i = 1; i <= count; i++) {
            receive(i, inbox.mr, (i - 1) * RECEIVE_BYTES);
        }
    }

    void receive(long wrId, SoftMr mr, int offset) throws IOException {
        node.receive(qp, wrId, mr, offset, RECEIVE_BYTES);
        posted.add(wrId);
    }

    /** Posts eight octets of a region, or eight into it, to be written to or read from some place of the peer. */
    void post(int opcode, SoftMr mr, int offset) throws IOException {
        node.request()
                .send(OWN, opcode, Node.SIGNALED)
                .remote(0x5555, 0x200)
                .local(mr.getAddr() + offset, 8, mr.getLkey());
        node.post(qp);
        posted.add(OWN);
    }

    /** Waits for the provider's answer to a Read of the peer. */
    ByteBuffer expectResponse() {
        ByteBuffer ulpdu = peer.expectFpdu(node);
        while (Ddp.opcode(ulpdu, 0) != RdmapOpcode.READ_RESPONSE) {
            ulpdu = peer.expectFpdu(node); // requests of the provider's own come in between
        }
        return ulpdu;
    }

    static byte[] payload(int bytes) {
        byte[] octets = new byte[bytes];
        Arrays.fill(octets, PAYLOAD);
        return octets;
    }

    /** The peer sends one FPDU. */
    void send(Consumer<ByteBuffer> ulpdu) throws IOException {
        peer.write(fpdu(ulpdu));
    }

    ByteBuffer fpdu(Consumer<ByteBuffer> ulpdu) {
        ByteBuffer fpdu = peer.fpdu(ulpdu);
        lastUlpdu = new byte[fpdu.getShort(0) & 0xffff];
        fpdu.get(2, lastUlpdu);
        return fpdu;
    }

    /** The peer sends several FPDUs in one write, so that they arrive together. */
    void sendTogether(List<Consumer<ByteBuffer>> ulpdus) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(1 << 16);
        for (Consumer<ByteBuffer> ulpdu : ulpdus) {
            all.put(fpdu(ulpdu));
        }
        peer.write(all.flip());
    }

    /** The peer sends an FPDU with the octet at {@code at} inverted; negative counts from the end. */
    void sendDamaged(Consumer<ByteBuffer> ulpdu, int at) throws IOException {
        ByteBuffer fpdu = fpdu(ulpdu);
        int i = at < 0 ? fpdu.limit() + at : at;
        fpdu.put(i, (byte) ~fpdu.get(i));
        peer.write(fpdu);
    }

    /** A message each way on the second connection. */
    void exchange() throws IOException {
        bystander.exchange();
    }

    /** Everything that the provider still sends, up to its FIN or reset. */
    List<ByteBuffer> drain() {
        peer.expectEnd(node);
        List<ByteBuffer> ulpdus = new ArrayList<>();
        while (peer.in.hasRemaining()) {
            assertThat(peer.hasFpdu()).as("whole FPDUs only").isTrue();
            ByteBuffer ulpdu = peer.takeFpdu();
            if (!isOwnRequest(ulpdu)) {
                ulpdus.add(ulpdu);
            }
        }
        return ulpdus;
    }

    /** Whether it is no answer but one of the provider's own requests, or its announcement as initiator. */
    private static boolean isOwnRequest(ByteBuffer ulpdu) {
        int opcode = Ddp.opcode(ulpdu, 0);
        return opcode == RdmapOpcode.READ_REQUEST || opcode == RdmapOpcode.SEND || opcode == RdmapOpcode.WRITE;
    }

    /** The statuses of all requests of the connection that were posted, once they are there. */
    Map<Long, Integer> statuses() {
        node.await("completions of " + posted, () -> own().size() >= posted.size());
        Map<Long, Integer> statuses = new TreeMap<>();
        for (Node.Completion c : own()) {
            assertThat(statuses.put(c.id(), c.status()))
                    .as("second completion of %d", c.id())
                    .isNull();
        }
        assertThat(statuses.keySet()).containsExactlyInAnyOrderElementsOf(posted);
        return statuses;
    }

    private List<Node.Completion> own() {
        return node.completions.stream().filter(c -> c.qp() == qpNumber).toList();
    }

    /** Checks that nothing around the regions was written, and nothing of it got on the wire. */
    void expectGuards() {
        regions.forEach(GuardedRegion::expectGuards);
        byte[] octets = peer.transcript.toByteArray();
        int run = 0;
        for (byte b : octets) {
            run = b == GuardedRegion.GUARD ? run + 1 : 0;
            // Keys and addresses are random, so a few in a row may be chance.
            assertThat(run).as("octets of a guard on the wire").isLessThan(7);
        }
    }

    @Override
    public void close() throws IOException {
        try (bystander;
                node) {
            if (peer != null) {
                peer.close();
            }
        }
    }
}
