// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A queue pair. Ownership: librdmacm's, which destroys it with {@code rdma_destroy_qp}.
 *
 * <p>Threading: its two work queues as {@link NativeWorkQueue} says; all else the event loop's.
 */
class NativeQp extends IbvQP {

    private static final int RELIABLE_CONNECTION = 2;
    private static final int STATE_ERROR = 6;
    private static final int MASK_STATE = 1;

    private final long pointer;
    private final NativeCmId id;
    private final NativeContext device;
    private final NativeCq sendCq;
    private final NativeCq receiveCq;
    private final NativeWorkQueue sends;
    private final NativeWorkQueue receives;

    NativeQp(NativeCmId id, NativePd pd, NativeCq sendCq, NativeCq receiveCq, long pointer) throws IOException {
        super(0);
        this.id = id;
        this.pointer = pointer;
        this.sendCq = sendCq;
        this.receiveCq = receiveCq;
        device = receiveCq.device();
        sends = NativeWorkQueue.ofSends(device, pointer);
        receives = NativeWorkQueue.ofReceives(device, pointer);
        this.pd = pd;
        context = device;
        send_cq = sendCq;
        recv_cq = receiveCq;
        qp_type = IBV_QPT_RC;
        qp_num = Foreign.get().at(pointer, VerbsLayout.IBV_QP_BYTES).getInt(VerbsLayout.IBV_QP_QP_NUM);
    }

    /** Makes the queue pair of an id ({@code rdma_create_qp}). */
    static NativeQp create(NativeCmId id, NativePd pd, NativeCq sendCq, NativeCq receiveCq, IbvQPInitAttr attributes)
            throws IOException {
        NativeMemory init = new NativeMemory(VerbsLayout.IBV_QP_INIT_ATTR_BYTES);
        init.octets()
                .putLong(VerbsLayout.IBV_QP_INIT_ATTR_SEND_CQ, sendCq.pointer())
                .putLong(VerbsLayout.IBV_QP_INIT_ATTR_RECV_CQ, receiveCq.pointer())
                .putInt(
                        VerbsLayout.IBV_QP_INIT_ATTR_CAP_MAX_SEND_WR,
                        attributes.cap().getMax_send_wr() + (sendCq.device().isIwarp() ? 1 : 0)) // for announce()
                .putInt(
                        VerbsLayout.IBV_QP_INIT_ATTR_CAP_MAX_RECV_WR,
                        attributes.cap().getMax_recv_wr())
                .putInt(
                        VerbsLayout.IBV_QP_INIT_ATTR_CAP_MAX_SEND_SGE,
                        SiwQuirks.sendEntries(
                                sendCq.device().isSiw(),
                                attributes.cap().getMax_send_sge(),
                                sendCq.device().limits().maxSge()))
                .putInt(
                        VerbsLayout.IBV_QP_INIT_ATTR_CAP_MAX_RECV_SGE,
                        attributes.cap().getMax_recv_sge())
                .putInt(
                        VerbsLayout.IBV_QP_INIT_ATTR_CAP_MAX_INLINE_DATA,
                        attributes.cap().getMax_inline_data())
                .putInt(VerbsLayout.IBV_QP_INIT_ATTR_QP_TYPE, RELIABLE_CONNECTION)
                .putInt(VerbsLayout.IBV_QP_INIT_ATTR_SQ_SIG_ALL, attributes.getSq_sig_all());
        try {
            VerbsLibrary.succeed(
                    "rdma_create_qp",
                    () -> (int) VerbsLibrary.RDMA_CREATE_QP.invokeExact(id.pointer(), pd.pointer(), init.address()),
                    init);
        } catch (NativeFailure e) {
            throw LockedMemory.explained(e);
        }
        ByteBuffer struct = id.struct();
        LayoutCheck.orUndo(() -> checkLayout(struct, pd, sendCq, receiveCq), id::destroyQueuePairOfC);
        return new NativeQp(id, pd, sendCq, receiveCq, struct.getLong(VerbsLayout.RDMA_CM_ID_QP));
    }

    /** Before the first post: whether what C has made is where {@link VerbsLayout} says. */
    private static void checkLayout(ByteBuffer id, NativePd pd, NativeCq sendCq, NativeCq receiveCq)
            throws IOException {
        long context = sendCq.device().pointer();
        LayoutCheck.idWithQueuePair(id, context);
        ByteBuffer made = Foreign.get().at(id.getLong(VerbsLayout.RDMA_CM_ID_QP), VerbsLayout.IBV_QP_BYTES);
        LayoutCheck.queuePair(made, context, pd.pointer(), sendCq.pointer(), receiveCq.pointer());
    }

    long pointer() {
        return pointer;
    }

    NativeContext device() {
        return device;
    }

    /** Sends, RDMA Writes and RDMA Reads. */
    NativeWorkQueue sends() {
        return sends;
    }

    NativeWorkQueue receives() {
        return receives;
    }

    /** From now on {@link #awaitsFirstMessage} until a receive completes. */
    void awaitFirstMessage() {
        receiveCq.firstMessages().await(qp_num, this);
    }

    boolean awaitsFirstMessage() {
        return receiveCq.firstMessages().awaits(qp_num, this);
    }

    void forgetFirstMessage() {
        receiveCq.firstMessages().forget(qp_num, this);
    }

    /**
     * Posts an empty RDMA Write whose completion is not reported. Only event loops do.
     *
     * @return whether there was room for it in a queue pair that is not over
     */
    boolean announce() {
        sendCq.onAnnouncement();
        try {
            sends.announce();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Brings it to the error state, in which everything posted is flushed. */
    void toError() throws IOException {
        NativeMemory attributes = new NativeMemory(VerbsLayout.IBV_QP_ATTR_BYTES);
        attributes.octets().putInt(VerbsLayout.IBV_QP_ATTR_QP_STATE, STATE_ERROR);
        VerbsLibrary.succeed(
                "ibv_modify_qp",
                () -> (int) VerbsLibrary.IBV_MODIFY_QP.invokeExact(pointer, attributes.address(), MASK_STATE),
                attributes);
    }
}
