// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list of receives in DiSNI's style. The constructor copies the list. The call may
 * be executed any number of times.
 *
 * <p>Threading: confined to the thread that posts.
 */
final class ListedReceives extends SVCPostRecv {

    private final IbvQP qp;
    private final ListedSends.Post post;
    private final WorkRequestBatch batch;

    /** Copies the list. */
    ListedReceives(IbvQP qp, List<IbvRecvWR> list, ListedSends.Post post) {
        this.qp = qp;
        this.post = post;
        batch = new WorkRequestBatch(list.size());
        for (IbvRecvWR request : list) {
            WorkRequest copy = batch.add().receive(request.getWr_id());
            for (IbvSge entry : entries(request.getSg_list())) {
                copy.local(entry.getAddr(), entry.getLength(), entry.getLkey());
            }
        }
    }

    static List<IbvSge> entries(@Nullable List<IbvSge> entries) {
        return entries == null ? List.of() : entries;
    }

    @Override
    public SVCPostRecv execute() throws IOException {
        post.post(batch);
        return this;
    }

    @Override
    public RecvWRMod getWrMod(int index) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isValid() {
        return qp.isOpen();
    }

    @Override
    public SVCPostRecv free() {
        return this;
    }
}
