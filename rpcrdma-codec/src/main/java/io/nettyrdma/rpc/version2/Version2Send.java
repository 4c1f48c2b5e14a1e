// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One or several messages of version 2 that follow each other, framed but for their credits, which are known when they
 * are sent.
 *
 * <p>Ownership: of each message until it is taken.
 */
final class Version2Send implements OutboundQueue.Item {

    private final OutboundQueue.Kind kind;
    private final CreditLedger.@Nullable Answer answer;
    private final int invalidateHandle;
    private final int payloadBytes;
    private final boolean followed;
    /** Of several messages; {@code null} for a single one, as most are. */
    private final ByteBuf @Nullable [] fragments;

    private final ByteBuf first;
    private int taken;
    private @Nullable ChannelPromise promise;

    /**
     * @param answer           that it is; {@code null} for a call
     * @param invalidateHandle of the peer, to be invalidated by the Send; 0 for none
     */
    Version2Send(CreditLedger.@Nullable Answer answer, int invalidateHandle, ByteBuf message) {
        this(kind(answer), answer, invalidateHandle, 0, false, message, null);
    }

    /** @param payloadBytes octets that follow the headers of all fragments */
    Version2Send(CreditLedger.@Nullable Answer answer, int invalidateHandle, int payloadBytes, ByteBuf... fragments) {
        this(kind(answer), answer, invalidateHandle, payloadBytes, false, fragments[0], fragments);
    }

    private static OutboundQueue.Kind kind(CreditLedger.@Nullable Answer answer) {
        return answer == null ? OutboundQueue.Kind.CALL : OutboundQueue.Kind.ANSWER;
    }

    /** @param followed whether another set of properties follows this one */
    static Version2Send properties(boolean followed, ByteBuf... messages) {
        return new Version2Send(OutboundQueue.Kind.PROPERTIES, null, 0, 0, followed, messages[0], messages);
    }

    private Version2Send(
            OutboundQueue.Kind kind,
            CreditLedger.@Nullable Answer answer,
            int invalidateHandle,
            int payloadBytes,
            boolean followed,
            ByteBuf first,
            ByteBuf @Nullable [] fragments) {
        this.kind = kind;
        this.answer = answer;
        this.payloadBytes = payloadBytes;
        this.followed = followed;
        this.first = first;
        this.fragments = fragments;
        this.invalidateHandle = invalidateHandle;
    }

    @Override
    public OutboundQueue.Kind kind() {
        return kind;
    }

    @Override
    public CreditLedger.@Nullable Answer answer() {
        return answer;
    }

    @Override
    public int messages() {
        return fragments == null ? 1 : fragments.length;
    }

    /** Octets of all messages that follow their headers, if there are several. */
    int payloadBytes() {
        return payloadBytes;
    }

    @Override
    public boolean isFollowed() {
        return followed;
    }

    int invalidateHandle() {
        return invalidateHandle;
    }

    /** Sets what completes with the last Send. */
    Version2Send with(ChannelPromise promise) {
        this.promise = promise;
        return this;
    }

    ChannelPromise promise() {
        return Objects.requireNonNull(promise, "framed, but not written");
    }

    /** Returns the XID of the next message; at least one must be left. */
    @Override
    public int xid() {
        ByteBuf next = next();
        return next.getInt(next.readerIndex());
    }

    /** The next message, now the caller's. */
    ByteBuf take() {
        ByteBuf next = next();
        taken++;
        return next;
    }

    private ByteBuf next() {
        return fragments == null ? first : fragments[taken];
    }

    /** Releases the messages that were not taken, as the connection ends. */
    void release() {
        while (taken < messages()) {
            take().release();
        }
    }

    /** It is not sent, or not to its end. */
    void fail(Throwable cause) {
        release();
        promise().tryFailure(cause);
    }
}
