// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Any octets as calls and replies. The first octet of an input is the version of NFS, plus 16 for NFSACL; the second
 * one is 0 for a call; of a reply, it is 1 and the procedure and a bit for each result that was taken out follow.
 */
class BindingFuzzTest {

    private static final int HEAD = 4;

    @Requirement({"V1-028"})
    @FuzzTest
    void nothingOutsideOfTheMessageIsReducible(byte[] input) {
        if (input.length < HEAD) {
            return;
        }
        ByteBuf message = Unpooled.wrappedBuffer(Arrays.copyOfRange(input, HEAD, input.length));
        if (input[1] == 0) {
            BindingChecks.checkCall(message);
        } else {
            int program = (input[0] & 16) == 0 ? NfsBindings.NFS_PROGRAM : NfsBindings.NFSACL_PROGRAM;
            BitSet reduced = BitSet.valueOf(new byte[] {input[3]});
            BindingChecks.checkReply(program, input[0] & 15, input[2], message, reduced);
        }
    }
}
