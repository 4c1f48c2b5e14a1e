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
import io.nettyrdma.verbs.spi.ListedReceives;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.List;

/** A list of receives. Threading: confined to the thread that posts. */
final class SoftPostRecv extends ListedReceives {

    private final SoftQp qp;

    SoftPostRecv(SoftQp qp, List<IbvRecvWR> list) {
        super(qp, list);
        this.qp = qp;
    }

    @Override
    protected void post(WorkRequestBatch receives) throws IOException {
        qp.postReceives(receives);
    }
}
