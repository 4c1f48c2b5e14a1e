// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.CompletionPoller;
import java.io.IOException;

/** DiSNI's call that lists completions, over a provider that passes them on one after the other. */
final class ListedPoll extends SVCPollCq implements CompletionHandler {

    private final IbvCQ queue;
    private final IbvWC[] listed;
    private final CompletionPoller poller;
    private int polls;

    /** @param listed room for a batch */
    ListedPoll(IbvCQ queue, IbvWC[] listed, CompletionPoller poller) {
        assert listed.length >= CompletionPoller.BATCH;
        this.queue = queue;
        this.listed = listed;
        this.poller = poller;
    }

    @Override
    public void onCompletion(long id, int status, int opcode, int bytes, int immediate, int queuePair, int flags) {
        IbvWC wc = listed[polls++];
        wc.setWr_id(id);
        wc.setStatus(status);
        wc.setOpcode(opcode);
        wc.setByte_len(bytes);
        wc.setImm_data(immediate);
        wc.setQp_num(queuePair);
        wc.setWc_flags(flags);
    }

    @Override
    public SVCPollCq execute() throws IOException {
        polls = 0;
        poller.poll(this);
        return this;
    }

    @Override
    public int getPolls() {
        return polls;
    }

    @Override
    public boolean isValid() {
        return queue.isOpen();
    }

    @Override
    public SVCPollCq free() {
        return this;
    }
}
