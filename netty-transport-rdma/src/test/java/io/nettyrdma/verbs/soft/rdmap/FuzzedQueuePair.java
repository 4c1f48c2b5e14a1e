// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair without a socket whose keys and addresses are known beforehand, so that the octets of an input can name
 * them. All its memory is part of one arena; what lies between the regions belongs to nobody.
 */
final class FuzzedQueuePair implements AutoCloseable {

    /** What a region is for. Its key is its ordinal + 1 in every octet, its address that octet followed by zeros. */
    enum Place {
        /** The peer may write. */
        WRITABLE(VerbsConstants.ACCESS_LOCAL_WRITE | VerbsConstants.ACCESS_REMOTE_WRITE),
        /** The peer may read. */
        READABLE(VerbsConstants.ACCESS_REMOTE_READ),
        /** Receives are posted in it, and RDMA Reads end in it. */
        LOCAL(VerbsConstants.ACCESS_LOCAL_WRITE),
        /** Local, and nothing is posted in it. */
        HIDDEN(VerbsConstants.ACCESS_LOCAL_WRITE),
        /** All rights, but of another protection domain. */
        FOREIGN(Core.ALL),
        /** All rights, but invalidated. */
        INVALID(Core.ALL);

        static final int BYTES = 256;

        final int access;

        Place(int access) {
            this.access = access;
        }

        int key() {
            return 0x01010101 * (ordinal() + 1);
        }

        long address() {
            return (long) (ordinal() + 1) << 60;
        }

        int arenaOffset() {
            return BYTES * (2 * ordinal() + 1);
        }
    }

    private static final byte UNTOUCHED = 0x5a;
    private static final int RECEIVE_BYTES = 20;
    private static final int READ_BYTES = 32;
    private static final int READS_IN_FLIGHT = 4;
    private static final int MAX_PAYLOAD = 64;
    private static final long FIRST_READ_ID = 1000;

    private final Core core;
    private final List<Region> regions = new ArrayList<>();
    private final byte[] blank = new byte[Place.BYTES * 2 * (Place.values().length + 1)];
    private final ByteBuffer arena = ByteBuffer.allocate(blank.length);
    private final boolean[] mayChange = new boolean[blank.length];
    private final ByteBuffer out = ByteBuffer.allocate(1 << 13);
    private int receives;
    private int reads;

    FuzzedQueuePair(boolean crc, boolean responder) {
        Arrays.fill(blank, UNTOUCHED);
        int readable = Place.READABLE.arenaOffset();
        Arrays.fill(blank, readable, readable + Place.BYTES, (byte) 0);
        arena.put(0, blank);
        core = new Core(crc, responder, MAX_PAYLOAD, Ddp.FIRST_MSN);
        ProtectionDomain foreign = new ProtectionDomain();
        for (Place place : Place.values()) {
            register(place, place == Place.FOREIGN ? foreign : core.domain);
        }
        core.queues.start(READS_IN_FLIGHT, READS_IN_FLIGHT);
        mayChange(Place.WRITABLE, 0, Place.BYTES);
    }

    private void register(Place place, ProtectionDomain domain) {
        ByteBuffer memory = arena.slice(place.arenaOffset(), Place.BYTES);
        Region region = new Region(domain, memory, place.access, place.key(), place.address());
        synchronized (core.regions) {
            core.regions.insert(region);
        }
        if (place == Place.INVALID) {
            region.invalidate();
        }
        regions.add(region);
    }

    private void mayChange(Place place, int from, int bytes) {
        Arrays.fill(mayChange, place.arenaOffset() + from, place.arenaOffset() + from + bytes, true);
    }

    /** Posts a receive of {@value #RECEIVE_BYTES} octets, the i-th at octet 24 i of its region. */
    void postReceive() throws IOException {
        int from = 24 * receives;
        core.receive(receives++, regions.get(Place.LOCAL.ordinal()), from, RECEIVE_BYTES);
        mayChange(Place.LOCAL, from, RECEIVE_BYTES);
    }

    /** Posts an RDMA Read of {@value #READ_BYTES} octets, the i-th into octet 152 + 34 i, and asks for it. */
    void postRead() throws IOException {
        int from = 152 + 34 * reads;
        Region sink = regions.get(Place.LOCAL.ordinal());
        core.read(FIRST_READ_ID + reads++, Core.SIGNALED, sink, from, READ_BYTES, 0x1234, 0x5678);
        mayChange(Place.LOCAL, from, READ_BYTES);
        transmit();
    }

    /**
     * Hands octets to the receiver, and lets the transmitter answer.
     *
     * @return false if it stopped in front of a Send for which no receive is posted
     */
    boolean consume(ByteBuffer octets) throws StreamFault {
        int before = octets.position();
        int limit = octets.limit();
        boolean ready = core.receiver.consume(octets);
        assertThat(octets.position() >= before && octets.limit() == limit).isTrue();
        transmit();
        if (core.transmitter.fault() != null) {
            throw core.transmitter.fault();
        }
        return ready;
    }

    StreamFault noBuffer(ByteBuffer octets) {
        return core.receiver.noBuffer(octets, 0);
    }

    boolean isTerminated() {
        if (core.receiver.terminate() == null) {
            return false;
        }
        assertThat(core.receiver.terminate().describe()).isNotEmpty();
        return true;
    }

    private void transmit() {
        core.transmitter.fill(out.clear());
        core.queues.retire(core.transmitter.stagedOctets());
        out.flip();
        int responses = 0;
        while (out.hasRemaining()) {
            int at = out.position() + Fpdu.LENGTH_BYTES;
            int ulpduBytes = Fpdu.ulpduBytes(out, out.position());
            if (Ddp.opcode(out, at) == RdmapOpcode.READ_RESPONSE) {
                checkResponse(at, ulpduBytes);
                responses += Ddp.isLast(out, at) ? 1 : 0;
            }
            out.position(out.position() + Fpdu.bytes(ulpduBytes));
        }
        assertThat(responses)
                .as("Reads the peer had outstanding")
                .isLessThanOrEqualTo(core.queues.inboundReads().limit());
    }

    /** Only the region the peer may read is marked otherwise than all the rest. */
    private void checkResponse(int at, int ulpduBytes) {
        for (int i = Ddp.TAGGED_HEADER_BYTES; i < ulpduBytes; i++) {
            if (out.get(at + i) != 0) {
                throw new AssertionError("Read Response with octets from elsewhere");
            }
        }
    }

    /** The stream has ended, with or without a fault: everything completes once, nothing else was touched. */
    void end(@Nullable StreamFault fault) throws IOException {
        if (fault != null) {
            RdmapTransmitter.appendTerminate(core.transmitter.fpdu(), out.clear(), fault);
            assertThat(Fpdu.ulpduBytes(out, 0)).isGreaterThanOrEqualTo(22);
        }
        core.queues.flush(core.transmitter.stagedOctets());
        Map<Long, Integer> endings = new HashMap<>();
        for (Core.Completion completion : core.completions) {
            endings.merge(completion.id(), 1, Integer::sum);
            if (completion.status() == VerbsConstants.WC_SUCCESS) {
                int posted = completion.id() < FIRST_READ_ID ? RECEIVE_BYTES : READ_BYTES;
                assertThat(completion.bytes()).isBetween(0, posted);
            }
        }
        core.completions.clear();
        assertThat(endings.values()).allMatch(times -> times == 1);
        assertThat(endings).hasSize(receives + reads);
        byte[] octets = arena.array();
        for (int i = 0; i < blank.length; i++) {
            octets[i] = mayChange[i] ? blank[i] : octets[i];
        }
        assertThat(Arrays.mismatch(octets, blank))
                .as("octet changed that nobody may change")
                .isEqualTo(-1);
    }

    @Override
    public void close() {
        core.close();
    }
}
