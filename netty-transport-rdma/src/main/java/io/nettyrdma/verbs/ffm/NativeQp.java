/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import io.nettyrdma.verbs.VerbsConstants;
import io.nettyrdma.verbs.WorkRequestBatch;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A queue pair. Ownership: librdmacm's, which destroys it with {@code rdma_destroy_qp}.
 *
 * <p>Threading: posted to by one thread at a time.
 */
final class NativeQp extends IbvQP {

    private static final int RELIABLE_CONNECTION = 2;
    private static final int STATE_ERROR = 6;
    private static final int MASK_STATE = 1;
    private static final int MIN_REQUEST_BYTES = 4096;

    /** The id of {@link #announce announcements}, which no channel gives to a request. */
    static final long ANNOUNCEMENT = -1;

    private final long pointer;
    private final NativeCmId id;
    private final NativeContext device;
    private final NativeMemory badRequest = new NativeMemory(Long.BYTES);
    private NativeMemory requests = new NativeMemory(MIN_REQUEST_BYTES);

    private final NativeCq receives;

    private NativeQp(NativeCmId id, NativePd pd, NativeCq receives, long pointer, IbvQPInitAttr attributes)
            throws IOException {
        super(0);
        this.id = id;
        this.pointer = pointer;
        this.receives = receives;
        device = receives.device();
        this.pd = pd;
        context = device;
        send_cq = attributes.getSend_cq();
        recv_cq = receives;
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
                        sendEntries(attributes.cap().getMax_send_sge(), sendCq.device()))
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
        return new NativeQp(id, pd, receiveCq, struct.getLong(VerbsLayout.RDMA_CM_ID_QP), attributes);
    }

    /** Two, at least, on siw, where a short message may need one for each of two pages. */
    private static int sendEntries(int wanted, NativeContext device) {
        return device.isSiw() ? Math.min(Math.max(wanted, 2), device.limits().maxSge()) : wanted;
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

    /** See {@link NativeCmId#onEndedHere}. */
    void onEndedHere() {
        id.onEndedHere();
    }

    /** Returns whether it is siw that has ended the connection, see {@link NativeCmId#isEndedBySiw}. */
    boolean isEndedBySiw() {
        return device.isSiw() && id.isEndedBySiw();
    }

    void postSends(WorkRequestBatch batch) throws IOException {
        if (batch.size() > 0) {
            NativeMemory memory = requests(WorkRequestEncoder.sendBytes(batch, device.isSiw()));
            WorkRequestEncoder.encodeSends(batch, memory.octets(), memory.address(), device.isSiw());
            post("ibv_post_send", device.postSend(), memory.address());
        }
    }

    void postReceives(WorkRequestBatch batch) throws IOException {
        if (batch.size() > 0) {
            NativeMemory memory = requests(WorkRequestEncoder.receiveBytes(batch));
            WorkRequestEncoder.encodeReceives(batch, memory.octets(), memory.address());
            post("ibv_post_recv", device.postRecv(), memory.address());
        }
    }

    private void post(String what, long function, long first) throws IOException {
        int result;
        try {
            result = (int) VerbsLibrary.POST.invokeExact(function, pointer, first, badRequest.address());
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        }
        if (result == -1) { // without a number: a queue pair that is over says no more on siw
            throw new IOException(what + " is refused");
        } else if (result != 0) {
            throw VerbsLibrary.failure(what, result);
        }
    }

    /** From now on {@link #awaitsFirstMessage} until a receive completes. */
    void awaitFirstMessage() {
        receives.firstMessages().await(qp_num, this);
    }

    boolean awaitsFirstMessage() {
        return receives.firstMessages().awaits(qp_num, this);
    }

    void forgetFirstMessage() {
        receives.firstMessages().forget(qp_num, this);
    }

    /**
     * Posts an empty RDMA Write whose completion nobody hears of.
     *
     * @return whether there was room for it in a queue pair that is not over
     */
    boolean announce() {
        NativeMemory request = requests(VerbsLayout.IBV_SEND_WR_BYTES);
        for (int i = 0; i < VerbsLayout.IBV_SEND_WR_BYTES; i += Long.BYTES) {
            request.octets().putLong(i, 0);
        }
        request.octets()
                .putLong(VerbsLayout.IBV_SEND_WR_WR_ID, ANNOUNCEMENT)
                .putInt(VerbsLayout.IBV_SEND_WR_OPCODE, VerbsConstants.WR_RDMA_WRITE);
        try {
            post("ibv_post_send", device.postSend(), request.address());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private NativeMemory requests(int bytes) {
        if (requests.bytes() < bytes) {
            requests = new NativeMemory(Integer.highestOneBit(bytes - 1) << 1);
        }
        return requests;
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
