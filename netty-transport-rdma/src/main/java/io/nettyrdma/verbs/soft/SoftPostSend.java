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

import com.ibm.disni.verbs.IbvSendWR;
import io.nettyrdma.verbs.spi.ListedSends;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.List;

/** A list of send work requests. Threading: confined to the thread that posts. */
final class SoftPostSend extends ListedSends {

    private final SoftQp qp;

    SoftPostSend(SoftQp qp, List<IbvSendWR> list) {
        super(qp, list);
        this.qp = qp;
    }

    @Override
    protected void post(WorkRequestBatch requests) throws IOException {
        qp.postSends(requests);
    }
}
