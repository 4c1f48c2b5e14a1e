// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.channel.RdmaKeyInvalidatedEvent;
import io.nettyrdma.error.RdmaFlowControlException;
import io.nettyrdma.flow.protocol.FlowExchange;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Holds received messages until the pipeline reads, and joins their pieces.
 *
 * <p>The channel below is read always, because a message of the peer may have no data but the limit that this side
 * waits for. What the peer may send bounds the messages that are held. Pieces of the oldest message are copied together
 * and count as consumed at once, or a message of more pieces than the window would never be whole; those of the
 * messages behind it are held. The last piece is consumed when its message is delivered.
 *
 * <p>Threading: the loop's. Ownership: of all that is held, until {@link #end} or {@link #release}.
 */
final class FlowInput {

    /** A piece behind which others follow. */
    private record Piece(ByteBuf content) {}

    private enum Wanted {
        NOTHING,
        ONE,
        /** As many as come, as long as the channel reads by itself. */
        ALL
    }

    private final ChannelHandlerContext context;
    private final FlowExchange exchange;
    private final int maxMessageBytes;
    /** Pieces, user events, and messages or their last pieces as {@link ByteBuf}. */
    private final ArrayDeque<Object> held = new ArrayDeque<>();
    /** The oldest message, as far as it has come, if it comes in pieces. */
    private @Nullable ByteBuf joined;

    private Wanted wanted = Wanted.NOTHING;
    private boolean delivering;
    private boolean deliversLater;
    /** Whether the pipeline got messages, and no end of a batch since. */
    private boolean delivered;
    /** Whether what arrives is dropped. */
    private boolean closed;

    FlowInput(ChannelHandlerContext context, FlowExchange exchange, int maxMessageBytes) {
        this.context = context;
        this.exchange = exchange;
        this.maxMessageBytes = maxMessageBytes;
    }

    /** The pipeline asks for messages: for one, or for all of a batch if the channel reads by itself. */
    void read() {
        wanted = context.channel().config().isAutoRead() ? Wanted.ALL : Wanted.ONE;
    }

    /** Whether a message is held that the pipeline has asked for, and no call delivers it. Asked once for each. */
    boolean startsDelivery() {
        if (held.isEmpty() || delivering || deliversLater || !mayDeliver()) {
            return false;
        }
        deliversLater = true;
        return true;
    }

    private boolean mayDeliver() {
        return wanted == Wanted.ONE
                || wanted == Wanted.ALL && context.channel().config().isAutoRead();
    }

    /**
     * Takes a message, without its trailer, and delivers what the pipeline wants.
     *
     * @param more whether another piece of it follows
     */
    void take(ByteBuf content, boolean more) throws RdmaFlowControlException {
        int bytes = content.readableBytes();
        if (closed) {
            content.release();
        } else if (bytes > maxMessageBytes) {
            content.release();
            throw tooLong(bytes);
        } else if (more && bytes == 0) {
            content.release();
            throw new RdmaFlowControlException(
                    "piece of the peer's message: 0 bytes (expected: more, unless it is the last one)");
        } else if (!more && joined == null && held.isEmpty() && mayDeliver() && !delivering) {
            fire(content); // the usual case, without the queue
            deliver();
        } else {
            held.add(more ? new Piece(content) : content);
            deliver();
        }
    }

    /** Passes an event on, behind the messages that have arrived before it. */
    void take(RdmaKeyInvalidatedEvent event) {
        if (held.isEmpty() && mayDeliver() && !delivering) {
            context.fireUserEventTriggered(event);
        } else if (!closed) {
            held.add(event);
        }
    }

    /** Delivers as much as the pipeline wants. */
    void deliver() throws RdmaFlowControlException {
        deliversLater = false;
        if (delivering) {
            return;
        }
        delivering = true;
        try {
            Object oldest;
            while ((oldest = held.peek()) != null && (oldest instanceof Piece || mayDeliver())) {
                held.remove();
                next(oldest);
            }
        } finally {
            delivering = false;
        }
    }

    private void next(Object oldest) throws RdmaFlowControlException {
        if (oldest instanceof Piece piece) {
            exchange.consume();
            join(piece.content());
        } else if (oldest instanceof ByteBuf content) {
            ByteBuf whole = joined == null ? content : join(content);
            joined = null;
            fire(whole);
        } else {
            context.fireUserEventTriggered(oldest);
        }
    }

    private ByteBuf join(ByteBuf content) throws RdmaFlowControlException {
        ByteBuf whole = joined;
        try {
            int bytes = content.readableBytes();
            int before = whole == null ? 0 : whole.readableBytes();
            if (bytes > maxMessageBytes - before) {
                throw tooLong((long) before + bytes);
            }
            if (whole == null) {
                whole = context.alloc().directBuffer(Math.min(2 * bytes, maxMessageBytes), maxMessageBytes);
                joined = whole;
            }
            return whole.writeBytes(content);
        } finally {
            content.release();
        }
    }

    private RdmaFlowControlException tooLong(long bytes) {
        return new RdmaFlowControlException("message of the peer: " + bytes + " bytes or more (expected: at most "
                + maxMessageBytes + ", maxMessageBytes of RdmaFlowControlConfig)");
    }

    private void fire(ByteBuf content) {
        exchange.consume(); // before, as an answer of the handler can say so
        if (wanted == Wanted.ONE) {
            wanted = Wanted.NOTHING;
        }
        delivered = true;
        boolean outer = delivering;
        delivering = true;
        try {
            context.fireChannelRead(content);
        } finally {
            delivering = outer;
        }
    }

    /**
     * A batch has ended. As with any channel, it takes another read to get the next one.
     *
     * @return whether the pipeline got something
     */
    boolean complete() {
        if (!delivered) {
            return false;
        }
        delivered = false;
        if (wanted == Wanted.ALL) {
            wanted = Wanted.NOTHING;
        }
        context.fireChannelReadComplete();
        return true;
    }

    /** The peer has ended the connection: delivers what has arrived, and releases what is not whole. */
    void end() throws RdmaFlowControlException {
        try {
            Object oldest;
            while ((oldest = held.poll()) != null) {
                next(oldest);
            }
        } finally {
            release();
            complete();
        }
    }

    /** Drops what is held, and what else arrives. */
    void release() {
        closed = true;
        Object oldest;
        while ((oldest = held.poll()) != null) {
            ReferenceCountUtil.release(oldest instanceof Piece piece ? piece.content() : oldest);
        }
        ByteBuf whole = joined;
        joined = null;
        if (whole != null) {
            whole.release();
        }
    }
}
