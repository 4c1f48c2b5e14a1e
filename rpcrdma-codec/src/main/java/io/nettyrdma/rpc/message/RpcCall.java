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
package io.nettyrdma.rpc.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call that says more than its octets do. Written or given to {@link io.nettyrdma.rpc.RpcRdmaRequester#call(RpcCall,
 * java.time.Duration)} in place of a plain {@code ByteBuf}; each of the methods returns this call with one more
 * statement.
 *
 * <p>Threading: immutable, but for its reference count. Ownership: one reference of the message belongs to the call and
 * passes to whoever the call is given to. The target of {@link #replyInto} stays its owner's.
 */
public final class RpcCall extends DefaultByteBufHolder {

    /** What the application knows of the call; apart, so that a call of which nothing is known stays a small object. */
    private record Hints(
            @Nullable List<XdrItem> reducibleArguments,
            @Nullable ByteBuf replyTarget,
            int maxReplyBytes,
            boolean isRepeatable) {

        static final Hints NONE = new Hints(null, null, 0, false);
    }

    private final Hints hints;

    private RpcCall(ByteBuf message, Hints hints) {
        super(message);
        this.hints = hints;
    }

    /**
     * A call of which only the message is known.
     *
     * @param message RPC message from its XID on, no record mark. May be a composite of several buffers; an argument
     *                that lies in one direct buffer is sent from there without a copy
     */
    public static RpcCall of(ByteBuf message) {
        return new RpcCall(message, Hints.NONE);
    }

    /**
     * Says which arguments may be sent as read chunks, instead of the upper-layer binding. Has no effect if the call is
     * protected by RPCSEC_GSS (RFC 8166, section 8.2.2) or its header cannot be understood.
     *
     * @param items where their content lies in the message, in ascending order, without overlap
     * @throws IllegalArgumentException if an item lies outside the message or overlaps the one before
     */
    public RpcCall reducing(List<XdrItem> items) {
        long end = 4; // position 0 would be the whole call
        for (XdrItem item : items) {
            long itemEnd = item.offset() + Xdr.padded((long) item.lengthBytes());
            if (item.offset() < end || itemEnd > content().readableBytes()) {
                throw new IllegalArgumentException(
                        item + " in a message of " + content().readableBytes() + " octets, not before octet " + end);
            }
            end = itemEnd;
        }
        return new RpcCall(
                content(),
                new Hints(List.copyOf(items), hints.replyTarget(), hints.maxReplyBytes(), hints.isRepeatable()));
    }

    /**
     * Names the memory that the first reducible result is to be written to, by the responder itself. The reply contains
     * the result in any case; if it is in the target, the target's writer index has moved behind it when the call
     * completes. Has no effect if the upper-layer binding knows no reducible result of this call.
     *
     * @param target one direct buffer whose writable octets take the longest possible result. Not to be touched until
     *               the call completes, in whatever way; the reply refers to it, so it must not be reused before the
     *               reply is released
     * @throws IllegalArgumentException if it is not one writable direct buffer
     */
    public RpcCall replyInto(ByteBuf target) {
        if (!target.isDirect() || target.nioBufferCount() != 1 || target.isReadOnly()) {
            throw new IllegalArgumentException("not one writable direct buffer: " + target);
        }
        return new RpcCall(
                content(), new Hints(hints.reducibleArguments(), target, hints.maxReplyBytes(), hints.isRepeatable()));
    }

    /**
     * Says how long the whole reply can get, instead of the upper-layer binding. A longer one is answered by the
     * responder with {@code ERR_CHUNK}; one that may exceed the inline threshold costs the registration of that much
     * memory.
     *
     * @param bytes octets from the XID on, at least 24
     */
    public RpcCall maxReplyBytes(int bytes) {
        if (bytes < RpcMessage.ACCEPTED_REPLY_BYTES) {
            throw new IllegalArgumentException("maxReplyBytes: " + bytes + " (expected: 24 or more)");
        }
        return new RpcCall(
                content(), new Hints(hints.reducibleArguments(), hints.replyTarget(), bytes, hints.isRepeatable()));
    }

    /**
     * Says that it does no harm if the call is executed twice, as one that only reads. Where version 2 of the protocol
     * is spoken, such a call is made again, once, if its reply turns out to be longer than expected: with as much room
     * as the responder says that it needs. The upper-layer binding may know it as well.
     */
    public RpcCall repeatable() {
        return new RpcCall(
                content(), new Hints(hints.reducibleArguments(), hints.replyTarget(), hints.maxReplyBytes(), true));
    }

    /** What was given to {@link #reducing}; {@code null} leaves it to the binding. */
    public @Nullable List<XdrItem> reducibleArguments() {
        return hints.reducibleArguments();
    }

    /** What was given to {@link #replyInto}, if anything. */
    public @Nullable ByteBuf replyTarget() {
        return hints.replyTarget();
    }

    /** What was given to {@link #maxReplyBytes(int)}; 0 leaves it to the binding. */
    public int maxReplyBytes() {
        return hints.maxReplyBytes();
    }

    /** Whether {@link #repeatable} has said so; otherwise the binding is asked. */
    public boolean isRepeatable() {
        return hints.isRepeatable();
    }

    /** The same statements about another message, which must have the same layout. */
    @Override
    public RpcCall replace(ByteBuf message) {
        return new RpcCall(message, hints);
    }

    @Override
    public RpcCall retainedDuplicate() {
        return (RpcCall) super.retainedDuplicate();
    }

    @Override
    public RpcCall retain() {
        super.retain();
        return this;
    }
}
