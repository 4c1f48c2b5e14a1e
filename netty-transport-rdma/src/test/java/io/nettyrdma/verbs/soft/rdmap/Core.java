// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The core of one queue pair without anything around it: memory, work queues, transmitter and receiver. Closing it
 * flushes what is posted and checks that each request has completed once, in order.
 */
class Core implements AutoCloseable {

    /** Rights of memory that is open to the peer. */
    static final int ALL =
            VerbsConstants.ACCESS_LOCAL_WRITE | VerbsConstants.ACCESS_REMOTE_WRITE | VerbsConstants.ACCESS_REMOTE_READ;

    static final int LOCAL = VerbsConstants.ACCESS_LOCAL_WRITE;
    static final int SIGNALED = VerbsConstants.SEND_SIGNALED;

    static final int DEPTH = 256;
    private static final int NUMBER = 7;

    /** A completion. */
    record Completion(long id, int status, int opcode, int bytes, int flags, int key) {}

    final RegionTable regions = new RegionTable(new SecureRandom());
    final ProtectionDomain domain = new ProtectionDomain();
    final WorkQueues queues;
    final RdmapTransmitter transmitter;
    final RdmapReceiver receiver;
    final Deque<Completion> completions = new ArrayDeque<>();
    /** Completions there is room for. */
    int room = Integer.MAX_VALUE;

    private final Accounting accounting = new Accounting();

    Core(boolean crc, boolean responder, int payload, int firstMsn) {
        queues = new WorkQueues(
                NUMBER, domain, new SendRing(DEPTH), this::complete, new ReceiveRing(DEPTH), this::complete, false);
        transmitter = new RdmapTransmitter(queues, regions, crc, payload, firstMsn);
        receiver = new RdmapReceiver(queues, regions, crc, responder, firstMsn);
    }

    private boolean complete(long id, int status, int opcode, int bytes, int key, int number, int flags) {
        completions.add(new Completion(id, status, opcode, bytes, flags, key));
        accounting.completed(number, opcode == VerbsConstants.WC_RECV, id, status);
        return completions.size() <= room;
    }

    Region register(int bytes, int rights) {
        return register(ByteBuffer.allocateDirect(bytes), rights);
    }

    Region register(ByteBuffer octets, int rights) {
        return regions.register(domain, octets, rights);
    }

    /** A receive was posted in another way than by {@link #receive}. */
    void expectReceive(long id) {
        accounting.receivePosted(NUMBER, id);
    }

    void receive(long id, Region to, int offset, int bytes) throws IOException {
        expectReceive(id);
        try {
            queues.postReceive(id, to.address() + offset, bytes, to.key());
        } catch (IOException e) {
            accounting.refused(NUMBER, true);
            throw e;
        }
    }

    void send(long id, int flags, Region from, int offset, int bytes) throws IOException {
        post(id, VerbsConstants.WR_SEND, flags, 0, 0, from, offset, bytes);
    }

    void write(long id, int flags, Region from, int offset, int bytes, int key, long address) throws IOException {
        post(id, VerbsConstants.WR_RDMA_WRITE, flags, key, address, from, offset, bytes);
    }

    void read(long id, int flags, Region to, int offset, int bytes, int key, long address) throws IOException {
        post(id, VerbsConstants.WR_RDMA_READ, flags, key, address, to, offset, bytes);
    }

    /** Posts to the send queue. */
    void post(long id, int opcode, int flags, int key, long address, Region local, int offset, int bytes)
            throws IOException {
        accounting.sendPosted(NUMBER, id, (flags & SIGNALED) != 0);
        try {
            queues.postSend(id, opcode, flags, local.address() + offset, bytes, local.key(), key, address);
        } catch (IOException e) {
            accounting.refused(NUMBER, false);
            throw e;
        }
    }

    @Override
    public void close() {
        queues.flush();
        accounting.end();
    }
}
