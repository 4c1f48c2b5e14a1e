// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each thing that can happen to a call, in each state it can be in. */
class RequesterCallStatesTest extends RequesterEngineFixture {

    enum Phase {
        WAITING,
        IN_FLIGHT,
        ABANDONED,
        ENDED
    }

    enum Happening {
        REPLY,
        ERR_CHUNK,
        DEADLINE,
        SEND_FAILURE,
        WITHDRAWAL,
        CANCELLATION,
        FOREIGN_CHUNKS,
        CONNECTION_LOSS
    }

    /** State, event, whether the call ends by it, whether its XID is free afterwards. */
    static Stream<Arguments> table() {
        return Stream.of(
                Arguments.of(Phase.WAITING, Happening.REPLY, false, false),
                Arguments.of(Phase.WAITING, Happening.ERR_CHUNK, false, false),
                Arguments.of(Phase.WAITING, Happening.DEADLINE, true, true),
                Arguments.of(Phase.WAITING, Happening.SEND_FAILURE, false, false),
                Arguments.of(Phase.WAITING, Happening.WITHDRAWAL, false, false),
                Arguments.of(Phase.WAITING, Happening.CONNECTION_LOSS, true, false),
                Arguments.of(Phase.IN_FLIGHT, Happening.REPLY, true, true),
                Arguments.of(Phase.IN_FLIGHT, Happening.ERR_CHUNK, true, true),
                Arguments.of(Phase.IN_FLIGHT, Happening.DEADLINE, true, false),
                Arguments.of(Phase.IN_FLIGHT, Happening.SEND_FAILURE, true, true),
                Arguments.of(Phase.IN_FLIGHT, Happening.WITHDRAWAL, false, true),
                Arguments.of(Phase.IN_FLIGHT, Happening.CONNECTION_LOSS, true, false),
                Arguments.of(Phase.ABANDONED, Happening.REPLY, false, true),
                Arguments.of(Phase.ABANDONED, Happening.ERR_CHUNK, false, true),
                Arguments.of(Phase.ABANDONED, Happening.DEADLINE, false, false),
                Arguments.of(Phase.ABANDONED, Happening.SEND_FAILURE, false, true),
                Arguments.of(Phase.ABANDONED, Happening.WITHDRAWAL, false, false),
                Arguments.of(Phase.ABANDONED, Happening.CONNECTION_LOSS, false, false),
                Arguments.of(Phase.WAITING, Happening.CANCELLATION, false, false),
                Arguments.of(Phase.IN_FLIGHT, Happening.CANCELLATION, true, false),
                Arguments.of(Phase.ABANDONED, Happening.CANCELLATION, false, false),
                Arguments.of(Phase.ENDED, Happening.CANCELLATION, false, true),
                Arguments.of(Phase.WAITING, Happening.FOREIGN_CHUNKS, false, false),
                Arguments.of(Phase.IN_FLIGHT, Happening.FOREIGN_CHUNKS, false, false),
                Arguments.of(Phase.ABANDONED, Happening.FOREIGN_CHUNKS, false, true),
                Arguments.of(Phase.ENDED, Happening.FOREIGN_CHUNKS, false, true),
                Arguments.of(Phase.ENDED, Happening.REPLY, false, true),
                Arguments.of(Phase.ENDED, Happening.ERR_CHUNK, false, true),
                Arguments.of(Phase.ENDED, Happening.DEADLINE, false, true),
                Arguments.of(Phase.ENDED, Happening.SEND_FAILURE, false, true),
                Arguments.of(Phase.ENDED, Happening.WITHDRAWAL, false, true),
                Arguments.of(Phase.ENDED, Happening.CONNECTION_LOSS, false, false));
    }

    @ParameterizedTest
    @MethodSource("table")
    @Requirement({"V1-001"})
    void callEndsExactlyOnce(Phase phase, Happening happening, boolean ends, boolean xidIsFree) {
        Call call = in(phase);
        int endingsBefore = call.endings();

        switch (happening) {
            case REPLY -> reply(call.xid(), 4);
            case ERR_CHUNK -> engine.received(new RpcRdmaMessage.ErrorMsg(call.xid(), 1, 4, null), null);
            case DEADLINE -> expire(TIMEOUT);
            case SEND_FAILURE -> engine.onSendFailed(call, new IOException());
            case WITHDRAWAL -> engine.withdraw(call);
            case CANCELLATION -> engine.cancel(call);
            case FOREIGN_CHUNKS -> {
                call.offered = new ChunkLists(List.of(), List.of(chunk(1)), null);
                receive(new RpcRdmaMessage.Msg(call.xid(), 1, 4, new ChunkLists(List.of(), List.of(chunk(2)), null)));
            }
            case CONNECTION_LOSS -> engine.onConnectionLost(null);
        }

        assertThat(call.endings() - endingsBefore).isEqualTo(ends ? 1 : 0);
        assertThat(engine.submit(new Call(call.xid(), 10 * TIMEOUT)) == null).isEqualTo(xidIsFree);
        engine.onConnectionLost(null);
        assertThat(call.endings()).isLessThanOrEqualTo(1);
    }

    private Call in(Phase phase) {
        switch (phase) {
            case WAITING -> {
                engine.submit(new Call(7, 10 * TIMEOUT));
                return submit(1);
            }
            case IN_FLIGHT -> {
                open(4);
                return submit(1);
            }
            case ABANDONED -> {
                open(4);
                Call call = submit(1);
                expire(TIMEOUT);
                return call;
            }
            default -> {
                open(4);
                Call call = submit(1);
                reply(1, 4);
                return call;
            }
        }
    }

    private static WriteChunk chunk(int handle) {
        return new WriteChunk(List.of(new PlainSegment(handle, 4, 0)));
    }
}
