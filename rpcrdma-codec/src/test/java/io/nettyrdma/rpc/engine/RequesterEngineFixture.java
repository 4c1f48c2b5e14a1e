// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** An engine whose actions are written down, and whose replies have to be released. */
abstract class RequesterEngineFixture {

    static final int CREDITS = 4;
    static final int MAX_WAITING = 8;
    static final long TIMEOUT = 100;

    /** A call that counts how often it ended. */
    static final class Call extends RequesterCall {
        int sent;
        int completed;
        ChunkLists offered = ChunkLists.ABSENT;

        @Nullable
        Exception failure;

        Call(int xid, long deadline) {
            super(xid, deadline, 0);
        }

        @Override
        public String limits() {
            return "limits";
        }

        @Override
        public ChunkLists offered() {
            return offered;
        }

        int endings() {
            return completed + (failure == null ? 0 : 1);
        }
    }

    final List<Call> sent = new ArrayList<>();
    final List<String> closes = new ArrayList<>();
    Consumer<Call> onEnd = call -> {};
    private final List<ByteBuf> buffers = new ArrayList<>();

    final RequesterEngine<Call> engine =
            new RequesterEngine<>(new WindowCredits(CREDITS, true), MAX_WAITING, new RequesterActions<Call>() {
                @Override
                public void send(Call call, int creditsRequested) {
                    assertThat(creditsRequested).isEqualTo(CREDITS);
                    call.sent++;
                    sent.add(call);
                }

                @Override
                public void onCompleted(Call call, ChunkLists returned, @Nullable ByteBuf reply) {
                    if (reply != null) {
                        reply.release();
                    }
                    call.completed++;
                    onEnd.accept(call);
                }

                @Override
                public void onFailed(Call call, Exception cause) {
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

    Call submit(int xid) {
        Call call = new Call(xid, TIMEOUT);
        assertThat(engine.submit(call)).isNull();
        return call;
    }

    /** Has a first call answered with this grant. */
    void open(long grant) {
        submit(0x7777);
        reply(0x7777, grant);
    }

    boolean reply(int xid, long credits) {
        return receive(new RpcRdmaMessage.Msg(xid, 1, credits, ChunkLists.ABSENT));
    }

    /** Has the engine take a message with a payload stream, which is still the caller's if it had no effect. */
    boolean receive(RpcRdmaMessage.Msg message) {
        ByteBuf reply = buffer();
        boolean received = engine.received(message, reply);
        if (!received) {
            assertThat(reply.refCnt()).isOne();
            reply.release();
        }
        return received;
    }

    ByteBuf buffer() {
        ByteBuf buffer = Unpooled.buffer(8).writeZero(8);
        buffers.add(buffer);
        return buffer;
    }

    void expire(long now) {
        engine.expire(now);
    }
}
