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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.DefaultByteBufHolder;
import java.io.IOException;

/**
 * Registered memory with a key of its own, so that it can be shown to one peer for one purpose: source or target of
 * that peer's RDMA Reads and Writes. Made by {@link RdmaChannel#allocateMemory}, zeroed, or by {@link
 * RdmaChannel#registerMemory} from a buffer there is.
 *
 * <p>The memory does not grow. It is reachable by the peer, at the latest, when a message arrives that was written
 * after its creation, and until {@link #invalidate()}, which ends the registration before it returns, so that the
 * content can be trusted or reused afterwards. The last {@link #release()} ends it too, on another thread than the
 * event loop's a little later, and the memory is freed after that. Registering costs a random key and a table entry on
 * the software provider, and a system call on devices. Those with memory windows bind one to it, by a request in front
 * of the next message; there, a buffer of the event loop's own ({@link RdmaByteBufAllocator}) needs no registration.
 *
 * <p>Threading: {@link #invalidate()} and {@link #segment()} on the channel's event loop; reference counting from any
 * thread. Ownership: whoever holds the last reference; the memory outlives the channel and the loop if need be.
 */
public final class RdmaMemory extends DefaultByteBufHolder {

    private final RegisteredByteBuf memory;
    private final int lengthBytes;

    RdmaMemory(RegisteredByteBuf memory, int lengthBytes) {
        super(memory);
        this.memory = memory;
        this.lengthBytes = lengthBytes;
    }

    /** What the peer needs to know to reach the memory: key, address, and its whole length. */
    public RemoteSegment segment() {
        return new RemoteSegment(memory.remoteKey(), memory.address(0), lengthBytes);
    }

    /**
     * Ends the registration: after this neither the peer nor a work request of this side reaches the memory.
     * Idempotent.
     *
     * @throws IllegalStateException if the caller is not on the channel's event loop, while that runs
     * @throws IOException           if the device refuses; the memory has to be considered exposed until the channel is
     *                               closed
     */
    public void invalidate() throws IOException {
        memory.invalidate();
    }

    /** Not supported: a copy would not be registered. */
    @Override
    public ByteBufHolder replace(ByteBuf content) {
        throw new UnsupportedOperationException("registered memory cannot be replaced");
    }

    @Override
    public RdmaMemory retain() {
        super.retain();
        return this;
    }
}
