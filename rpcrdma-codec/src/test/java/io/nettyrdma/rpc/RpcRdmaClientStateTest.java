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

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient.State;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The forms of a call, what a client says of itself, and its two ways to close. */
class RpcRdmaClientStateTest extends ScriptedLoopback {

    @Test
    void allFormsOfACallAreAnswered() throws Exception {
        try (RpcRdmaClient client = client(loopback.address())) {
            List<Future<ByteBuf>> replies = List.of(
                    client.call(message(1)),
                    client.call(message(2), Deadline.DURATION),
                    client.call(RpcRdmaCall.of(message(3))),
                    client.call(RpcRdmaCall.of(message(4)), Deadline.DURATION));
            for (Future<ByteBuf> reply : replies) {
                RdmaLoopback.await(reply, "reply").getNow().release();
            }
        }
    }

    @Test
    void clientIsIdleUntilItHasACallAndWhenItsConnectionHasEnded() throws Exception {
        RpcRdmaClient client = client(loopback.address());
        assertThat(client.state()).isEqualTo(State.IDLE);
        RdmaLoopback.await(client.call(message(1)), "reply").getNow().release();
        assertThat(client.state()).isEqualTo(State.CONNECTED);
        assertThat(client.lastFailure()).isNull();

        script = exchange -> exchange.ctx.close();
        assertThat(RdmaLoopback.failure(client.call(message(2)))).isInstanceOf(ConnectionLostException.class);
        awaitState(client, State.IDLE);

        client.close();
        assertThat(client.state()).isEqualTo(State.CLOSED);
        client.close();
        assertThat(RdmaLoopback.failure(client.call(message(3)))).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void clientThatCannotConnectWaitsAndSaysWhy() throws Exception {
        RpcRdmaClient client = client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)); // refused
        Future<ByteBuf> reply = client.call(message(1));
        awaitState(client, State.WAITING);
        assertThat(client.lastFailure()).isInstanceOf(ConnectException.class);

        client.close();
        assertThat(RdmaLoopback.failure(reply))
                .isInstanceOf(ConnectionLostException.class)
                .hasRootCauseMessage(client.lastFailure().getMessage());
    }

    @Test
    void closeOnTheLoopDoesNotWait() throws Exception {
        RpcRdmaClient client = client(loopback.address());
        CountDownLatch returned = new CountDownLatch(1);
        Future<ByteBuf> reply = client.call(message(1)).addListener(done -> {
            client.close();
            returned.countDown();
        });
        assertThat(returned.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        awaitState(client, State.CLOSED);
        reply.getNow().release();
    }

    private RpcRdmaClient client(InetSocketAddress address) {
        return RpcRdmaClient.builder(new Bootstrap()
                        .group(loopback.group)
                        .channel(RdmaChannel.class)
                        .remoteAddress(address))
                .config(RpcRdmaConfig.builder().bindings(TestProgram.BINDINGS).build())
                .reconnectDelay(Duration.ofDays(1), Duration.ofDays(1))
                .build();
    }

    private static ByteBuf message(int xid) {
        return TestProgram.call(xid, List.of(5001), List.of(), 0);
    }

    private static void awaitState(RpcRdmaClient client, State state) {
        Poll.until(() -> "is " + client.state() + ", not " + state, () -> client.state() == state);
    }
}
