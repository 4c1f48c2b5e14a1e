// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.session.MessageLink;

/**
 * Lets a responder's channel be read only while neither calls in progress nor answers that the peer does not take pile
 * up.
 *
 * <p>Threading: confined to the executor of the handler.
 */
final class ReadGate {

    private final MessageLink link;
    private final ResponderEngine engine;
    private final ChunkReader reader;
    private boolean readWanted;
    private boolean held;

    ReadGate(MessageLink link, ResponderEngine engine, ChunkReader reader) {
        this.link = link;
        this.engine = engine;
        this.reader = reader;
    }

    /** Reads now, or when it may be. */
    void read(ChannelHandlerContext ctx) {
        if (isOpen(ctx.channel())) {
            ctx.read();
        } else {
            readWanted = true;
        }
    }

    /** To be called whenever a call ends, chunks are in place, or the channel becomes writable. */
    void resume(ChannelHandlerContext ctx) {
        if (readWanted && isOpen(ctx.channel())) {
            readWanted = false;
            ctx.read();
        }
    }

    /** Lets nothing be read, or again what else may be. */
    void hold(boolean hold) {
        held = hold;
    }

    /**
     * RDMA Reads under way count as octets to be written, too, but they have a bound of their own. Calls that wait for
     * room for their replies are in progress, so credits bound them: a call that was handed up may wait for a reply of
     * the other direction, which has to be read.
     */
    private boolean isOpen(Channel channel) {
        long pulling = reader.bytesInFlight();
        return (engine.mayRead() || link.terms().detailedErrors())
                && !held
                && (channel.isWritable() || pulling > 0 && channel.bytesBeforeWritable() <= pulling);
    }
}
