// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvWC;
import io.nettyrdma.verbs.face.FaceVerbs;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Takes completions from a queue, through memory that C writes to.
 *
 * <p>Threading: confined to the thread that polls.
 */
final class NativePoll implements FaceVerbs.Poll {

    /** Completions fetched by one call. */
    private static final int BATCH = 32;

    /** The kernel's number for {@code IBV_WC_WITH_INV}, which rxe lets through; it means nothing else here. */
    private static final int KERNEL_WITH_INVALIDATE = 4;

    /** A bit of the opcodes of receives. */
    private static final int OPCODE_RECEIVE = 1 << 7;

    private final NativeCq queue;
    private final IbvWC[] out;
    private final int wanted;
    private final NativeMemory polled;

    NativePoll(NativeCq queue, IbvWC[] out, int max) {
        this.queue = queue;
        this.out = out;
        wanted = Math.min(max, out.length);
        polled = new NativeMemory(Math.min(BATCH, Math.max(1, wanted)) * VerbsLayout.IBV_WC_BYTES);
    }

    @Override
    public int take() throws IOException {
        queue.checkFailure();
        int taken = 0;
        int asked;
        int count;
        do {
            asked = Math.min(BATCH, wanted - taken);
            count = queue.poll(asked, polled);
            boolean announced = queue.hasAnnouncements();
            for (int i = 0; i < count; i++) {
                int at = i * VerbsLayout.IBV_WC_BYTES;
                long id = polled.octets().getLong(at + VerbsLayout.IBV_WC_WR_ID);
                if (!announced || id != NativeWorkQueue.ANNOUNCEMENT) {
                    read(polled.octets(), at, out[taken++]);
                }
            }
        } while (count == BATCH && taken < wanted);
        return taken;
    }

    /** Reads a completion; immediate data, as DiSNI has them, in the order of octets that the sender's memory had. */
    private void read(ByteBuffer in, int at, IbvWC completion) {
        int flags = in.getInt(at + VerbsLayout.IBV_WC_WC_FLAGS);
        int status = in.getInt(at + VerbsLayout.IBV_WC_STATUS);
        completion.setWr_id(in.getLong(at + VerbsLayout.IBV_WC_WR_ID));
        completion.setStatus(status);
        completion.setErr(status);
        completion.setOpcode(in.getInt(at + VerbsLayout.IBV_WC_OPCODE));
        completion.setVendor_err(in.getInt(at + VerbsLayout.IBV_WC_VENDOR_ERR));
        completion.setByte_len(in.getInt(at + VerbsLayout.IBV_WC_BYTE_LEN));
        completion.setImm_data(in.getInt(at + VerbsLayout.IBV_WC_INVALIDATED_RKEY)); // a union
        completion.setQp_num(in.getInt(at + VerbsLayout.IBV_WC_QP_NUM));
        completion.setSrc_qp(in.getInt(at + VerbsLayout.IBV_WC_SRC_QP));
        if (status == 0 && (completion.getOpcode() & OPCODE_RECEIVE) != 0) {
            queue.firstMessages().onReceived(completion.getQp_num());
        }
        completion.setWc_flags((flags & KERNEL_WITH_INVALIDATE) == 0 ? flags : flags | VerbsConstants.WC_WITH_INV);
    }
}
