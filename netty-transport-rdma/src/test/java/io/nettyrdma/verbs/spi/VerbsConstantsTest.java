// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC.IbvWcOpcode;
import org.junit.jupiter.api.Test;

/** The numbers that DiSNI has a name for as well are the same. */
class VerbsConstantsTest {

    @Test
    void opcodesAndFlagsOfRequestsAreThoseOfDisni() {
        assertThat(VerbsConstants.WR_SEND).isEqualTo(IbvSendWR.IBV_WR_SEND);
        assertThat(VerbsConstants.WR_RDMA_WRITE).isEqualTo(IbvSendWR.IBV_WR_RDMA_WRITE);
        assertThat(VerbsConstants.WR_RDMA_READ).isEqualTo(IbvSendWR.IBV_WR_RDMA_READ);
        assertThat(VerbsConstants.SEND_FENCE).isEqualTo(IbvSendWR.IBV_SEND_FENCE);
        assertThat(VerbsConstants.SEND_SIGNALED).isEqualTo(IbvSendWR.IBV_SEND_SIGNALED);
        assertThat(VerbsConstants.SEND_SOLICITED).isEqualTo(IbvSendWR.IBV_SEND_SOLICITED);
    }

    @Test
    void opcodesOfCompletionsAreThoseOfDisni() {
        assertThat(VerbsConstants.WC_SEND).isEqualTo(IbvWcOpcode.IBV_WC_SEND.getOpcode());
        assertThat(VerbsConstants.WC_RDMA_WRITE).isEqualTo(IbvWcOpcode.IBV_WC_RDMA_WRITE.getOpcode());
        assertThat(VerbsConstants.WC_RDMA_READ).isEqualTo(IbvWcOpcode.IBV_WC_RDMA_READ.getOpcode());
        assertThat(VerbsConstants.WC_RECV).isEqualTo(IbvWcOpcode.IBV_WC_RECV.getOpcode());
    }

    @Test
    void rightsAreThoseOfDisni() {
        assertThat(VerbsConstants.ACCESS_LOCAL_WRITE).isEqualTo(IbvMr.IBV_ACCESS_LOCAL_WRITE);
        assertThat(VerbsConstants.ACCESS_REMOTE_WRITE).isEqualTo(IbvMr.IBV_ACCESS_REMOTE_WRITE);
        assertThat(VerbsConstants.ACCESS_REMOTE_READ).isEqualTo(IbvMr.IBV_ACCESS_REMOTE_READ);
    }
}
