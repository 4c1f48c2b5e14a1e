// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.CompletionPoller;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Takes completions from a queue, through memory that C writes to.
 *
 * <p>Threading: confined to the thread that polls.
 */
final class NativePoll implements CompletionPoller {

    /** The kernel's number for {@code IBV_WC_WITH_INV}, which rxe lets through; it means nothing else here. */
    private static final int KERNEL_WITH_INVALIDATE = 4;

    /** A bit of the opcodes of receives. */
    private static final int OPCODE_RECEIVE = 1 << 7;

    private final NativeCq queue;
    private final NativeMemory polled = new NativeMemory(BATCH * VerbsLayout.IBV_WC_BYTES);

    NativePoll(NativeCq queue) {
        this.queue = queue;
    }

    @Override
    public int poll(CompletionHandler handler) throws IOException {
        queue.checkFailure();
        int count = queue.poll(BATCH, polled);
        boolean announced = queue.hasAnnouncements();
        for (int i = 0; i < count; i++) {
            int at = i * VerbsLayout.IBV_WC_BYTES;
            long id = polled.octets().getLong(at + VerbsLayout.IBV_WC_WR_ID);
            if (!announced || id != NativeWorkQueue.ANNOUNCEMENT) {
                pass(id, polled.octets(), at, handler);
            }
        }
        return count;
    }

    /** Passes a completion on; immediate data, as DiSNI has them, in the order of octets of the sender's memory. */
    private void pass(long id, ByteBuffer in, int at, CompletionHandler handler) {
        int status = in.getInt(at + VerbsLayout.IBV_WC_STATUS);
        int opcode = in.getInt(at + VerbsLayout.IBV_WC_OPCODE);
        int queuePair = in.getInt(at + VerbsLayout.IBV_WC_QP_NUM);
        int flags = in.getInt(at + VerbsLayout.IBV_WC_WC_FLAGS);
        if (status == 0 && (opcode & OPCODE_RECEIVE) != 0) {
            queue.firstMessages().onReceived(queuePair);
        }
        handler.onCompletion(
                id,
                status,
                opcode,
                in.getInt(at + VerbsLayout.IBV_WC_BYTE_LEN),
                in.getInt(at + VerbsLayout.IBV_WC_INVALIDATED_RKEY), // a union
                queuePair,
                (flags & KERNEL_WITH_INVALIDATE) == 0 ? flags : flags | VerbsConstants.WC_WITH_INV);
    }
}
