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
package io.nettyrdma.verbs.spi;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import java.io.IOException;
import java.util.List;

/**
 * A list of receives in DiSNI's style, for providers that post batches. The constructor copies the list. The call may
 * be executed any number of times.
 *
 * <p>Threading: confined to the thread that posts.
 */
public abstract class ListedReceives extends SVCPostRecv {

    private final IbvQP qp;
    private final WorkRequestBatch batch;

    /** Copies the list. */
    protected ListedReceives(IbvQP qp, List<IbvRecvWR> list) {
        this.qp = qp;
        int entries = 0;
        for (IbvRecvWR request : list) {
            entries = Math.max(entries, entries(request).size());
        }
        batch = new WorkRequestBatch(list.size(), entries);
        for (IbvRecvWR request : list) {
            WorkRequest copy = batch.add().receive(request.getWr_id());
            for (IbvSge entry : entries(request)) {
                copy.addSge(entry.getAddr(), entry.getLength(), entry.getLkey());
            }
        }
    }

    private static List<IbvSge> entries(IbvRecvWR request) {
        List<IbvSge> entries = request.getSg_list();
        return entries == null ? List.of() : entries;
    }

    /**
     * Posts the receives.
     *
     * @throws IOException if one was refused; earlier ones are posted
     */
    protected abstract void post(WorkRequestBatch receives) throws IOException;

    @Override
    public final SVCPostRecv execute() throws IOException {
        post(batch);
        return this;
    }

    @Override
    public final RecvWRMod getWrMod(int index) throws IOException {
        if (index < 0 || index >= batch.size()) {
            throw new IOException("work request: " + index + " (expected: 0 to " + (batch.size() - 1) + ')');
        }
        return () -> batch.get(index).id();
    }

    @Override
    public final boolean isValid() {
        return qp.isOpen();
    }

    @Override
    public final SVCPostRecv free() {
        return this;
    }
}
