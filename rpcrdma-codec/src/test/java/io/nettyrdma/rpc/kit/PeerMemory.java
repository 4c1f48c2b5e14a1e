// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.channel.RemoteSegment;
import java.util.ArrayDeque;

/**
 * Stands for the requester's memory in a pipeline without RDMA: RDMA Reads get zeros at once, or, while they are held,
 * what the test says when it says so.
 */
public final class PeerMemory extends ChannelOutboundHandlerAdapter {

    private record Held(RdmaRead read, ChannelPromise promise) {}

    private record HeldWrite(RdmaWrite write, ChannelPromise promise) {}

    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private final ArrayDeque<HeldWrite> heldWrites = new ArrayDeque<>();
    private boolean holds;
    private boolean holdsWrites;
    private int reads;

    public PeerMemory holding() {
        holds = true;
        return this;
    }

    /** Takes RDMA Writes, too, and completes them when the test says so. */
    public PeerMemory holdingWrites() {
        holdsWrites = true;
        return this;
    }

    /** RDMA Writes that are not complete. */
    public int writesWaiting() {
        return heldWrites.size();
    }

    /** Completes the oldest Write; returns its octets. */
    public byte[] completeWrite() {
        HeldWrite next = heldWrites.remove();
        byte[] octets = ByteBufUtil.getBytes(next.write().content());
        next.write().release();
        next.promise().setSuccess();
        return octets;
    }

    /** Lets the oldest Write fail. */
    public void failWrite(Throwable cause) {
        HeldWrite next = heldWrites.remove();
        next.write().release();
        next.promise().setFailure(cause);
    }

    /** How often the channel was asked for more messages. */
    public int reads() {
        return reads;
    }

    /** Zeros at once, from now on. */
    public PeerMemory answering() {
        holds = false;
        return this;
    }

    /** RDMA Reads that wait for their data. */
    public int waiting() {
        return held.size();
    }

    /** Where the oldest Read reads. */
    public RemoteSegment source() {
        return held.element().read().source();
    }

    /** Completes the oldest Read. */
    public void complete(byte[] content) {
        Held next = held.remove();
        ByteBuf target = next.read().content();
        target.setBytes(target.writerIndex(), content, 0, next.read().source().lengthBytes());
        next.read().release();
        next.promise().setSuccess();
    }

    /** Lets the oldest Read fail. */
    public void fail(Throwable cause) {
        Held next = held.remove();
        next.read().release();
        next.promise().setFailure(cause);
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        reads++;
        ctx.read();
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof RdmaRead read) {
            held.add(new Held(read, promise));
            if (!holds) {
                complete(new byte[read.source().lengthBytes()]);
            }
        } else if (holdsWrites && message instanceof RdmaWrite write) {
            heldWrites.add(new HeldWrite(write, promise));
        } else {
            ctx.write(message, promise);
        }
    }
}
