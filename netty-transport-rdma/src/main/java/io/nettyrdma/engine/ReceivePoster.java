// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.IbvQP;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;

/**
 * Posts the receives of one queue pair.
 *
 * <p>Threading: the loop's.
 */
public final class ReceivePoster {

    private final VerbsExtensions verbs;
    private final IbvQP qp;
    private final Posting posting;
    private final int registration;
    private final LoopTraffic traffic;

    /** @param registration the number that completions carry */
    ReceivePoster(VerbsExtensions verbs, IbvQP qp, Posting posting, int registration, LoopTraffic traffic) {
        this.verbs = verbs;
        this.qp = qp;
        this.posting = posting;
        this.registration = registration;
        this.traffic = traffic;
    }

    /** Adds a receive of up to {@code lengthBytes} bytes to a batch; its completion carries {@code slot}. */
    public void add(WorkRequestBatch requests, int slot, long address, int lengthBytes, int localKey) {
        requests.add()
                .receive(WorkRequestId.of(registration, WorkRequestId.RECEIVE, slot))
                .local(address, lengthBytes, localKey);
    }

    /** Posts a batch. A failure brings the queue pair to error. */
    public void post(WorkRequestBatch requests) throws IOException {
        if (requests.size() > 0) {
            try {
                verbs.postReceives(qp, requests);
            } catch (Throwable e) {
                posting.fail(); // how many were posted is unknown: they stay outstanding until the queue pair is gone
                EndSteps.after(e).then(() -> verbs.toError(qp));
                throw e;
            }
        }
    }

    /** Counts what the receives of the loop do. */
    public LoopTraffic traffic() {
        return traffic;
    }
}
