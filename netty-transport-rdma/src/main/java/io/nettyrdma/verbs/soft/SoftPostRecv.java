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
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import io.nettyrdma.verbs.soft.rdmap.PostTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A list of receives, copied when the call is made, that may be executed any number of times.
 *
 * <p>Threading: confined to the thread that posts.
 */
final class SoftPostRecv extends SVCPostRecv implements PostTarget.Posting {

    private final SoftQp qp;
    private final long[] ids;
    private final List<IbvSge[]> entries;

    SoftPostRecv(SoftQp qp, List<IbvRecvWR> list) {
        this.qp = qp;
        ids = new long[list.size()];
        entries = new ArrayList<>(list.size());
        int i = 0;
        for (IbvRecvWR wr : list) {
            ids[i++] = wr.getWr_id();
            List<IbvSge> sges = wr.getSg_list();
            IbvSge[] copy = new IbvSge[sges == null ? 0 : sges.size()];
            for (int k = 0; k < copy.length; k++) {
                IbvSge sge = sges.get(k);
                copy[k] = new IbvSge();
                copy[k].setAddr(sge.getAddr());
                copy[k].setLength(sge.getLength());
                copy[k].setLkey(sge.getLkey());
            }
            entries.add(copy);
        }
    }

    @Override
    public SVCPostRecv execute() throws IOException {
        qp.postReceives(this);
        return this;
    }

    @Override
    public void to(PostTarget target) throws IOException {
        for (int i = 0; i < ids.length; i++) {
            IbvSge[] sges = entries.get(i);
            target.beginReceive(ids[i], sges.length);
            for (IbvSge sge : sges) {
                target.addReceiveSge(sge.getAddr(), sge.getLength(), sge.getLkey());
            }
            target.commitReceive();
        }
    }

    @Override
    public RecvWRMod getWrMod(int index) throws IOException {
        if (index < 0 || index >= ids.length) {
            throw new IOException("work request " + index + " of " + ids.length);
        }
        return () -> ids[index];
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
