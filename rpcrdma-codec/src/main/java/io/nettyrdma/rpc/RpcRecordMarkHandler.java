// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.PromiseNotifier;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Adds record marks (RFC 5531, section 11) for RPC stacks that require them; RPC-over-RDMA has none (RFC 8166, section
 * 3.2). Add this handler between {@link RpcRdmaResponderHandler} or {@link RpcRdmaRequesterHandler} and the frame
 * decoder of a stack made for TCP, which then runs unchanged.
 *
 * <p><b>Inbound</b> this handler prepends a mark to each message, which becomes a single fragment. <b>Outbound</b> it
 * treats buffers as a byte stream: it joins fragments, removes marks and passes on each record as one buffer. It passes
 * on a buffer that is exactly one record of one fragment, the usual case, as it is, and copies pieces. The promise of a
 * buffer completes with the record that contains its last byte.
 *
 * <p>An outbound record longer than the limit fails with {@link TooLongFrameException}. This handler then closes the
 * channel, because the start of the next record is unknown.
 *
 * <p>Threading: confined to the executor of the handler, one instance per channel. Ownership: buffers written down
 * belong to this handler until they are passed on.
 */
public final class RpcRecordMarkHandler extends ChannelDuplexHandler {

    private static final int MARK_BYTES = 4;
    private static final int LAST_FRAGMENT = 0x80000000;
    private static final int DEFAULT_MAX_RECORD_BYTES = 16 << 20;

    private final int maxRecordBytes;

    /** Promises of buffers that end within the current record. */
    private final Queue<ChannelPromise> pending = new ArrayDeque<>();

    /** The fragments of the current record, without marks; {@code null} between records. */
    private @Nullable ByteBuf record;

    private int mark;
    private int markBytesMissing = MARK_BYTES;
    private int fragmentBytesMissing;

    /** Creates a handler for outbound records of up to 16 MiB. */
    public RpcRecordMarkHandler() {
        this(DEFAULT_MAX_RECORD_BYTES);
    }

    /**
     * @param maxRecordBytes longest outbound record in bytes, without marks: 1 to 2<sup>31</sup>-1; an incomplete
     *                       record occupies up to this much memory
     */
    public RpcRecordMarkHandler(int maxRecordBytes) {
        if (maxRecordBytes < 1) {
            throw new IllegalArgumentException("maxRecordBytes: " + maxRecordBytes + " (expected: > 0)");
        }
        this.maxRecordBytes = maxRecordBytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!(msg instanceof ByteBuf message)) {
            ctx.fireChannelRead(msg);
            return;
        }
        final ByteBuf mark;
        try {
            mark = ctx.alloc().buffer(MARK_BYTES).writeInt(LAST_FRAGMENT | message.readableBytes());
        } catch (RuntimeException | OutOfMemoryError e) {
            message.release();
            throw e;
        }
        ctx.fireChannelRead(
                ctx.alloc().compositeBuffer(2).addComponent(true, mark).addComponent(true, message));
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        if (!(msg instanceof ByteBuf buffer) || !buffer.isReadable()) {
            ctx.write(msg, promise);
        } else if (record == null && markBytesMissing == MARK_BYTES && isOneRecord(buffer)) {
            ctx.write(buffer.skipBytes(MARK_BYTES), promise);
        } else {
            append(ctx, buffer, promise.unvoid());
        }
    }

    private boolean isOneRecord(ByteBuf buffer) {
        int bytes = buffer.readableBytes() - MARK_BYTES;
        return bytes > 0 && bytes <= maxRecordBytes && buffer.getInt(buffer.readerIndex()) == (LAST_FRAGMENT | bytes);
    }

    private void append(ChannelHandlerContext ctx, ByteBuf buffer, ChannelPromise promise) {
        try {
            while (buffer.isReadable()) {
                if (consume(ctx, buffer)) {
                    passOn(ctx, buffer.isReadable() ? null : promise);
                } else if (!buffer.isReadable()) {
                    pending.add(promise);
                }
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            // The rest of the stream cannot be parsed.
            abandon(e);
            promise.tryFailure(e);
            ctx.close();
        } finally {
            buffer.release();
        }
    }

    /** Consumes bytes of a mark or a fragment; returns whether they complete the record. */
    private boolean consume(ChannelHandlerContext ctx, ByteBuf buffer) {
        for (; markBytesMissing > 0 && buffer.isReadable(); markBytesMissing--) {
            mark = mark << 8 | buffer.readUnsignedByte();
            if (markBytesMissing == 1) {
                beginFragment(ctx, mark & ~LAST_FRAGMENT);
            }
        }
        if (markBytesMissing > 0 || record == null) {
            return false;
        }
        int bytes = Math.min(fragmentBytesMissing, buffer.readableBytes());
        record.writeBytes(buffer, bytes);
        fragmentBytesMissing -= bytes;
        if (fragmentBytesMissing > 0) {
            return false;
        }
        markBytesMissing = MARK_BYTES;
        return (mark & LAST_FRAGMENT) != 0;
    }

    private void beginFragment(ChannelHandlerContext ctx, int bytes) {
        int bytesBefore = record == null ? 0 : record.readableBytes();
        if (bytes > maxRecordBytes - bytesBefore) {
            throw new TooLongFrameException("outbound record of more than " + maxRecordBytes + " bytes: " + bytesBefore
                    + " and a fragment of " + bytes);
        }
        if (record == null) {
            record = ctx.alloc().buffer(bytes);
        }
        fragmentBytesMissing = bytes;
    }

    private void passOn(ChannelHandlerContext ctx, @Nullable ChannelPromise promise) {
        ChannelPromise passedOn = ctx.newPromise();
        for (ChannelPromise piece = pending.poll(); piece != null; piece = pending.poll()) {
            PromiseNotifier.cascade(passedOn, piece);
        }
        if (promise != null) {
            PromiseNotifier.cascade(passedOn, promise);
        }
        ByteBuf complete = Objects.requireNonNull(record);
        record = null;
        ctx.write(complete, passedOn);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        abandon(new ClosedChannelException());
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        abandon(new ClosedChannelException());
    }

    private void abandon(Throwable cause) {
        ReferenceCountUtil.release(record);
        record = null;
        markBytesMissing = MARK_BYTES;
        for (ChannelPromise piece = pending.poll(); piece != null; piece = pending.poll()) {
            piece.tryFailure(cause);
        }
    }
}
