// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFormatException;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One FPDU of a recorded exchange.
 *
 * @param name  of its opcode
 * @param octet where it begins in the stream of its direction
 * @param bytes its length
 */
record FpduStep(String name, int octet, int bytes) {

    /** What a direction has sent, behind its MPA frame. */
    static List<FpduStep> of(byte[] record, boolean responder) throws MpaFormatException {
        ByteBuffer octets = ByteBuffer.wrap(record);
        List<FpduStep> steps = new ArrayList<>();
        int at = MpaFrame.bytes(octets, 0, record.length, responder);
        while (at < record.length) {
            int bytes = Fpdu.bytes(Fpdu.ulpduBytes(octets, at));
            String name = RdmapOpcode.name(Ddp.opcode(octets, at + Fpdu.LENGTH_BYTES));
            steps.add(new FpduStep(name, at, bytes));
            at += bytes;
        }
        return steps;
    }

    /** Half its length, half of it, and all but its last octet. */
    List<Integer> octetsInside() {
        return List.of(octet + 1, octet + bytes / 2, octet + bytes - 1);
    }
}
