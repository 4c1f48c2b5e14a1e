// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static io.nettyrdma.rpc.session.ProcessMemory.OWN_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.LoopMemory;
import io.nettyrdma.channel.Over;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RawRequester;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.verbs.strict.AllTraitsOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a requester of version 2 that grants no credits, or ends no message, can make a responder hold on RDMA channels.
 * {@link SlowPeersMemoryTest} has more such requesters, without a device and its receives.
 */
@Over
@ExtendWith({AllTraitsOnly.class, NoVerbsLeft.class})
final class HostileMemoryOfVersion2Test {

    private static final int GRANTS_NOTHING = Rdma2.credits(64, 0);
    /** A power of two, as the memory of the event loop comes in these. */
    private static final int MESSAGE_BYTES = 1 << 17;

    private static final int LIMIT_BYTES = 5 * MESSAGE_BYTES / 2;
    private static final int PROCESS_LIMIT_BYTES = 2 * LIMIT_BYTES;
    private static final int SLOT_BYTES = 4096;
    private static final int FRAGMENT_BYTES = 4000;
    private static final int FRAGMENTS = 1 + MESSAGE_BYTES / FRAGMENT_BYTES;
    /** Of a connection, for headers, errors and refreshes. */
    private static final int SMALL_BYTES = 16 * 1024;

    private final List<RawRequester> requesters = new ArrayList<>();

    private static RpcRdmaConfig.Builder config() {
        return TestLimits.maxWaitingBytes(
                        TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION), PROCESS_LIMIT_BYTES)
                .versions(2, 2)
                .creditsGranted(64)
                .maxPushingBytes(LIMIT_BYTES)
                .version2(v2 -> v2.maxContinuedBytes(MESSAGE_BYTES));
    }

    private static void send(RawRequester requester, Rdma2Message header, byte[] payload) {
        ByteBuf message = Unpooled.buffer();
        Rdma2Encoder.encode(header, message);
        requester.send(ByteBufUtil.getBytes(message.writeBytes(payload)));
    }

    /** Sends properties, and waits for those of the responder. */
    private static void open(RawRequester requester) throws Exception {
        send(requester, new Rdma2Message.ConnProp(7, GRANTS_NOTHING, 0, List.of()), new byte[0]);
        ByteBuf properties = Unpooled.wrappedBuffer(requester.received());
        assertThat(properties.getInt(12)).isEqualTo(Rdma2.CONNPROP);
    }

    private static void sendPart(RawRequester requester, int xid, int flags, byte[] payload) {
        send(requester, new Rdma2Message.Msg(xid, GRANTS_NOTHING, flags, 0, ChunkLists.ABSENT), payload);
    }

    /** All of a call but its last fragment. */
    private static void sendUnfinishedCall(RawRequester requester, int xid) {
        ByteBuf call = RpcHeaders.call(Unpooled.buffer().alloc(), xid, SlowPeers.UNKNOWN_PROGRAM, 1, 1);
        sendPart(requester, xid, Rdma2.MORE, ByteBufUtil.getBytes(call));
        call.release();
        for (int i = 1; i < FRAGMENTS; i++) {
            sendPart(requester, xid, Rdma2.MORE, new byte[FRAGMENT_BYTES]);
        }
    }

    private static byte[] read(int xid) {
        ByteBuf call = RpcHeaders.call(Unpooled.buffer().alloc(), xid, SlowPeers.NFS, 3, SlowPeers.NFS_READ);
        try {
            return ByteBufUtil.getBytes(
                    call.writeInt(4).writeInt(0x1234_5678).writeLong(0).writeInt(MESSAGE_BYTES));
        } finally {
            call.release();
        }
    }

    /** A requester of version 1 on the same event loop, whose calls are turns of that loop. */
    private static void checkTurns(RawRequester bystander, int turns) throws Exception {
        for (int xid = 1; xid <= turns; xid++) {
            ByteBuf call = RpcHeaders.call(Unpooled.buffer().alloc(), xid, SlowPeers.NFS, 3, 0);
            bystander.send(new RpcRdmaMessage.Msg(xid, 1, 32, ChunkLists.ABSENT), ByteBufUtil.getBytes(call));
            call.release();
            assertThat(bystander.reply().header().xid()).isEqualTo(xid);
        }
    }

    /** Bytes that all connections of the responder hold. */
    private long held() throws Exception {
        RawRequester first = requesters.get(0);
        return first.serverSide
                .eventLoop()
                .submit(() -> LoopMemory.usedBytes()
                        + requesters.stream()
                                .mapToLong(it -> it.peak.alloc.metric().usedDirectMemory()
                                        + it.peak.alloc.metric().usedHeapMemory())
                                .sum())
                .get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    @AfterEach
    void end() throws Exception {
        for (int i = requesters.size() - 1; i >= 0; i--) {
            requesters.get(i).channel.close().sync();
            requesters.get(i).awaitClosed();
        }
        for (int i = requesters.size() - 1; i >= 0; i--) {
            requesters.get(i).close();
        }
    }

    private RawRequester connect() throws Exception {
        RawRequester requester =
                requesters.isEmpty() ? new RawRequester(config()) : RawRequester.beside(requesters.get(0), config());
        requesters.add(requester);
        return requester;
    }

    private RawRequester connectBystander() throws Exception {
        RawRequester bystander = RawRequester.beside(requesters.get(0), RpcRdmaConfig.builder());
        requesters.add(bystander);
        return bystander;
    }

    @Test
    void repliesInFragmentsWithoutCreditsHoldTheBoundOfTheirConnection() throws Exception {
        int calls = 20;
        RawRequester requester = connect();
        RawRequester bystander = connectBystander();
        Queue<Integer> executed = new ConcurrentLinkedQueue<>();
        requester.service = call -> {
            executed.add(RpcHeaders.xid(call));
            return requester
                    .peak
                    .alloc
                    .directBuffer(MESSAGE_BYTES, MESSAGE_BYTES)
                    .writeInt(RpcHeaders.xid(call))
                    .writeInt(RpcHeaders.REPLY)
                    .writeZero(MESSAGE_BYTES - 8);
        };
        open(requester);
        long before = held();

        for (int xid = 1; xid <= calls; xid++) {
            sendPart(requester, xid, 0, read(xid));
        }
        Poll.until("calls", () -> requester.peak.received.get() == calls + 1);
        checkTurns(bystander, 50);

        assertThat(executed).as("calls executed").hasSize(LIMIT_BYTES / MESSAGE_BYTES);
        long bound = LIMIT_BYTES + calls * SLOT_BYTES + SMALL_BYTES;
        assertThat(held() - before).isBetween(2L * MESSAGE_BYTES, bound);
        assertThat(requester.peak.mostMemoryBytes).isLessThan(before + bound);
        assertThat(requester.serverSide.isOpen()).isTrue();
    }

    @Test
    void unfinishedCallsHoldTheBoundOfTheProcess() throws Exception {
        int connections = 6;
        for (int i = 0; i < connections; i++) {
            open(connect());
        }
        long before = held();

        for (RawRequester requester : requesters) {
            sendUnfinishedCall(requester, 9);
            Poll.until("all fragments", () -> requester.peak.received.get() == 1 + FRAGMENTS);
            assertThat(held() - before)
                    .isLessThanOrEqualTo(PROCESS_LIMIT_BYTES + connections * (SMALL_BYTES + OWN_BYTES));
            assertThat(requester.serverSide.isOpen()).isTrue();
        }
        assertThat(held() - before).isGreaterThanOrEqualTo(2 * MESSAGE_BYTES);
    }
}
