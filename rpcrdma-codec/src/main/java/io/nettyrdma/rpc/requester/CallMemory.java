// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where the memory of chunks gets its keys. A seam for tests, because devices do not refuse on demand. */
public interface CallMemory {

    /** Whether a Send with Invalidate of the peer may name what is exposed (RFC 8797, section 4.1). */
    boolean canBeInvalidatedByPeer();

    /**
     * Exposes the readable octets of a direct buffer to the peer.
     *
     * @param buffer its reference is taken over, whatever happens
     */
    Region expose(ByteBuf buffer, RdmaAccess access) throws IOException;

    interface Region {

        /** What the peer is told. */
        PlainSegment segment();

        /**
         * Bytes from the first one on that the responder has written. All of them if the device does not tell: it has
         * zeroed the memory.
         */
        default long writtenBytes() {
            return segment().lengthBytes();
        }

        /** Ends the exposure, whatever this throws; once it has returned only the owner reaches the memory. */
        void invalidate() throws IOException;

        /** The peer has ended the exposure itself. What is registered is given back with {@link #release}. */
        default void onInvalidatedByPeer() {}

        /** Gives up the reference taken over. */
        void release();
    }

    /** The memory of this channel, {@code null} if it has none or the handler does not run on its event loop. */
    static @Nullable CallMemory of(ChannelHandlerContext ctx) {
        if (!(ctx.channel() instanceof RdmaChannel channel) || ctx.executor() != channel.eventLoop()) {
            return null;
        }
        return new OfChannel(channel);
    }

    record OfChannel(RdmaChannel channel) implements CallMemory {

        @Override
        public boolean canBeInvalidatedByPeer() {
            return channel.canBeInvalidatedByPeer();
        }

        @Override
        public Region expose(ByteBuf buffer, RdmaAccess access) throws IOException {
            RdmaMemory memory = channel.registerMemory(buffer, access);
            RemoteSegment remote = memory.segment();
            if (access == RdmaAccess.REMOTE_WRITE && memory.writtenBytes() < 0) {
                // The responder may claim more than it writes, and what is behind that was another's.
                memory.content().setZero(0, remote.lengthBytes());
            }
            PlainSegment segment = new PlainSegment(remote.key(), remote.lengthBytes(), remote.address());
            return new Region() {
                @Override
                public PlainSegment segment() {
                    return segment;
                }

                @Override
                public long writtenBytes() {
                    int written = memory.writtenBytes();
                    return written < 0 ? segment.lengthBytes() : written;
                }

                @Override
                public void invalidate() throws IOException {
                    memory.invalidate();
                }

                @Override
                public void release() {
                    memory.release(); // gives a key back that the responder has invalidated. PD-016
                }
            };
        }
    }
}
