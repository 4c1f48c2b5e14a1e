// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.wire.Direction;
import org.junit.jupiter.api.Test;

/** Reports of one call can be found by its XID, which all of them write alike, and programs have their numbers. */
class ReportLinesTest {

    private static final int XID = 0x8c897518;

    @Test
    void reportsWriteTheXidAlike() {
        RpcCallHeader header = new RpcCallHeader(XID, 0xa0000099, 1, 2, RpcCallHeader.Protection.CLEAR, 40);
        assertThat(new RpcRdmaCallReport(RpcRdmaRole.REQUESTER, XID, header, 57_999, CallOutcome.REPLIED))
                .hasToString("REQUESTER xid 0x8c897518 program 2684354713 version 1 procedure 2 REPLIED 57 us");
        assertThat(new RpcRdmaCallReport(RpcRdmaRole.RESPONDER, XID, null, 0, CallOutcome.ERR_CHUNK))
                .hasToString("RESPONDER xid 0x8c897518 ERR_CHUNK 0 us");
        assertThat(new RpcRdmaTransferReport(
                        RpcRdmaRole.RESPONDER, XID, RpcRdmaTransferReport.Kind.WRITE, 1, 65_536, 210_000))
                .hasToString("RESPONDER xid 0x8c897518 WRITE chunks 1 bytes 65536 210 us");
        assertThat(new RpcRdmaContinuationReport(RpcRdmaRole.REQUESTER, Direction.CALL, XID, 3, 9000))
                .hasToString("REQUESTER xid 0x8c897518 CALL fragments 3 payload 9000");
        assertThat(new RpcRdmaSummary(
                        RpcRdmaRole.REQUESTER, RpcRdmaSummary.Procedure.RDMA_MSG, null, XID, 64, 28, 40, 0, 0, 0))
                .hasToString("RDMA_MSG xid 0x8c897518 credits 64 header 28 payload 40");
    }
}
