// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.List;

/**
 * A list of send work requests in DiSNI's style. The constructor copies the list. The call may be executed any
 * number of times, and is changed by nobody here.
 *
 * <p>Threading: confined to the thread that posts.
 */
final class ListedSends extends SVCPostSend {

    /** Posts requests in their order, all or those before the one that is refused. */
    interface Post {
        void post(WorkRequestBatch requests) throws IOException;
    }

    private final IbvQP qp;
    private final Post post;
    private final WorkRequestBatch batch;

    /** Copies the list. */
    ListedSends(IbvQP qp, List<IbvSendWR> list, Post post) {
        this.qp = qp;
        this.post = post;
        batch = new WorkRequestBatch(list.size());
        for (IbvSendWR request : list) {
            // libibverbs: a union of imm_data and invalidate_rkey, so DiSNI's only place for the key is imm_data.
            boolean invalidates = request.getOpcode() == VerbsConstants.WR_SEND_WITH_INV;
            WorkRequest copy = batch.add()
                    .send(request.getWr_id(), request.getOpcode(), request.getSend_flags())
                    .remote(
                            invalidates
                                    ? request.getImm_data()
                                    : request.getRdma().getRkey(),
                            request.getRdma().getRemote_addr())
                    .immediate(request.getImm_data());
            for (IbvSge entry : ListedReceives.entries(request.getSg_list())) {
                copy.local(entry.getAddr(), entry.getLength(), entry.getLkey());
            }
        }
    }

    @Override
    public SVCPostSend execute() throws IOException {
        post.post(batch);
        return this;
    }

    @Override
    public SendWRMod getWrMod(int index) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isValid() {
        return qp.isOpen();
    }

    @Override
    public SVCPostSend free() {
        return this;
    }
}
