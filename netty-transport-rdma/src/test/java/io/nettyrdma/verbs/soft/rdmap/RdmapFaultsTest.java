// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two cores of which one asks for what it may not have: what the other says, and what both complete. */
final class RdmapFaultsTest {

    private static final int BYTES = 100;

    private final Side a = new Side();
    private final Side b = new Side();

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    /** A range of memory that the peer may not have. */
    private enum Range {
        UNKNOWN_KEY(TerminateError.DDP_INVALID_STAG, TerminateError.RDMAP_INVALID_STAG),
        INVALIDATED(TerminateError.DDP_INVALID_STAG, TerminateError.RDMAP_INVALID_STAG),
        DEREGISTERED(TerminateError.DDP_INVALID_STAG, TerminateError.RDMAP_INVALID_STAG),
        OTHER_DOMAIN(TerminateError.DDP_STAG_NOT_ASSOCIATED, TerminateError.RDMAP_STAG_NOT_ASSOCIATED),
        NO_RIGHT(TerminateError.DDP_INVALID_STAG, TerminateError.RDMAP_ACCESS),
        BEFORE(TerminateError.DDP_BOUNDS, TerminateError.RDMAP_BOUNDS),
        BEYOND(TerminateError.DDP_BOUNDS, TerminateError.RDMAP_BOUNDS),
        OVER_THE_END(TerminateError.DDP_TO_WRAP, TerminateError.RDMAP_TO_WRAP);

        final TerminateError writing;
        final TerminateError reading;

        Range(TerminateError writing, TerminateError reading) {
            this.writing = writing;
            this.reading = reading;
        }

        Region region(Side side) {
            ByteBuffer octets = ByteBuffer.allocateDirect(BYTES);
            switch (this) {
                case OTHER_DOMAIN:
                    return side.regions.register(new ProtectionDomain(), octets, Core.ALL);
                case NO_RIGHT:
                    return side.register(octets, Core.LOCAL);
                default:
                    return side.register(octets, Core.ALL);
            }
        }

        /** What becomes of the region before the peer names it. */
        void prepare(Side side, Region region) {
            if (this == INVALIDATED) {
                region.invalidate();
            } else if (this == DEREGISTERED) {
                side.regions.deregister(region);
            }
        }

        int key(Region region) {
            return this == UNKNOWN_KEY ? region.key() ^ 0x4000_0000 : region.key();
        }

        long address(Region region) {
            switch (this) {
                case BEFORE:
                    return region.address() - 1;
                case BEYOND:
                    return region.address() + BYTES - 9;
                case OVER_THE_END:
                    return -9;
                default:
                    return region.address();
            }
        }
    }

    private StreamFault faultOfB() {
        StreamFault fault = catchThrowableOfType(StreamFault.class, () -> {
            b.receiveFrom(a);
            b.transmit();
        });
        assertThat(fault).as("a fault").isNotNull();
        return fault;
    }

    /** B says why it ends the stream, and A hears it. */
    private Terminate terminate(StreamFault fault) throws StreamFault {
        b.terminate(fault);
        assertThat(a.receiveFrom(b)).isTrue();
        assertThat(a.receiver.terminate()).isNotNull();
        assertThat(a.receiver.terminate().describe()).startsWith(fault.error().text());
        a.queues.flush(a.transmitter.stagedOctets());
        return a.receiver.terminate();
    }

    private static List<Integer> statuses(Core core) {
        return core.completions.stream().map(Core.Completion::status).toList();
    }

    @ParameterizedTest
    @EnumSource(Range.class)
    void writeOutsideOfWhatIsExposedIsRefused(Range range) throws Exception {
        Region region = range.region(b);
        range.prepare(b, region);
        a.memory.put(0, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        a.write(1, Core.SIGNALED, a.region, 0, 10, range.key(region), range.address(region));
        a.transmit();
        StreamFault fault = faultOfB();
        assertThat(fault.error()).isEqualTo(range.writing);
        // Nothing of it was placed, not even what would have been inside.
        ByteBuffer octets = ByteBuffer.allocate(BYTES);
        if (range == Range.BEYOND || range == Range.BEFORE) {
            assertThat(region.read(region.address(), BYTES, octets)).isTrue();
            assertThat(octets.array()).containsOnly(0);
        }
        terminate(fault);
        // TCP had accepted the Write, which is all that its completion says.
        assertThat(statuses(a)).containsExactly(VerbsConstants.WC_SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(Range.class)
    void readOutsideOfWhatIsExposedIsRefusedAndFailsAtTheRequester(Range range) throws Exception {
        Region region = range.region(b);
        range.prepare(b, region);
        a.read(1, 0, a.region, 0, 10, range.key(region), range.address(region));
        a.send(2, 0, a.region, 0, 10);
        a.transmit();
        b.receive(3, b.region, 0, 10);
        StreamFault fault = faultOfB();
        assertThat(fault.error()).isEqualTo(range.reading);
        assertThat(terminate(fault).refusesRead()).isTrue();
        assertThat(statuses(a)).containsExactly(VerbsConstants.WC_REM_ACCESS_ERR, VerbsConstants.WC_WR_FLUSH_ERR);
        assertThat(statuses(b)).containsExactly(VerbsConstants.WC_SUCCESS);
    }

    @Test
    void nothingIsConsumedBehindATerminate() throws Exception {
        a.write(1, 0, a.region, 0, 10, 0x77, 0);
        a.transmit();
        terminate(faultOfB());
        a.receive(5, a.region, 0, 10);
        b.wire.compact().put(new byte[100]).flip();
        assertThat(a.receiveFrom(b)).isTrue();
        assertThat(b.wire.remaining()).isEqualTo(100);
    }

    @Test
    void sendWithoutAReceiveWaitsInFrontOfIt() throws Exception {
        a.send(1, 0, a.region, 0, 100);
        a.transmit();
        int octets = a.wire.remaining();
        assertThat(b.receiveFrom(a)).isFalse();
        assertThat(a.wire.remaining()).isEqualTo(octets);
        assertThat(b.receiver.noBuffer(a.wire, 20).error()).isEqualTo(TerminateError.DDP_NO_BUFFER);
        b.receive(2, b.region, 0, 100);
        assertThat(b.receiveFrom(a)).isTrue();
        assertThat(statuses(b)).containsExactly(VerbsConstants.WC_SUCCESS);
    }

    @Test
    void sendThatIsTooLongFailsTheReceiveAndFlushesTheNext() throws Exception {
        b.receive(1, b.region, 0, 99);
        b.receive(2, b.region, 0, 100);
        a.send(1, 0, a.region, 0, 100);
        a.transmit();
        StreamFault fault = faultOfB();
        assertThat(fault.error()).isEqualTo(TerminateError.DDP_TOO_LONG);
        terminate(fault);
        assertThat(statuses(b)).containsExactly(VerbsConstants.WC_LOC_LEN_ERR, VerbsConstants.WC_WR_FLUSH_ERR);
    }

    @Test
    void receiveInMemoryThatMayNotBeWrittenIsAFaultOfThisSide() throws Exception {
        b.receive(1, b.register(100, VerbsConstants.ACCESS_REMOTE_READ), 0, 100);
        a.send(1, 0, a.region, 0, 10);
        a.transmit();
        StreamFault fault = faultOfB();
        assertThat(fault.error()).isEqualTo(TerminateError.DDP_LOCAL_CATASTROPHIC);
        terminate(fault);
        assertThat(statuses(b)).containsExactly(VerbsConstants.WC_LOC_PROT_ERR);
    }

    @Test
    void sendFromMemoryThatIsGoneSendsNothing() throws Exception {
        Region gone = a.register(100, Core.LOCAL);
        a.regions.deregister(gone);
        a.send(1, 0, gone, 0, 10);
        StreamFault fault = catchThrowableOfType(StreamFault.class, a::transmit);
        assertThat(fault.error()).isEqualTo(TerminateError.RDMAP_LOCAL_CATASTROPHIC);
        assertThat(a.transmitter.stagedOctets()).isZero();
        a.queues.flush();
        assertThat(statuses(a)).containsExactly(VerbsConstants.WC_LOC_PROT_ERR);
    }

    @Test
    void readIntoMemoryThatMayNotBeWrittenIsNotAskedFor() throws Exception {
        a.read(1, 0, a.register(100, VerbsConstants.ACCESS_REMOTE_READ), 0, 10, b.region.key(), b.region.address());
        StreamFault fault = catchThrowableOfType(StreamFault.class, a::transmit);
        assertThat(fault.error()).isEqualTo(TerminateError.RDMAP_LOCAL_CATASTROPHIC);
        assertThat(a.transmitter.stagedOctets()).isZero();
        a.queues.flush();
        assertThat(statuses(a)).containsExactly(VerbsConstants.WC_LOC_PROT_ERR);
    }

    @Test
    void sinkDeregisteredBeforeTheResponseFailsTheRead() throws Exception {
        Region sink = a.register(100, Core.LOCAL);
        a.read(1, 0, sink, 0, 10, b.region.key(), b.region.address());
        a.transmit();
        b.receiveFrom(a);
        b.transmit();
        a.regions.deregister(sink);
        StreamFault fault = catchThrowableOfType(StreamFault.class, () -> a.receiveFrom(b));
        assertThat(fault.error()).isEqualTo(TerminateError.DDP_INVALID_STAG);
        a.queues.flush(a.transmitter.stagedOctets());
        assertThat(statuses(a)).containsExactly(VerbsConstants.WC_LOC_PROT_ERR);
    }

    @Test
    void readWhereNoneWasAgreedFails() throws Exception {
        try (Side none = new Side(true, 64, 0, Ddp.FIRST_MSN)) {
            none.read(1, 0, none.region, 0, 10, b.region.key(), b.region.address());
            StreamFault fault = catchThrowableOfType(StreamFault.class, none::transmit);
            assertThat(fault.error()).isEqualTo(TerminateError.RDMAP_LOCAL_CATASTROPHIC);
            none.queues.flush();
            assertThat(statuses(none)).containsExactly(VerbsConstants.WC_LOC_QP_OP_ERR);
        }
    }

    @Test
    void moreReadsThanThisSideCanHoldAreRefused() throws Exception {
        try (Side one = new Side(true, 64, 1, Ddp.FIRST_MSN)) {
            for (int i = 0; i < 3; i++) {
                a.read(i, 0, a.region, 0, 10, one.region.key(), one.region.address());
            }
            a.transmit();
            StreamFault fault = catchThrowableOfType(StreamFault.class, () -> one.receiveFrom(a));
            assertThat(fault.error()).isEqualTo(TerminateError.DDP_NO_BUFFER);
            assertThat(fault).hasMessageContaining("more RDMA Reads outstanding than the 2");
        }
    }

    @Test
    void sendWithInvalidateEndsTheUseOfTheKey() throws Exception {
        Region exposed = b.register(100, Core.ALL);
        b.receive(1, b.region, 0, 100);
        a.post(1, VerbsConstants.WR_SEND_WITH_INV, VerbsConstants.SEND_SOLICITED, exposed.key(), 0, a.region, 0, 10);
        a.transmit();
        b.receiveFrom(a);
        Core.Completion completion = b.completions.remove();
        assertThat(completion)
                .isEqualTo(new Core.Completion(
                        1,
                        VerbsConstants.WC_SUCCESS,
                        VerbsConstants.WC_RECV,
                        10,
                        VerbsConstants.WC_WITH_INV,
                        exposed.key()));
        assertThat(exposed.isValid()).isFalse();
    }

    @Test
    void keyThatIsNotExposedCannotBeInvalidated() throws Exception {
        Region local = b.register(100, Core.LOCAL);
        b.receive(1, b.region, 0, 100);
        a.post(1, VerbsConstants.WR_SEND_WITH_INV, 0, local.key(), 0, a.region, 0, 10);
        a.transmit();
        StreamFault fault = faultOfB();
        assertThat(fault.error()).isEqualTo(TerminateError.RDMAP_CANNOT_INVALIDATE);
        assertThat(local.isValid()).isTrue();
        terminate(fault);
        assertThat(statuses(b)).containsExactly(VerbsConstants.WC_REM_INV_REQ_ERR);
    }

    @Test
    void damagedFpduPlacesNothing() throws Exception {
        a.memory.put(0, (byte) 1);
        a.write(1, 0, a.region, 0, 10, b.region.key(), b.region.address());
        a.transmit();
        int last = a.wire.limit() - 1;
        a.wire.put(last, (byte) (a.wire.get(last) ^ 1));
        assertThat(faultOfB().error()).isEqualTo(TerminateError.MPA_CRC);
        assertThat(b.memory.get(0)).isZero();
    }
}
