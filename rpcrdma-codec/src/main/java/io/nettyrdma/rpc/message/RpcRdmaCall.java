// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.nettyrdma.internal.Ranges;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call with hints. Write it, or pass it to {@link io.nettyrdma.rpc.RpcRdmaRequester#call(RpcRdmaCall,
 * java.time.Duration)}, instead of a plain {@code ByteBuf}. Each method that adds a hint returns a new call.
 *
 * <p>Threading: immutable, but for its reference count. Ownership: the call owns one reference of the message; it
 * passes to the method or handler that takes the call. The target of {@link #replyInto(ByteBuf, int)} stays with its
 * owner.
 */
public final class RpcRdmaCall extends DefaultByteBufHolder {

    /** The hints of a call, in an object of their own: a call without hints stays small. */
    private record Hints(
            @Nullable List<XdrItem> reducibleArguments,
            @Nullable ByteBuf replyTarget,
            int replyTargetIndex,
            int maxReplyBytes,
            boolean isRepeatable) {

        static final Hints NONE = new Hints(null, null, AT_WRITER_INDEX, 0, false);
    }

    private static final int AT_WRITER_INDEX = -1;

    private final Hints hints;

    private RpcRdmaCall(ByteBuf message, Hints hints) {
        super(message);
        this.hints = hints;
    }

    /**
     * Returns a call without hints.
     *
     * @param message RPC message from its XID on, without record mark. May be a composite buffer; an argument in one
     *                direct buffer is sent without a copy
     */
    public static RpcRdmaCall of(ByteBuf message) {
        return new RpcRdmaCall(message, Hints.NONE);
    }

    /**
     * Names the arguments that may be sent as read chunks, overriding the upper-layer binding. Has no effect if
     * RPCSEC_GSS protects the call (RFC 8166, section 8.2.2) or its header cannot be decoded.
     *
     * @param items positions of their content in the message, in ascending order, without overlap
     * @throws IllegalArgumentException if an item lies outside the message or overlaps the one before
     */
    public RpcRdmaCall reducing(List<XdrItem> items) {
        long end = 4; // position 0 would be the whole call
        for (XdrItem item : items) {
            long itemEnd = item.offset() + XdrLengths.padded((long) item.lengthBytes());
            if (item.offset() < end || itemEnd > content().readableBytes()) {
                throw new IllegalArgumentException(
                        item + " in a message of " + content().readableBytes() + " bytes, not before byte " + end);
            }
            end = itemEnd;
        }
        return new RpcRdmaCall(
                content(),
                new Hints(
                        List.copyOf(items),
                        hints.replyTarget(),
                        hints.replyTargetIndex(),
                        hints.maxReplyBytes(),
                        hints.isRepeatable()));
    }

    /**
     * Names the memory into which the responder writes the first reducible result, from the target's writer index on.
     * If the result is in the target, the writer index is behind it when the call completes. Otherwise as
     * {@link #replyInto(ByteBuf, int)}.
     *
     * @param target one direct buffer whose writable bytes, up to its capacity, take the longest possible result. Do
     *               not touch it until the call completes or fails, nor reuse it before the reply, which refers to it,
     *               is released
     * @throws IllegalArgumentException if it is not one writable direct buffer; the call stays with the caller
     */
    public RpcRdmaCall replyInto(ByteBuf target) {
        return replyIntoChecked(target, AT_WRITER_INDEX);
    }

    /**
     * Names the memory into which the responder writes the first reducible result (RFC 8166, section 3.4.6), from an
     * index of the target on. The indices of the target stay as they are. Several calls may share a target, if the
     * longest result of each ends before the next begins.
     *
     * <p>The reply always contains the result. It is not in the target if the peer does not write it there, or if the
     * connection has no chunks, as for calls of a server to its client in version 1.
     *
     * <p>If the target cannot have an effect, the call fails when the handler of a connection takes it, before anything
     * is sent: with {@code IllegalArgumentException} if the upper-layer binding knows no reducible result of this call,
     * if RPCSEC_GSS protects the call, or if {@link io.nettyrdma.rpc.RpcRdmaConfig.Builder#maxChunkBytesPerCall} is 0;
     * with {@link io.nettyrdma.rpc.error.MessageTooLargeException} if the target is too small.
     *
     * @param target one direct buffer. Do not touch the bytes of the longest possible result until the call completes
     *               or fails, nor reuse them before the reply, which refers to them, is released
     * @param index  of the first byte of the result in the target, 0 to its capacity. From there to the capacity is
     *               room for the longest possible result
     * @throws IllegalArgumentException if it is not one writable direct buffer, or the index is out of range; the call
     *                                  stays with the caller
     */
    public RpcRdmaCall replyInto(ByteBuf target, int index) {
        return replyIntoChecked(target, Ranges.require("index", index, 0, target.capacity()));
    }

    private RpcRdmaCall replyIntoChecked(ByteBuf target, int index) {
        if (!target.isDirect() || target.nioBufferCount() != 1 || target.isReadOnly()) {
            throw new IllegalArgumentException("not one writable direct buffer: " + target);
        }
        return new RpcRdmaCall(
                content(),
                new Hints(hints.reducibleArguments(), target, index, hints.maxReplyBytes(), hints.isRepeatable()));
    }

    /**
     * Bounds the length of the whole reply, overriding the upper-layer binding. If the reply is longer, the responder
     * answers {@code ERR_CHUNK}. A bound beyond the inline threshold costs the registration of that much memory.
     *
     * @param bytes from the XID on, at least 24
     * @throws IllegalArgumentException if less; the call stays with the caller
     */
    public RpcRdmaCall maxReplyBytes(int bytes) {
        if (bytes < RpcHeaders.ACCEPTED_REPLY_BYTES) {
            throw new IllegalArgumentException("maxReplyBytes: " + bytes + " (expected: 24 or more)");
        }
        return new RpcRdmaCall(
                content(),
                new Hints(
                        hints.reducibleArguments(),
                        hints.replyTarget(),
                        hints.replyTargetIndex(),
                        bytes,
                        hints.isRepeatable()));
    }

    /**
     * Marks the call as safe to execute twice, such as one that only reads. In version 2 of the protocol the requester
     * repeats such a call once if its reply is longer than expected, with the room that the responder asks for. The
     * upper-layer binding can also mark calls as repeatable.
     */
    public RpcRdmaCall repeatable() {
        return new RpcRdmaCall(
                content(),
                new Hints(
                        hints.reducibleArguments(),
                        hints.replyTarget(),
                        hints.replyTargetIndex(),
                        hints.maxReplyBytes(),
                        true));
    }

    /** Returns the items given to {@link #reducing}; {@code null} if the binding decides. */
    public @Nullable List<XdrItem> reducibleArguments() {
        return hints.reducibleArguments();
    }

    /** Returns the buffer given to {@link #replyInto(ByteBuf, int)}; {@code null} if none. */
    public @Nullable ByteBuf replyTarget() {
        return hints.replyTarget();
    }

    /** Returns the index given to {@link #replyInto(ByteBuf, int)}; -1 if the writer index of the target counts. */
    public int replyTargetIndex() {
        return hints.replyTargetIndex();
    }

    /** Returns the bound given to {@link #maxReplyBytes(int)}; 0 if the binding decides. */
    public int maxReplyBytes() {
        return hints.maxReplyBytes();
    }

    /** Returns whether {@link #repeatable} was called; otherwise the binding decides. */
    public boolean isRepeatable() {
        return hints.isRepeatable();
    }

    /** Returns a call with the same hints for another message, which must have the same layout. */
    @Override
    public RpcRdmaCall replace(ByteBuf message) {
        return new RpcRdmaCall(message, hints);
    }

    @Override
    public RpcRdmaCall retainedDuplicate() {
        return (RpcRdmaCall) super.retainedDuplicate();
    }

    @Override
    public RpcRdmaCall retain() {
        super.retain();
        return this;
    }
}
