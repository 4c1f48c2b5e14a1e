// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;

/** Completion channel; the provider takes its events, so there is nothing to do but to exist. */
final class StrictCompChannel extends IbvCompChannel {

    private final StrictDevice device;
    private final IbvCompChannel kind;

    StrictCompChannel(StrictDevice device, StrictContext context, IbvCompChannel kind) throws IOException {
        super(-1, context);
        this.device = device;
        this.kind = kind;
    }

    IbvCompChannel kind() {
        return kind;
    }

    @Override
    public boolean getCqEvent(IbvCQ cq, int timeoutMillis) throws IOException {
        throw new IOException("completion events of a confined event channel are taken by the provider");
    }

    @Override
    public int destroyCompChannel() throws IOException {
        return device.calls().make(Verb.DESTROY_COMPLETION_CHANNEL, () -> {
            int result = kind.destroyCompChannel();
            close();
            return result;
        });
    }
}
