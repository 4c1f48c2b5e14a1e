// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.choice.RdmaProviders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * Whether C has its fields where {@link VerbsLayout} says. Each struct is looked at when C has just made it from values
 * that are known, and before what it points to is used, so that a library that is laid out otherwise is refused with an
 * exception before the first post, where it would have crashed the JVM or written to others' memory.
 *
 * <p>Threading: any.
 */
final class LayoutCheck {

    /** A step that may be refused. */
    interface Step {
        void take() throws IOException;
    }

    private LayoutCheck() {}

    /** Checks what was made, and gives it back if it is refused. */
    static void orUndo(Step check, Step undo) throws IOException {
        try {
            check.take();
        } catch (IOException refusal) {
            try {
                undo.take();
            } catch (IOException e) {
                refusal.addSuppressed(e);
            }
            throw refusal;
        }
    }

    /** @param channel where {@code rdma_create_id} was told to send its events */
    static void id(ByteBuffer id, long channel) throws IOException {
        same("rdma_cm_id.channel", id.getLong(VerbsLayout.RDMA_CM_ID_CHANNEL), channel);
    }

    /** @param isOpen whether a number is that of an open descriptor of this process */
    static void context(ByteBuffer context, IntPredicate isOpen) throws IOException {
        requirePresent("ibv_context.device", context.getLong(VerbsLayout.IBV_CONTEXT_DEVICE));
        requirePresent("ibv_context.ops.poll_cq", context.getLong(VerbsLayout.IBV_CONTEXT_OPS_POLL_CQ));
        requirePresent("ibv_context.ops.req_notify_cq", context.getLong(VerbsLayout.IBV_CONTEXT_OPS_REQ_NOTIFY_CQ));
        requirePresent("ibv_context.ops.post_send", context.getLong(VerbsLayout.IBV_CONTEXT_OPS_POST_SEND));
        requirePresent("ibv_context.ops.post_recv", context.getLong(VerbsLayout.IBV_CONTEXT_OPS_POST_RECV));
        // They stand behind the pointers to functions, which nothing else vouches for.
        open("ibv_context.cmd_fd", context.getInt(VerbsLayout.IBV_CONTEXT_CMD_FD), isOpen);
        open("ibv_context.async_fd", context.getInt(VerbsLayout.IBV_CONTEXT_ASYNC_FD), isOpen);
    }

    /**
     * Looks at no memory, only at addresses.
     *
     * @param device {@code struct ibv_device *}
     * @param name   what {@code ibv_get_device_name} answers for it: where its name is
     */
    static void device(long device, long name) throws IOException {
        same("ibv_device.name", name, device + VerbsLayout.IBV_DEVICE_NAME);
    }

    static void protectionDomain(ByteBuffer pd, long context) throws IOException {
        same("ibv_pd.context", pd.getLong(VerbsLayout.IBV_PD_CONTEXT), context);
    }

    static void completionChannel(ByteBuffer channel, long context, IntPredicate isOpen) throws IOException {
        same("ibv_comp_channel.context", channel.getLong(VerbsLayout.IBV_COMP_CHANNEL_CONTEXT), context);
        open("ibv_comp_channel.fd", channel.getInt(VerbsLayout.IBV_COMP_CHANNEL_FD), isOpen);
    }

    static void completionQueue(ByteBuffer cq, long context, long channel) throws IOException {
        same("ibv_cq.context", cq.getLong(VerbsLayout.IBV_CQ_CONTEXT), context);
        same("ibv_cq.channel", cq.getLong(VerbsLayout.IBV_CQ_CHANNEL), channel);
        int granted = cq.getInt(VerbsLayout.IBV_CQ_CQE);
        if (granted < 1) {
            throw refusal("ibv_cq.cqe", granted + ", not a number of entries");
        }
    }

    static void memoryRegion(ByteBuffer mr, long address, long bytes) throws IOException {
        same("ibv_mr.addr", mr.getLong(VerbsLayout.IBV_MR_ADDR), address);
        same("ibv_mr.length", mr.getLong(VerbsLayout.IBV_MR_LENGTH), bytes);
    }

    /** Before the queue pair that it points to is looked at. */
    static void idWithQueuePair(ByteBuffer id, long context) throws IOException {
        same("rdma_cm_id.verbs", id.getLong(VerbsLayout.RDMA_CM_ID_VERBS), context);
        requirePresent("rdma_cm_id.qp", id.getLong(VerbsLayout.RDMA_CM_ID_QP));
    }

    static void queuePair(ByteBuffer qp, long context, long pd, long sendCq, long receiveCq) throws IOException {
        same("ibv_qp.context", qp.getLong(VerbsLayout.IBV_QP_CONTEXT), context);
        same("ibv_qp.pd", qp.getLong(VerbsLayout.IBV_QP_PD), pd);
        same("ibv_qp.send_cq", qp.getLong(VerbsLayout.IBV_QP_SEND_CQ), sendCq);
        same("ibv_qp.recv_cq", qp.getLong(VerbsLayout.IBV_QP_RECV_CQ), receiveCq);
    }

    private static void same(String field, long found, long expected) throws IOException {
        if (found != expected) {
            throw refusal(field, "0x" + Long.toHexString(found) + " (expected: 0x" + Long.toHexString(expected) + ')');
        }
    }

    private static void requirePresent(String field, long found) throws IOException {
        if (found == 0) {
            throw refusal(field, "nothing");
        }
    }

    private static void open(String field, int found, IntPredicate isOpen) throws IOException {
        if (found < 0 || !isOpen.test(found)) {
            throw refusal(field, found + ", not an open descriptor");
        }
    }

    private static IOException refusal(String field, String found) {
        return new IOException(field + " holds " + found + ": this machine's libibverbs and librdmacm have other"
                + " structures than rdma-core 33 to 65; install such a release, or choose another provider (-D"
                + RdmaProviders.PROPERTY + ')');
    }
}
