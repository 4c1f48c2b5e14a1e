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
package io.nettyrdma.channel;

import com.ibm.disni.verbs.IbvQP;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;

/**
 * Posts the receives of one queue pair.
 *
 * <p>Threading: the loop's.
 */
final class ReceivePoster {

    private final VerbsExtensions verbs;
    private final IbvQP qp;
    private final int registration;
    private boolean failed;

    /** @param registration the number that completions carry */
    ReceivePoster(VerbsExtensions verbs, IbvQP qp, int registration) {
        this.verbs = verbs;
        this.qp = qp;
        this.registration = registration;
    }

    /** Adds a receive of up to {@code lengthBytes} bytes to a batch; its completion carries {@code slot}. */
    void add(WorkRequestBatch requests, int slot, long address, int lengthBytes, int localKey) {
        requests.add()
                .receive(WorkRequestId.of(registration, WorkRequestId.RECEIVE, slot))
                .addSge(address, lengthBytes, localKey);
    }

    /** Posts a batch. A failure brings the queue pair to error. */
    void post(WorkRequestBatch requests) throws IOException {
        if (requests.size() > 0) {
            try {
                verbs.postReceives(qp, requests);
            } catch (Throwable e) {
                failed = true; // how many were posted is unknown: they stay outstanding until the queue pair is gone
                EndSteps.after(e).then(() -> verbs.toError(qp));
                throw e;
            }
        }
    }

    /** As {@link SendQueue#hasFailedPost}. */
    boolean hasFailed() {
        return failed;
    }
}
