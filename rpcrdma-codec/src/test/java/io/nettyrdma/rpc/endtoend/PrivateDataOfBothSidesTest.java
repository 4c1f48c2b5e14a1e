// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.verbs.strict.Trait;
import java.util.Arrays;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each side may supply private data or not, and they connect. */
@Over
@ExtendWith(NoVerbsLeft.class)
final class PrivateDataOfBothSidesTest {

    private static RpcRdmaConfig config(boolean announced) {
        RpcRdmaConfig.Builder config =
                RpcRdmaConfig.builder().inlineSendBytes(8192).inlineReceiveBytes(8192);
        return announced ? config.build() : config.withoutPrivateData().build();
    }

    private static byte[] supplied(boolean announced) {
        return announced ? new CmPrivateData(true, 8192, 8192).encode() : new byte[0];
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    @Requirement("PD-001")
    void allCombinationsConnect(boolean requester, boolean responder) throws Exception {
        try (RdmaLoopback loopback =
                new RdmaLoopback(CmPrivateData.DEFAULTS, () -> new RpcRdmaResponderHandler(config(responder)))) {
            RdmaChannel channel = (RdmaChannel) loopback.connect(config(requester));
            RdmaChannel accepted = (RdmaChannel) loopback.accepted();

            assertPrivateData(accepted.peerPrivateData(), supplied(requester));
            assertPrivateData(channel.peerPrivateData(), supplied(responder));
        }
    }

    /** As it was sent; InfiniBand and RoCE add zeros up to the size of their field. */
    private static void assertPrivateData(byte[] received, byte[] sent) {
        assertThat(received)
                .isEqualTo(
                        TestProvider.tested().has(Trait.PRIVATE_DATA_PADDED)
                                ? Arrays.copyOf(sent, Math.max(sent.length, received.length))
                                : sent);
    }
}
