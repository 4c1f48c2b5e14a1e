// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * One short exchange through a relay with faults: connect, a Send each way, a Write, a Read, disconnect. It ends
 * whatever happens: of itself, or because both applications give up after having heard nothing for a while.
 */
final class FaultedExchange implements AutoCloseable {

    /**
     * All waits of the provider together are shorter than this, so that silence for as long means that nothing comes.
     */
    private static final long SILENCE_NANOS = 60_000_000;

    private static final int BYTES = 12;
    private static final byte PAYLOAD = 0x3c;

    /** Octets of each direction that the relay has handed on. */
    long forthOctets;

    long backOctets;
    /** How it went, in a few words. */
    String outcome;

    private final Node a;
    private final Node b;
    private final FaultRelay relay;
    private final SoftMr aMr;
    private final SoftMr bMr;
    private final ByteBuffer aMemory = ByteBuffer.allocateDirect(64);
    private final ByteBuffer bMemory = ByteBuffer.allocateDirect(64);
    private final RdmaCmId aId;
    private final IbvQP aQp;
    private RdmaCmId bId;
    private IbvQP bQp;
    private boolean aEnded;
    private boolean bEnded;
    private int steps;
    private boolean answered;
    private boolean disconnecting;

    /** With the waits of a test, which are over soon. */
    static SoftProviderConfig.Builder impatient() {
        return Node.config()
                .connectTimeoutMillis(20)
                .timeouts(t -> t.mpaRequestMillis = 20)
                .timeouts(t -> t.mpaReplyMillis = 30)
                .timeouts(t -> t.acceptMillis = 20)
                .timeouts(t -> t.firstFpduMillis = 5)
                .receiverNotReadyTimeoutMillis(10)
                .timeouts(t -> t.lingerMillis = 20);
    }

    FaultedExchange(SoftProviderConfig config, FaultPlan forth, FaultPlan back) throws IOException {
        a = new Node(config, 16);
        b = new Node(config, 16);
        relay = new FaultRelay(b.localAddress(b.listen(Pair.loopback(), 4)), forth, back);
        aMr = a.register(aMemory, Node.ALL);
        bMr = b.register(bMemory, Node.ALL);
        byte[] payload = new byte[BYTES];
        Arrays.fill(payload, PAYLOAD);
        aMemory.put(0, payload);
        bMemory.put(0, payload);
        aId = a.newId();
        aQp = a.newQp(aId, 8);
        a.receive(aQp, 1, aMr, 16, 16);
    }

    void run() throws IOException {
        a.connect(aId, relay.address(), Pair.DEFAULTS);
        long start = System.nanoTime();
        long heard = start;
        long seen = -1;
        boolean givenUp = false;
        while (!(aEnded && (bEnded || bId == null))) {
            long now = System.nanoTime();
            assertThat(now - start).as("time until the end").isLessThan(Deadline.DURATION.toNanos());
            relay.run();
            a.drive();
            b.drive();
            advance();
            long progress = steps + relay.forthOctets() + relay.backOctets();
            heard = progress == seen ? heard : now;
            seen = progress;
            if (!givenUp && now - heard > SILENCE_NANOS) {
                givenUp = true;
                giveUp();
            }
        }
        forthOctets = relay.forthOctets();
        backOctets = relay.backOctets();
        outcome = (isComplete() ? "complete" : givenUp ? "given up" : "ended") + ", initiator: " + describe(a, aId)
                + ", responder: " + (bId == null ? "not asked" : describe(b, bId));
        assertThat(outcome).doesNotContain("internal error");
        expectIntegrity();
    }

    private static String describe(Node node, RdmaCmId id) {
        String reason = node.reason(id);
        return reason == null ? "orderly" : reason;
    }

    /** What the two applications do next. */
    private void advance() throws IOException {
        for (RdmaCmEvent e = a.pollEvent(); e != null; e = a.pollEvent()) {
            steps++;
            if (e.getEvent() == EventType.RDMA_CM_EVENT_ESTABLISHED.ordinal()) {
                a.send(aQp, 2, Node.SIGNALED, aMr, 0, BYTES);
                a.request()
                        .send(3, IbvSendWR.IBV_WR_RDMA_WRITE, 0)
                        .remote(bMr.getRkey(), bMr.getAddr() + 32)
                        .local(aMr.getAddr(), BYTES, aMr.getLkey());
                a.post(aQp);
                a.read(aQp, 4, Node.SIGNALED, aMr, 32, BYTES, bMr.getRkey(), bMr.getAddr());
            } else {
                aEnded = true;
            }
        }
        for (RdmaCmEvent e = b.pollEvent(); e != null; e = b.pollEvent()) {
            steps++;
            if (e.getEvent() == EventType.RDMA_CM_EVENT_CONNECT_REQUEST.ordinal()) {
                accept(e);
            } else if (e.getEvent() != EventType.RDMA_CM_EVENT_ESTABLISHED.ordinal()) {
                bEnded = true;
            }
        }
        if (!answered && !bEnded && hasReceived(b)) {
            answered = true;
            b.send(bQp, 2, Node.SIGNALED, bMr, 0, BYTES);
        }
        if (isComplete() && !disconnecting) {
            disconnecting = true;
            a.cm.disconnect(aId);
        }
    }

    private void accept(RdmaCmEvent request) throws IOException {
        bId = b.own(request.getConnIdPriv());
        bQp = b.newQp(bId, 8);
        b.receive(bQp, 1, bMr, 16, 16);
        b.cm.accept(bId, Pair.DEFAULTS);
    }

    private boolean isComplete() {
        return successes(a) == 3 && successes(b) == 2;
    }

    private static long successes(Node node) {
        return node.completions.stream().filter(c -> c.status() == 0).count();
    }

    private void giveUp() throws IOException {
        a.cm.disconnect(aId);
        if (bId != null) {
            b.cm.disconnect(bId);
        }
    }

    /** What has completed with success is what was sent, and nothing else is touched. */
    private void expectIntegrity() {
        boolean read = a.completions.stream().anyMatch(c -> c.id() == 4 && c.status() == 0);
        expect(aMemory, 32, read);
        expect(aMemory, 16, hasReceived(a));
        expect(bMemory, 16, hasReceived(b));
        expect(bMemory, 32, false);
    }

    private static boolean hasReceived(Node node) {
        return node.completions.stream()
                .anyMatch(c -> c.opcode() == IbvWC.IbvWcOpcode.IBV_WC_RECV.getOpcode() && c.status() == 0);
    }

    private static void expect(ByteBuffer memory, int at, boolean mustBePlaced) {
        boolean placed = memory.get(at) != 0;
        assertThat(placed || !mustBePlaced).as("octets are there").isTrue();
        for (int i = 0; i < 16; i++) {
            byte expected = placed && i < BYTES ? PAYLOAD : 0;
            assertThat(memory.get(at + i)).as("octet %d of what was placed", i).isEqualTo(expected);
        }
    }

    /** Waits for the sockets that linger, then lets the nodes check that nothing is left. */
    @Override
    public void close() throws IOException {
        try (relay;
                b;
                a) {
            a.alongside = relay;
            a.await("lingering connections to end", () -> connections(a) == 0 && connections(b) == 0, b);
        }
    }

    private static int connections(Node node) {
        return node.provider.openResources().connections();
    }
}
