// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.iwarp.TerminateError.RDMAP_LOCAL_CATASTROPHIC;

import com.ibm.disni.verbs.IbvSendWR;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Work requests of the provider's own application that cannot be carried out; the peer is told, and not why. */
final class LocalFaults {

    private LocalFaults() {}

    static List<Violation> all() {
        List<Violation> rows = new ArrayList<>();
        rows.add(fault("Send with a key that was deregistered", "INVALID_KEY", IbvSendWR.IBV_WR_SEND, s -> s.gone, 0));
        rows.add(fault("Send with a key of another domain", "WRONG_PD", IbvSendWR.IBV_WR_SEND, s -> s.foreign, 0));
        rows.add(fault(
                "Send that leaves its region",
                "OUT_OF_BOUNDS",
                IbvSendWR.IBV_WR_SEND,
                s -> s.local,
                Stage.REGION_BYTES - 7));
        rows.add(fault("Send from in front of its region", "OUT_OF_BOUNDS", IbvSendWR.IBV_WR_SEND, s -> s.local, -1));
        rows.add(fault(
                "RDMA Write with a key that was deregistered",
                "INVALID_KEY",
                IbvSendWR.IBV_WR_RDMA_WRITE,
                s -> s.gone,
                0));
        rows.add(fault(
                "RDMA Read into a region that is not for local writing",
                "NO_RIGHT",
                IbvSendWR.IBV_WR_RDMA_READ,
                s -> s.unwritable,
                0));
        rows.add(fault(
                "RDMA Read into a region of another domain",
                "WRONG_PD",
                IbvSendWR.IBV_WR_RDMA_READ,
                s -> s.foreign,
                0));
        rows.add(fault(
                "RDMA Read that leaves its region",
                "OUT_OF_BOUNDS",
                IbvSendWR.IBV_WR_RDMA_READ,
                s -> s.local,
                Stage.REGION_BYTES - 7));
        return rows;
    }

    private static Violation fault(
            String what, String access, int opcode, Function<Stage, GuardedRegion> region, int offset) {
        return new Violation("Own " + what, s -> s.post(opcode, region.apply(s).mr, offset))
                .afterRead()
                .ownFails(VerbsConstants.WC_LOC_PROT_ERR)
                .terminates(RDMAP_LOCAL_CATASTROPHIC, "", "local memory of a send work request: " + access);
    }
}
