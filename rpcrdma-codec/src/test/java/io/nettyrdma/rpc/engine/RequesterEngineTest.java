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
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.WriteChunk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RequesterEngineTest {

    private static final int CREDITS = 4;
    private static final int MAX_WAITING = 8;
    private static final long TIMEOUT = 100;

    /** A call that counts how often it ended. */
    private static final class Call extends RequesterCall {
        int sent;
        int completed;
        ChunkLists offered = ChunkLists.ABSENT;

        @Nullable
        Exception failure;

        Call(int xid, long deadline) {
            super(xid, deadline);
        }

        @Override
        public ChunkLists offered() {
            return offered;
        }

        int endings() {
            return completed + (failure == null ? 0 : 1);
        }
    }

    private final List<Call> sent = new ArrayList<>();
    private final List<ByteBuf> buffers = new ArrayList<>();
    private final List<String> closes = new ArrayList<>();
    private Consumer<Call> onEnd = call -> {};

    private final RequesterEngine<Call> engine =
            new RequesterEngine<>(CREDITS, MAX_WAITING, new RequesterActions<Call>() {
                @Override
                public void send(Call call, int creditsRequested) {
                    assertThat(creditsRequested).isEqualTo(CREDITS);
                    call.sent++;
                    sent.add(call);
                }

                @Override
                public void completed(Call call, ChunkLists returned, @Nullable ByteBuf reply) {
                    if (reply != null) {
                        reply.release();
                    }
                    call.completed++;
                    onEnd.accept(call);
                }

                @Override
                public void failed(Call call, Exception cause) {
                    assertThat(call.failure).isNull();
                    call.failure = cause;
                    onEnd.accept(call);
                }

                @Override
                public void close(String reason) {
                    closes.add(reason);
                }
            });

    @AfterEach
    void everyReplyWasReleased() {
        assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
    }

    @Test
    @Requirement({"V1-023", "V1-024"})
    void secondCallWaitsForTheFirstGrant() {
        Call first = submit(1);
        Call second = submit(2);

        assertThat(sent).containsExactly(first);

        reply(1, 8);
        assertThat(sent).containsExactly(first, second);
        assertThat(first.completed).isOne();
    }

    @Test
    @Requirement({"V1-012", "V1-015"})
    void neverMoreCallsInFlightThanGranted() {
        open(3);
        for (int xid = 1; xid <= 8; xid++) {
            submit(xid);
        }
        assertThat(engine.inFlight()).isEqualTo(3);

        reply(2, 3);
        assertThat(engine.inFlight()).isEqualTo(3);
        assertThat(sent).hasSize(5); // with the one that opened the window
    }

    @Test
    @Requirement("V1-014")
    void neverMoreCallsInFlightThanRequested() {
        open(0xffff_ffffL);

        assertThat(engine.window()).isEqualTo(CREDITS);
    }

    @Test
    @Requirement("V1-016")
    void lowerGrantShrinksTheWindow() {
        open(4);
        for (int xid = 1; xid <= 6; xid++) {
            submit(xid);
        }
        sent.clear();

        reply(1, 2); // three in flight, two allowed
        reply(2, 2);
        assertThat(sent).isEmpty();

        reply(3, 2);
        assertThat(sent).extracting(Call::xid).containsExactly(5);
    }

    @Test
    @Requirement("V1-015")
    void grantOfZeroCountsAsOne() {
        open(0);

        assertThat(engine.window()).isOne();
    }

    @Test
    @Requirement({"V1-023", "V1-109"})
    void errorCarriesAGrantToo() {
        Call call = submit(1);

        engine.received(new RpcRdmaMessage.ErrorMsg(1, 1, 3, null), null);

        assertThat(call.failure).isInstanceOf(RemoteChunkException.class);
        assertThat(engine.window()).isEqualTo(3);
        assertThat(engine.inFlight()).isZero();
    }

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
    @Requirement("V1-001")
    void outstandingXidIsNotUsedTwice() {
        Call first = submit(1);
        Call second = new Call(1, TIMEOUT);

        assertThat(engine.submit(second)).isInstanceOf(DuplicateXidException.class);

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

        assertThat(engine.submit(new Call(1000, TIMEOUT))).isInstanceOf(CallQueueFullException.class);
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
    @Requirement({"V1-012"})
    void lateReplyFreesTheCreditAndIsDropped() {
        open(4);
        Call call = submit(1);
        expire(TIMEOUT);
        assertThat(call.failure).isInstanceOf(CallTimeoutException.class);
        assertThat(engine.inFlight()).isOne();
        assertThat(engine.submit(new Call(1, 2 * TIMEOUT))).isInstanceOf(DuplicateXidException.class);

        assertThat(reply(1, 4)).isTrue();

        assertThat(call.endings()).isOne();
        assertThat(engine.inFlight()).isZero();
    }

    @Test
    @Requirement("BIS-014")
    void connectionIsClosedWhenTimedOutCallsHoldAllCredits() {
        open(2);
        submit(1);
        submit(2);
        Call waiting = new Call(3, 3 * TIMEOUT);
        assertThat(engine.submit(waiting)).isNull();

        expire(TIMEOUT);

        assertThat(closes).hasSize(1);
        engine.connectionLost(null);
        assertThat(waiting.failure).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void connectionStaysWhileACreditIsLeft() {
        open(2);
        submit(1);

        expire(TIMEOUT);

        assertThat(closes).isEmpty();
    }

    @Test
    void shrunkWindowMayBeHeldByTimedOutCallsToo() {
        open(2);
        submit(1);
        assertThat(engine.submit(new Call(2, 2 * TIMEOUT))).isNull();
        expire(TIMEOUT);

        reply(2, 1);

        assertThat(closes).hasSize(1);
    }

    @Test
    void nextDeadlineIsThatOfTheMostUrgentCall() {
        assertThat(engine.hasDeadline()).isFalse();
        engine.submit(new Call(1, 50));
        engine.submit(new Call(2, 30));
        assertThat(engine.nextDeadlineNanos()).isEqualTo(30);

        expire(30);

        assertThat(engine.nextDeadlineNanos()).isEqualTo(50);
        assertThat(engine.waiting()).isZero();
        expire(49);
        assertThat(engine.inFlight()).isOne();
        expire(50);
        assertThat(engine.hasDeadline()).isFalse();
    }

    @Test
    void deadlinesMayWrapAround() {
        long now = Long.MAX_VALUE - 10;
        engine.submit(new Call(1, now + 20));
        engine.submit(new Call(2, now + 5));

        assertThat(engine.nextDeadlineNanos()).isEqualTo(now + 5);
        expire(now + 6);
        assertThat(engine.nextDeadlineNanos()).isEqualTo(now + 20);
    }

    @Test
    @Requirement("V1-119")
    void callThatCannotBeSentFailsAtOnce() {
        Call call = submit(1);
        Call next = submit(2);
        IOException cause = new IOException("post failed");

        engine.sendFailed(call, cause);

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

            assertThat(call.failure).isInstanceOf(UnexpectedChunksException.class);
        }
    }

    @Test
    void replyThatSaysChunksAreUnusedIsAReply() {
        WriteChunk unused = new WriteChunk(List.of(new PlainSegment(1, 0, 0)));
        Call call = submit(1);

        engine.received(new RpcRdmaMessage.Msg(1, 1, 1, new ChunkLists(List.of(), List.of(unused), unused)), buffer());

        assertThat(call.completed).isOne();
    }

    @Test
    void errVersNamesTheVersions() {
        Call call = submit(1);

        engine.received(new RpcRdmaMessage.ErrorMsg(1, 7, 1, new VersionRange(2, 3)), null);

        assertThat(call.failure).isInstanceOfSatisfying(RemoteVersionException.class, it -> {
            assertThat(it.xid()).isOne();
            assertThat(it.lowVersion()).isEqualTo(2);
            assertThat(it.highVersion()).isEqualTo(3);
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

        engine.connectionLost(cause);
        engine.connectionLost(null);

        assertThat(calls).allSatisfy(call -> {
            assertThat(call.endings()).isOne();
            assertThat(call.failure).isInstanceOf(ConnectionLostException.class).hasCause(cause);
        });
        assertThat(refusals).hasSize(5).allSatisfy(it -> assertThat(it).isInstanceOf(ConnectionLostException.class));
        assertThat(reply(1, 4)).isFalse();
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
    void configurationIsChecked() {
        RequesterActions<Call> none = null;
        assertThatThrownBy(() -> new RequesterEngine<>(0, 1, none)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RequesterEngine<>(1, -1, none)).isInstanceOf(IllegalArgumentException.class);
    }

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
            case SEND_FAILURE -> engine.sendFailed(call, new IOException());
            case WITHDRAWAL -> engine.withdraw(call);
            case CANCELLATION -> engine.cancel(call);
            case FOREIGN_CHUNKS -> {
                call.offered = new ChunkLists(List.of(), List.of(chunk(1)), null);
                engine.received(
                        new RpcRdmaMessage.Msg(call.xid(), 1, 4, new ChunkLists(List.of(), List.of(chunk(2)), null)),
                        buffer());
            }
            case CONNECTION_LOSS -> engine.connectionLost(null);
        }

        assertThat(call.endings() - endingsBefore).isEqualTo(ends ? 1 : 0);
        assertThat(engine.submit(new Call(call.xid(), 10 * TIMEOUT)) == null).isEqualTo(xidIsFree);
        engine.connectionLost(null);
        assertThat(call.endings()).isLessThanOrEqualTo(1);
    }

    private static WriteChunk chunk(int handle) {
        return new WriteChunk(List.of(new PlainSegment(handle, 4, 0)));
    }

    @Test
    void cancelledCallsDoNotCloseTheConnectionBeforeAnotherTimesOut() {
        open(1);
        Call call = submit(1);
        engine.cancel(call);
        assertThat(call.failure).isInstanceOf(CancellationException.class);
        assertThat(closes).isEmpty();

        Call waiting = submit(2);
        expire(TIMEOUT);

        assertThat(waiting.failure).isInstanceOf(CallTimeoutException.class);
        assertThat(closes).hasSize(1);
    }

    @Test
    @Requirement("V1-122")
    void lossOfTheConnectionSaysWhetherACallWasSent() {
        Call sent = submit(1);
        Call waiting = submit(2);

        engine.connectionLost(null);

        assertThat(((ConnectionLostException) sent.failure).mayHaveBeenSent()).isTrue();
        assertThat(((ConnectionLostException) waiting.failure).mayHaveBeenSent())
                .isFalse();
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

    @Test
    @Requirement({"V1-012", "V1-014"})
    void randomTrafficKeepsTheRules() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Call> all = new ArrayList<>();
        long now = 0;
        long granted = 1;
        for (int step = 0; step < 50_000; step++) {
            now++;
            int event = random.nextInt(10);
            if (event < 5) {
                Call call = new Call(random.nextInt(64), now + 1 + random.nextInt(100));
                if (engine.submit(call) == null) {
                    all.add(call);
                }
            } else if (event < 9) {
                int xid = random.nextInt(64);
                long credits = random.nextInt(7);
                if (reply(xid, credits)) {
                    granted = Math.max(1, credits);
                }
            } else {
                expire(now);
            }
            int before = engine.inFlight();
            assertThat(engine.window()).as("seed %d step %d", seed, step).isEqualTo((int) Math.min(granted, CREDITS));
            assertThat(before).as("seed %d", seed).isLessThanOrEqualTo(CREDITS);
            assertThat(engine.waiting()).as("seed %d", seed).isLessThanOrEqualTo(MAX_WAITING);
        }
        engine.connectionLost(null);
        assertThat(all).as("seed %d", seed).allSatisfy(call -> assertThat(call.endings())
                .isOne());
        assertThat(all).allSatisfy(call -> assertThat(call.sent).isLessThanOrEqualTo(1));
    }

    private Call submit(int xid) {
        Call call = new Call(xid, TIMEOUT);
        assertThat(engine.submit(call)).isNull();
        return call;
    }

    /** Has a first call answered with this grant. */
    private void open(long grant) {
        submit(0x7777);
        reply(0x7777, grant);
    }

    private boolean reply(int xid, long credits) {
        return engine.received(new RpcRdmaMessage.Msg(xid, 1, credits, ChunkLists.ABSENT), buffer());
    }

    private ByteBuf buffer() {
        ByteBuf buffer = Unpooled.buffer(8).writeZero(8);
        buffers.add(buffer);
        return buffer;
    }

    private void expire(long now) {
        engine.expire(now);
    }
}
