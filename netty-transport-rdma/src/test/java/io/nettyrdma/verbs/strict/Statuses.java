// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvWC.IbvWcStatus;
import org.jspecify.annotations.Nullable;

/** The status codes of one queue pair in the dialect of its device. */
final class Statuses {

    private final StrictDevice device;
    private final StrictCmId id;
    private final boolean iwarp;
    private final boolean infiniband;
    private boolean lost;

    Statuses(StrictDevice device, StrictCmId id) {
        this.device = device;
        this.id = id;
        iwarp = device.has(Trait.STATUS_IWARP);
        infiniband = device.has(Trait.STATUS_INFINIBAND) && !iwarp;
    }

    int ofReceive(int status) {
        return iwarp && status == code(IbvWcStatus.IBV_WC_LOC_PROT_ERR) ? code(IbvWcStatus.IBV_WC_GENERAL_ERR) : status;
    }

    int ofSend(int status) {
        boolean first = !lost && status != 0;
        lost |= status != 0;
        if (iwarp) {
            if (first && status == code(IbvWcStatus.IBV_WC_WR_FLUSH_ERR) && !id.isDisconnected()) {
                return code(IbvWcStatus.IBV_WC_LOC_QP_OP_ERR);
            }
            return switch (IbvWcStatus.valueOf(status)) {
                case IBV_WC_LOC_PROT_ERR -> code(IbvWcStatus.IBV_WC_LOC_QP_OP_ERR);
                case IBV_WC_REM_ACCESS_ERR, IBV_WC_REM_INV_REQ_ERR -> code(IbvWcStatus.IBV_WC_WR_FLUSH_ERR);
                default -> status;
            };
        }
        if (infiniband && first && status == code(IbvWcStatus.IBV_WC_WR_FLUSH_ERR) && !id.isDisconnected()) {
            String reason = device.kind().disconnectReason(id.kind());
            return reason == null ? status : code(lostBy(reason));
        }
        return status;
    }

    /** What the first request fails with that was under way when a connection ended. */
    private static IbvWcStatus lostBy(@Nullable String reason) {
        if (reason == null || !reason.contains("Terminate")) {
            return IbvWcStatus.IBV_WC_RETRY_EXC_ERR;
        }
        if (reason.contains("no buffer")) {
            return IbvWcStatus.IBV_WC_RNR_RETRY_EXC_ERR;
        }
        return reason.contains("untagged") ? IbvWcStatus.IBV_WC_REM_INV_REQ_ERR : IbvWcStatus.IBV_WC_REM_ACCESS_ERR;
    }

    private static int code(IbvWcStatus status) {
        return status.ordinal();
    }
}
