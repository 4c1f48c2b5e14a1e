// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory for chunks that knows what is exposed and what is held, and refuses on demand. */
public final class CountingMemory implements CallMemory {

    public final AtomicInteger exposed = new AtomicInteger();
    public final AtomicInteger held = new AtomicInteger();
    /** How often this side has ended an exposure itself. */
    public final AtomicInteger invalidations = new AtomicInteger();

    public final List<RdmaAccess> accesses = new CopyOnWriteArrayList<>();
    public final List<Integer> handles = new CopyOnWriteArrayList<>();
    public volatile int refuseExposure = Integer.MAX_VALUE;
    public volatile boolean refuseInvalidation;

    private final CallMemory memory;

    public CountingMemory(CallMemory memory) {
        this.memory = memory;
    }

    /** Nothing is exposed, and no buffer is held. */
    public void checkGivenBack() {
        assertThat(exposed).as("exposed").hasValue(0);
        assertThat(held).as("held").hasValue(0);
    }

    @Override
    public boolean canBeInvalidatedByPeer() {
        return memory.canBeInvalidatedByPeer();
    }

    @Override
    public Region expose(ByteBuf buffer, RdmaAccess access) throws IOException {
        if (accesses.size() >= refuseExposure) {
            buffer.release();
            throw new IOException("no more regions");
        }
        Region region = memory.expose(buffer, access);
        accesses.add(access);
        handles.add(region.segment().handle());
        exposed.incrementAndGet();
        held.incrementAndGet();
        return new Region() {
            private boolean valid = true;

            @Override
            public PlainSegment segment() {
                return region.segment();
            }

            @Override
            public long writtenBytes() {
                return region.writtenBytes();
            }

            @Override
            public void invalidate() throws IOException {
                if (refuseInvalidation) {
                    throw new IOException("key cannot be invalidated");
                }
                region.invalidate();
                invalidations.incrementAndGet();
                if (valid) {
                    valid = false;
                    exposed.decrementAndGet();
                }
            }

            @Override
            public void onInvalidatedByPeer() {
                region.onInvalidatedByPeer();
                valid = false;
                exposed.decrementAndGet();
            }

            @Override
            public void release() {
                region.release();
                held.decrementAndGet();
            }
        };
    }
}
