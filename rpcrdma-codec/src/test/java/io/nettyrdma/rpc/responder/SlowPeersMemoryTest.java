// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import org.junit.jupiter.api.Test;

/** Measures the memory that peers of version 2 make this side hold by keeping it waiting (C64). */
class SlowPeersMemoryTest extends SlowPeers {

    private static final int MESSAGE_BYTES = 1_000_000;
    private static final int LIMIT_BYTES = 5 * MESSAGE_BYTES / 2;
    private static final int CALLS = 32;
    /** Of a connection, in messages of one Send and in what belongs to no message. */
    private static final int SMALL_BYTES = 2 * CALLS * 4096;

    private static final String HALF_A_MESSAGE = "00".repeat(MESSAGE_BYTES / 2);

    private static void replyToAll(TestPipeline server, int replyBytes) {
        for (ByteBuf call = server.channel.readInbound(); call != null; call = server.channel.readInbound()) {
            int xid = RpcHeaders.xid(call);
            call.release();
            server.channel.writeAndFlush(server.message(xid, RpcHeaders.REPLY, replyBytes));
        }
    }

    @Test
    void repliesOfUnknownLengthHoldTheBoundOfTheirConnection() {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "exceed RpcRdmaConfig.maxPushingBytes, " + LIMIT_BYTES);
        TestPipeline server = server(config().maxPushingBytes(LIMIT_BYTES));
        for (int xid = 1; xid <= CALLS; xid++) {
            receive(server, xid, 0, unknownHex(server, xid));
        }

        replyToAll(server, MESSAGE_BYTES);

        assertThat(held()).isBetween(2L * MESSAGE_BYTES, (long) LIMIT_BYTES + SMALL_BYTES);
        assertThat(server.channel.isOpen()).isTrue();
    }

    /** READs of NFS whose calls are long, by octets behind their arguments. */
    private static void receiveLongReads(TestPipeline server, int calls, int replyBytes) {
        for (int xid = 1; xid <= calls; xid++) {
            receive(server, xid, Rdma2.MORE, readHex(server, xid, replyBytes) + HALF_A_MESSAGE);
            receive(server, xid, 0, HALF_A_MESSAGE);
        }
    }

    @Test
    void wholeCallsThatWaitHoldTheBoundOfTheirConnection() {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "RpcRdmaConfig.maxPushingBytes is " + LIMIT_BYTES);
        TestPipeline server = server(config().maxPushingBytes(LIMIT_BYTES));

        receiveLongReads(server, CALLS, MESSAGE_BYTES);
        replyToAll(server, MESSAGE_BYTES);

        assertThat(held()).isBetween(4L * MESSAGE_BYTES, 2L * LIMIT_BYTES + SMALL_BYTES);
        assertThat(server.channel.isOpen()).isTrue();
    }

    @Test
    void wholeCallsThatWaitHoldTheBoundOfTheProcess() {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", ", at most " + LIMIT_BYTES);
        int replyBytes = MESSAGE_BYTES / 10;
        int connections = 10;
        for (int i = 1; i <= connections; i++) {
            TestPipeline server =
                    server(TestLimits.maxWaitingBytes(config(), LIMIT_BYTES).maxPushingBytes(1));

            receiveLongReads(server, 2, replyBytes);
            replyToAll(server, replyBytes);

            assertThat(held()).isLessThan(2L * LIMIT_BYTES + (long) i * SMALL_BYTES);
            assertThat(server.channel.isOpen()).isTrue();
        }
        assertThat(held())
                .as("two calls, and a reply each")
                .isGreaterThan(2L * MESSAGE_BYTES + connections * replyBytes);
    }

    /** With the calls that wait for the exchange of properties. */
    @Test
    void callsBeforePropertiesAreExchangedHoldTheBoundOfTheProcess() {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "RDMA2_ERR_SYSTEM");
        int connections = 10;
        for (int i = 1; i <= connections; i++) {
            TestPipeline server = server(TestLimits.maxWaitingBytes(config(), LIMIT_BYTES), Rdma2.TPMORE);

            receiveLongReads(server, 1, MESSAGE_BYTES);

            assertThat(held()).isLessThan(LIMIT_BYTES + (long) i * SMALL_BYTES);
            assertThat(server.channel.isOpen()).isTrue();
        }
        assertThat(held()).isGreaterThan(2L * MESSAGE_BYTES);
    }

    @Test
    void unfinishedCallsHoldTheBoundOfTheProcess() {
        int connections = 40;
        for (int i = 1; i <= connections; i++) {
            TestPipeline server = server(TestLimits.maxWaitingBytes(config(), LIMIT_BYTES));
            receive(server, 1, Rdma2.MORE, TestPipeline.callHex(1) + HALF_A_MESSAGE);
            assertThat(held()).isLessThan(LIMIT_BYTES + (long) i * SMALL_BYTES);
        }
        assertThat(held()).isGreaterThan(2L * MESSAGE_BYTES);
    }

    @Test
    void unfinishedRepliesHoldTheBoundOfTheProcess() {
        int connections = 20;
        for (int i = 1; i <= connections; i++) {
            TestPipeline client = TestPipeline.with(
                    clock,
                    new RpcRdmaRequesterHandler(
                            TestLimits.maxWaitingBytes(config(), LIMIT_BYTES).build()));
            pipelines.add(client);
            client.channel.pipeline().fireChannelActive();
            client.receiveProperties(0, Rdma2.credits(64, 32));
            client.channel.writeAndFlush(client.call(1));
            client.dropSends();

            receive(client, 1, Rdma2.RESPONSE | Rdma2.MORE, TestPipeline.replyHex(1) + HALF_A_MESSAGE);

            assertThat(held()).isLessThan(LIMIT_BYTES + (long) i * SMALL_BYTES);
            assertThat(client.channel.isOpen()).isTrue();
        }
        assertThat(held()).isGreaterThan(2L * MESSAGE_BYTES);
        assertThat(pipelines.get(connections - 1).failures()).singleElement().satisfies(cause -> assertThat(cause)
                .isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("exceed the " + LIMIT_BYTES + " that it may hold"));
    }
}
