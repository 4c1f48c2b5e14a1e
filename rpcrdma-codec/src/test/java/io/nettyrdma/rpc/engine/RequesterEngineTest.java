// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.DUPLICATE_XID;
import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.QUEUE_FULL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of calls. */
class RequesterEngineTest extends RequesterEngineFixture {

    @Test
    @Requirement("V1-001")
    void replyNobodyWaitsForHasNoEffect() {
        Call call = submit(1);

        assertThat(reply(99, 4)).isFalse();

        assertThat(engine.window()).isOne();
        assertThat(call.endings()).isZero();
    }

    @Test
    @Requirement("V1-001")
    void replyToACallThatWasNotSentHasNoEffect() {
        submit(1);
        Call waiting = submit(2);

        assertThat(reply(2, 4)).isFalse();

        assertThat(waiting.endings()).isZero();
        assertThat(engine.waiting()).isOne();
    }

    @Test
    @Requirement({"V1-001", "V2-003"})
    void outstandingXidIsNotUsedTwice() {
        Call first = submit(1);
        Call second = new Call(1, TIMEOUT);

        assertThat(engine.submit(second)).hasFieldOrPropertyWithValue("reason", DUPLICATE_XID);

        reply(1, 1);
        assertThat(first.completed).isOne();
        assertThat(second.endings()).isZero();
        assertThat(engine.submit(new Call(1, TIMEOUT))).isNull();
    }

    @Test
    void queueIsBounded() {
        for (int xid = 0; xid <= MAX_WAITING; xid++) {
            submit(xid);
        }

        assertThat(engine.submit(new Call(1000, TIMEOUT))).hasFieldOrPropertyWithValue("reason", QUEUE_FULL);
        reply(0, 1);
        assertThat(engine.submit(new Call(1000, TIMEOUT))).isNull();
    }

    @Test
    void callsAreSentInOrder() {
        for (int xid = 1; xid <= 6; xid++) {
            submit(xid);
        }
        for (int xid = 1; xid <= 6; xid++) {
            reply(xid, 1);
        }

        assertThat(sent).extracting(Call::xid).containsExactly(1, 2, 3, 4, 5, 6);
    }

    @Test
    void callSubmittedFromACompletionQueuesBehindTheWaiting() {
        submit(1);
        submit(2);
        onEnd = call -> {
            onEnd = it -> {};
            submit(3);
        };

        reply(1, 1);

        assertThat(sent).extracting(Call::xid).containsExactly(1, 2);
        reply(2, 1);
        assertThat(sent).extracting(Call::xid).containsExactly(1, 2, 3);
    }

    @Test
    @Requirement({"V1-119", "V2-154"})
    void callThatCannotBeSentFailsAtOnce() {
        Call call = submit(1);
        Call next = submit(2);
        IOException cause = new IOException("post failed");

        engine.onSendFailed(call, cause);

        assertThat(call.failure).isSameAs(cause);
        assertThat(sent).containsExactly(call, next);
        assertThat(engine.inFlight()).isOne();
    }

    @Test
    void withdrawnCallLeavesNoTrace() {
        Call call = submit(1);
        Call next = submit(2);

        engine.withdraw(call);

        assertThat(call.endings()).isZero();
        assertThat(sent).containsExactly(call, next);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1 << 8, 1 << 16, 1 << 20, 1 << 26})
    void keysOfCallsInFlightAreSpreadOverTheirMap(int step) {
        int calls = 64;
        int slots = 2 * calls; // the map is never fuller

        long taken = IntStream.range(0, calls)
                .map(i -> RequesterEngine.key(12_345 + i * step) & slots - 1)
                .distinct()
                .count();

        assertThat(taken).isGreaterThan(calls / 2);
    }

    @Test
    @Requirement("V1-134")
    void replyWithChunksNeverOfferedFailsTheCall() {
        WriteChunk used = new WriteChunk(List.of(new PlainSegment(1, 4, 0)));
        List<RpcRdmaMessage> replies = List.of(
                new RpcRdmaMessage.Msg(1, 1, 1, new ChunkLists(List.of(), List.of(used), null)),
                new RpcRdmaMessage.NoMsg(1, 1, 1, new ChunkLists(List.of(), List.of(), used)));
        for (RpcRdmaMessage reply : replies) {
            Call call = submit(1);

            engine.received(reply, reply instanceof RpcRdmaMessage.Msg ? buffer() : null);

            assertThat(call.failure)
                    .isInstanceOf(MalformedRpcMessageException.class)
                    .hasMessageContaining("reply ");
        }
    }

    @Test
    void replyThatSaysChunksAreUnusedIsAReply() {
        WriteChunk unused = new WriteChunk(List.of(new PlainSegment(1, 0, 0)));
        Call call = submit(1);

        receive(new RpcRdmaMessage.Msg(1, 1, 1, new ChunkLists(List.of(), List.of(unused), unused)));

        assertThat(call.completed).isOne();
    }

    @Test
    void errVersNamesTheVersions() {
        Call call = submit(1);

        engine.received(new RpcRdmaMessage.ErrorMsg(1, 7, 1, new VersionRange(2, 3)), null);

        assertThat(call.failure).isInstanceOfSatisfying(RemoteErrorException.class, it -> {
            assertThat(it.xid()).isOne();
            assertThat(it.code()).isEqualTo("ERR_VERS");
            assertThat(it.numbers()).containsExactly(2L, 3L);
        });
    }

    @Test
    @Requirement("V1-122")
    void connectionLossFailsEverythingOnce() {
        open(2);
        List<Call> calls = new ArrayList<>();
        for (int xid = 1; xid <= 5; xid++) {
            calls.add(submit(xid));
        }
        IOException cause = new IOException("reset");
        // What an impatient application does on failure must not disturb the walk.
        List<RpcRdmaException> refusals = new ArrayList<>();
        onEnd = call -> refusals.add(engine.submit(new Call(call.xid() + 100, TIMEOUT)));

        engine.onConnectionLost(cause);
        engine.onConnectionLost(null);

        assertThat(calls).allSatisfy(call -> {
            assertThat(call.endings()).isOne();
            assertThat(call.failure).isInstanceOf(ConnectionLostException.class).hasCause(cause);
        });
        assertThat(refusals).hasSize(5).allSatisfy(it -> assertThat(it).isInstanceOf(ConnectionLostException.class));
        assertThat(reply(1, 4)).isFalse();
    }

    @Test
    void whatFailsAtTheEndOfOneCallKeepsNoOtherFromItsEnd() {
        List<Call> calls = List.of(submit(1), submit(2), submit(3));
        IllegalStateException failure = new IllegalStateException("at the end of a call");
        onEnd = call -> {
            if (call.xid() != 3) {
                throw failure;
            }
        };

        assertThatThrownBy(() -> engine.onConnectionLost(null)).isSameAs(failure);

        assertThat(calls).allSatisfy(call -> assertThat(call.endings()).isOne());
    }

    @Test
    @Requirement("V1-122")
    void lossOfTheConnectionSaysWhetherACallWasSent() {
        List<Call> failed = new ArrayList<>();
        Call sent = submit(2); // behind the other in the table of XIDs
        Call waiting = submit(1);
        onEnd = failed::add;

        engine.onConnectionLost(null);

        assertThat(failed).containsExactly(sent, waiting);
        assertThat(((ConnectionLostException) sent.failure).mayHaveBeenSent()).isTrue();
        assertThat(((ConnectionLostException) waiting.failure).mayHaveBeenSent())
                .isFalse();
    }

    @Test
    void configurationIsChecked() {
        RequesterActions<Call> none = null;
        assertThatThrownBy(() -> new WindowCredits(0, true)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RequesterEngine<>(new WindowCredits(1, true), -1, none))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
