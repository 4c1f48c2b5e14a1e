// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RemoteErrorExceptionTest {

    @Test
    void eachErrorThatSettingsCanAvoidNamesThem() {
        for (String code : List.of("BAD_XDR", "INVAL_CONT", "WRITE_RESOURCE", "REPLY_RESOURCE", "SYSTEM")) {
            assertThat(new RemoteErrorException(7, "RDMA2_ERR_" + code))
                    .hasMessageContaining("RDMA2_ERR_" + code + "; ")
                    .message()
                    .containsPattern("RpcRdma(Config|Version2Settings)\\.[a-z][A-Za-z]+")
                    .containsPattern("the (requester|responder)|both sides");
        }
        assertThat(new RemoteErrorException(7, "RDMA2_ERR_READ_CHUNKS", 0))
                .hasMessageContaining("RDMA2_ERR_READ_CHUNKS [0]; ")
                .hasMessageContaining("RpcRdmaVersion2Settings.reverseLevel");
        assertThat(new RemoteErrorException(7, "RDMA2_ERR_INVAL_HTYPE"))
                .hasMessage("xid 0x7: responder answered RDMA2_ERR_INVAL_HTYPE");
    }
}
