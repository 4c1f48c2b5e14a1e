// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaWorkRequestException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The reason of a connection that ends because one side refuses a request of the other, over a device of the kernel.
 * Siw does not report to the requester what the peer's Terminate says, and names one fault to the side that has
 * refused: an RDMA Write out of bounds. On rxe the requester gets a status, and the other side only the end of the
 * connection.
 */
@Tag("native")
final class RefusedRequestsOverNativeTest {

    private static final int BYTES = 64;

    /** What is wrong with the segment that a request names. */
    enum Fault {
        /** There is no registration for the key. */
        FORGED_KEY,
        /** The registration has another key by now. */
        OTHER_KEY,
        OUT_OF_BOUNDS,
        ENDED_REGISTRATION
    }

    private final Inbox client = new Inbox();
    private final Inbox server = new Inbox();

    static Stream<Arguments> faults() {
        return Arrays.stream(Fault.values())
                .flatMap(fault -> Stream.of(Arguments.of(fault, false), Arguments.of(fault, true)));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void reasonComesBeforeTheEnd(Fault fault, boolean read) throws Exception {
        try (ChannelPair pair = new ChannelPair(TestProvider.NATIVE, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory exposed =
                    ChannelPair.onLoop(child, () -> child.allocateMemory(BYTES, RdmaAccess.REMOTE_READ_WRITE));
            TestProvider.NATIVE.awaitExposure(child);
            RemoteSegment segment = segment(child, exposed, fault);
            ByteBuf buffer = Unpooled.directBuffer(BYTES, BYTES);

            ChannelFuture done = channel.writeAndFlush(
                    read ? new RdmaRead(segment, buffer) : new RdmaWrite(buffer.writeZero(BYTES), segment));
            client.awaitInactive();
            server.awaitInactive();
            assertThat(done.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            if (read) {
                assertThat(done.cause()).isInstanceOf(RdmaWorkRequestException.class);
            }
            assertReason();
            if (Lane.tested() == Lane.SIW && fault == Fault.OUT_OF_BOUNDS && !read) {
                assertSiwHasRaisedAnEvent();
            }
            exposed.release();
        }
    }

    private void assertReason() {
        if (Lane.tested() == Lane.SIW) {
            assertSiwGivesNoOtherReason();
        } else {
            assertStatus("IBV_WC_REM_ACCESS_ERR");
        }
    }

    /** Rxe reports the fault to the side that sent the request. */
    private void assertStatus(String... said) {
        assertThat(client.failuresBeforeTheEnd)
                .singleElement()
                .isInstanceOf(RdmaWorkRequestException.class)
                .asString()
                .contains(said);
    }

    /** Siw names one fault only, and that to the side that has refused the request. */
    private void assertSiwGivesNoOtherReason() {
        assertThat(server.failuresBeforeTheEnd).hasSizeLessThanOrEqualTo(1).allSatisfy(failure -> assertThat(failure)
                .isInstanceOf(RdmaConnectionException.class)
                .hasMessageContaining("IBV_EVENT_QP_ACCESS_ERR"));
        assertThat(client.failuresBeforeTheEnd).isEmpty();
    }

    /** The event does not depend on which side closes first. */
    private void assertSiwHasRaisedAnEvent() {
        assertThat(server.failuresBeforeTheEnd).singleElement().asString().contains("IBV_EVENT_QP_ACCESS_ERR");
    }

    private static RemoteSegment segment(RdmaChannel child, RdmaMemory exposed, Fault fault) throws Exception {
        RemoteSegment given = exposed.segment();
        return switch (fault) {
            case FORGED_KEY -> new RemoteSegment(given.key() ^ 0x5a5a5a00, given.address(), BYTES);
            case OTHER_KEY -> new RemoteSegment(given.key() ^ 0xff, given.address(), BYTES);
            case OUT_OF_BOUNDS -> new RemoteSegment(given.key(), given.address() + 1, BYTES);
            case ENDED_REGISTRATION -> {
                ChannelPair.onLoop(child, (ChannelPair.LoopCall) exposed::invalidate);
                yield given;
            }
        };
    }

    @Test
    void reasonComesBeforeTheEndIfAMessageFindsNoReceive() throws Exception {
        try (ChannelPair pair = new ChannelPair(TestProvider.NATIVE, () -> server, () -> client)) {
            pair.serverBootstrap
                    .childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 1)
                    .childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            RdmaChannel child = pair.accepted();
            // One too many and no more: siw resets a connection whose later octets it has not read, and TCP forgets it.
            channel.write(Unpooled.copyInt(1));
            channel.writeAndFlush(Unpooled.copyInt(2));
            client.awaitInactive();
            child.read(); // the end comes behind what was received

            server.awaitInactive();
            if (Lane.tested() == Lane.SIW) {
                assertSiwGivesNoOtherReason();
            } else {
                assertStatus("IBV_WC_RNR_RETRY_EXC_ERR", "RDMA_RECEIVE_COUNT");
            }
        }
    }
}
