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
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.RdmaConnectionException;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.WriteChunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A requester that means harm: whatever it sends, each of its calls is answered or its connection is closed for a reason
 * with a name, and the responder's memory stays within what its limits add up to.
 */
@Timeout(120)
@ExtendWith(NoVerbsLeft.class)
class HostileRequesterTest {

    private static final int CREDITS = 8;
    private static final int RESERVE = 8;
    private static final int INLINE_BYTES = 4096;

    /** How many messages a channel hands up before it asks whether to go on. */
    private static final int MESSAGES_PER_READ = 64;

    private static RpcRdmaConfig.Builder config() {
        return RpcRdmaConfig.builder()
                .bindings(OpaquesBinding.BINDINGS)
                .creditsGranted(CREDITS)
                .receiveReserve(RESERVE);
    }

    private static byte[] call(int xid, int procedure, int bytes) {
        byte[] call = Arrays.copyOf(ResponderChunksTest.call(procedure), Math.max(bytes, OncRpc.CALL_BYTES));
        Unpooled.wrappedBuffer(call).setInt(0, xid);
        return call;
    }

    private static RpcRdmaMessage.Msg msg(int xid, ChunkLists chunks) {
        return new RpcRdmaMessage.Msg(xid, 1, 32, chunks);
    }

    @Test
    void callsFarBeyondTheGrantStayWithTheRequesterUntilTheConnectionIsTerminated() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            BlockingQueue<Integer> inProgress = new LinkedBlockingQueue<>();
            requester.service = call -> {
                inProgress.add(OncRpc.xid(call));
                return null;
            };

            for (int xid = 1; xid <= 100 * CREDITS; xid++) {
                requester.send(msg(xid, ChunkLists.ABSENT), call(xid, OpaquesBinding.FIXED, INLINE_BYTES - 28));
            }

            RdmaLoopback.await(requester.channel.closeFuture(), "end of the flood");
            assertThat(requester.failures).hasAtLeastOneElementOfType(RdmaConnectionException.class);
            assertThat(inProgress).hasSizeBetween(CREDITS, CREDITS + RESERVE + MESSAGES_PER_READ);
            assertThat(requester.serverSide.isOpen()).isTrue(); // what has come is still to be read

            requester.serverSide.writeAndFlush(
                    OncRpc.accepted(ByteBufAllocator.DEFAULT, inProgress.remove(), OncRpc.SUCCESS));
            requester.awaitClosed();
        }
    }
}
