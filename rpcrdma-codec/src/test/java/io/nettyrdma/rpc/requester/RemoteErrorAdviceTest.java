// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a client of version 2 reads when the settings of the two sides do not fit together. */
@ExtendWith(NoVerbsLeft.class)
class RemoteErrorAdviceTest {

    private static RpcRdmaConfig.Builder config() {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .bindings(TestProgram.BINDINGS)
                .versions(2, 2);
    }

    /** Returns the failure of a call with these arguments, whose reply has {@code trailer} bytes. */
    private static Throwable failure(
            RpcRdmaConfig.Builder client, RpcRdmaConfig.Builder server, List<Integer> arguments, int trailer)
            throws Exception {
        try (RdmaLoopback loopback = RdmaLoopback.serving(server.build(), TestProgram::server)) {
            Channel channel = loopback.connect(client.build());
            ByteBuf call = TestProgram.call(7, arguments, List.of(), trailer);
            return RdmaLoopback.failure(RpcRdmaRequester.of(channel).call(call));
        }
    }

    @Test
    void serverWithoutTheBindingOfTheProgramIsToldFromABrokenCall() throws Exception {
        assertThat(failure(config(), config().bindings(UpperLayerBindings.nfs()), List.of(40_000), 0))
                .isInstanceOf(RemoteErrorException.class)
                .hasMessage("xid 0x7: responder answered RDMA2_ERR_BAD_XDR; if the call had read chunks, declare its"
                        + " program in RpcRdmaConfig.bindings, the same on both sides, and leave XDR padding out of"
                        + " chunks");
    }

    @Test
    void replyWithoutRoomNamesTheSettingsOfTheRequester() throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent");
        RpcRdmaConfig.Builder client =
                config().bindings(UpperLayerBindings.nfs()).version2(v2 -> v2.maxContinuedBytes(0));

        assertThat(failure(client, config().version2(v2 -> v2.maxContinuedBytes(0)), List.of(), 100_000))
                .isInstanceOf(RemoteErrorException.class)
                .hasMessageContaining("RDMA2_ERR_REPLY_RESOURCE")
                .hasMessageContaining("RpcRdmaCall.maxReplyBytes")
                .hasMessageContaining("RpcRdmaConfig.bindings, the same on both sides");
    }

    @Test
    void limitOfTheResponderIsNamedAsItsOwn() throws Exception {
        assertThat(failure(config(), config().maxCallBytes(20_000), List.of(40_000), 0))
                .isInstanceOf(RemoteErrorException.class)
                .hasMessageContaining("RDMA2_ERR_SYSTEM")
                .hasMessageContaining("or its program refused the call")
                .hasMessageContaining("RpcRdmaConfig.maxCallBytes");
    }
}
