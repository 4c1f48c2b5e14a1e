// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import com.ibm.disni.verbs.IbvMr;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.DefaultByteBufHolder;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;

/**
 * Registered memory with a key of its own, to advertise to one peer for one purpose: source or target of that peer's
 * RDMA Reads and Writes. {@link RdmaChannel#allocateMemory} makes it, zeroed; {@link RdmaChannel#registerMemory} makes
 * it from a buffer.
 *
 * <p>The memory does not grow. Any message that you write after you create the memory reaches the peer when the memory
 * is ready for it. {@link #invalidate()} ends the registration before it returns: the content can then be trusted or
 * reused. The last {@link #release()} ends it too (a little later if called on another thread than the event
 * loop's) and then frees the memory. Registering costs a random key and a table entry on the software provider, and a
 * system call on devices. Devices with memory windows bind one to it, by a request before the next message; there, a
 * buffer of the event loop's own ({@link RdmaByteBufAllocator}) needs no registration.
 *
 * <p>To lend one buffer to many peers, pass {@code buffer.retain()} to {@link RdmaChannel#registerMemory} of each
 * channel: each peer gets a key, and all share the bytes. Devices count them once for each channel against the limit of
 * locked memory.
 *
 * <p>Nothing is atomic: the bytes of a Write may appear in any order, and a Read that meets a Write, or a store of this
 * side's program, may get parts of both. A Write is in place when a Send that the peer has written behind it arrives,
 * or when a Read that the peer has written behind it completes; the Write's own promise does not say so. A reader of
 * bytes that may change meanwhile needs a checksum among them, and reads again if it does not match; a version at their
 * end proves nothing.
 *
 * <p>Threading: {@link #invalidate()}, {@link #segment()} and {@link #writtenBytes()} on the channel's event loop;
 * reference counting from any thread. Ownership: the holder of the last reference; the memory may outlive the channel
 * and the loop.
 */
public final class RdmaMemory extends DefaultByteBufHolder {

    private final RegisteredByteBuf memory;
    private final int lengthBytes;
    private final VerbsExtensions verbs;
    private final IbvMr region;

    RdmaMemory(RegisteredByteBuf memory, int lengthBytes, VerbsExtensions verbs) {
        super(memory);
        this.verbs = verbs;
        region = memory.region();
        this.memory = memory;
        this.lengthBytes = lengthBytes;
    }

    /** Returns the key, address and whole length, by which the peer reaches the memory. */
    public RemoteSegment segment() {
        return new RemoteSegment(memory.remoteKey(), memory.address(0), lengthBytes);
    }

    /**
     * Returns how many bytes, from the first one on and without a gap, the peer has written by RDMA Write. Compare it
     * with the length that the peer claims before you trust the content: what is behind these bytes is what the memory
     * held before, perhaps of another connection. A device with hardware does not know; zero the memory before you tell
     * the peer of it.
     *
     * @return bytes, also after {@link #invalidate()}, or -1 if the device does not know
     */
    public int writtenBytes() {
        return verbs.writtenBytes(region);
    }

    /**
     * Ends the registration: after this neither the peer nor a work request of this side reaches the memory.
     * Idempotent.
     *
     * @throws IllegalStateException if the caller is not on the channel's event loop, while that runs
     * @throws IOException           if the device refuses; the memory must be considered exposed until the channel is
     *                               closed
     */
    public void invalidate() throws IOException {
        memory.invalidate();
    }

    /** Not supported: a copy would not be registered. */
    @Override
    public ByteBufHolder replace(ByteBuf content) {
        throw new UnsupportedOperationException(
                "registered memory cannot be replaced; use RdmaChannel.registerMemory()");
    }

    @Override
    public RdmaMemory retain() {
        super.retain();
        return this;
    }
}
