// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A device as one id sees it, see {@link Trait#CONTEXT_PER_ID} and {@link Trait#SMALL_COMPLETION_QUEUE}. */
final class StrictContext extends IbvContext {

    /** What rxe has. */
    static final int MAX_COMPLETIONS = 32_767;

    private final StrictDevice device;
    private final IbvContext kind;

    StrictContext(StrictDevice device, IbvContext kind, int commandDescriptor) throws IOException {
        super(commandDescriptor, 1);
        this.device = device;
        this.kind = kind;
    }

    @Override
    public IbvPd allocPd() throws IOException {
        return device.calls().make(Verb.ALLOCATE_DOMAIN, () -> new StrictPd(device, this, kind.allocPd()));
    }

    @Override
    public IbvCompChannel createCompChannel() throws IOException {
        return device.calls()
                .make(
                        Verb.CREATE_COMPLETION_CHANNEL,
                        () -> new StrictCompChannel(device, this, kind.createCompChannel()));
    }

    @Override
    public IbvCQ createCQ(@Nullable IbvCompChannel channel, int entries, int vector) throws IOException {
        return device.calls().make(Verb.CREATE_COMPLETION_QUEUE, () -> {
            if (device.has(Trait.SMALL_COMPLETION_QUEUE) && entries > MAX_COMPLETIONS) {
                throw new IOException("ibv_create_cq: Invalid argument (errno 22)");
            }
            StrictCompChannel completions = (StrictCompChannel) channel;
            // Deep enough for completions that were not asked for, see StrictQp.
            IbvCQ made = kind.createCQ(completions == null ? null : completions.kind(), 1 << 24, vector);
            return new StrictCq(device, this, completions, made, entries);
        });
    }

    @Override
    public int queryOdpSupport() throws IOException {
        return kind.queryOdpSupport();
    }
}
