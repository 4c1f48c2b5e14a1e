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
