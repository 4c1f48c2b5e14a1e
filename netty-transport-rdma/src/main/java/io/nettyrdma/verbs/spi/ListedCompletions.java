// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;

/** Takes completions by DiSNI's call, which lists them. */
final class ListedCompletions implements CompletionPoller {

    private final IbvWC[] listed = new IbvWC[BATCH];
    private final SVCPollCq call;

    ListedCompletions(IbvCQ queue) throws IOException {
        for (int i = 0; i < BATCH; i++) {
            listed[i] = new IbvWC();
        }
        call = queue.poll(listed, BATCH);
    }

    @Override
    public int poll(CompletionHandler handler) throws IOException {
        int count = call.execute().getPolls();
        for (int i = 0; i < count; i++) {
            IbvWC wc = listed[i];
            handler.onCompletion(
                    wc.getWr_id(),
                    wc.getStatus(),
                    wc.getOpcode(),
                    wc.getByte_len(),
                    wc.getImm_data(),
                    wc.getQp_num(),
                    wc.getWc_flags());
        }
        return count;
    }

    @Override
    public void free() {
        call.free();
    }
}
