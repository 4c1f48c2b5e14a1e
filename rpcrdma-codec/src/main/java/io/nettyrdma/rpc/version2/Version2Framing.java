// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.RemoteRefusal;
import io.nettyrdma.rpc.engine.ReplyShortage;
import io.nettyrdma.rpc.engine.SegmentLimits;
import io.nettyrdma.rpc.engine.WindowCredits;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.CallReceiver;
import io.nettyrdma.rpc.session.Framing;
import io.nettyrdma.rpc.session.InlineFrame;
import io.nettyrdma.rpc.session.LinkTerms;
import io.nettyrdma.rpc.session.ReplyReceiver;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperties;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls and replies of version 2 (draft -01) in one direction of a connection, and hands on those that were
 * received.
 *
 * <p>Headers of version 2 tell their direction, so that the two need nothing of each other.
 */
final class Version2Framing extends Framing {

    /** Most octets of a segment in a header: an entry of a read list, or a write chunk of one segment. */
    private static final int MAX_BYTES_PER_SEGMENT = ChunkLists.READ_SEGMENT_BYTES;

    private final RpcRdmaRole role;
    private final Version2Connection connection;
    private final SessionSettings settings;
    private final RpcRdmaObserver observer;
    private final boolean reverse;

    /** @param role of this side in this direction */
    Version2Framing(RpcRdmaRole role, Version2Connection connection, RpcRdmaObserver observer, boolean reverse) {
        this.role = role;
        this.connection = connection;
        this.observer = observer;
        this.reverse = reverse;
        settings = connection.settings();
    }

    @Override
    public LinkTerms terms() {
        ReverseLevel level = connection.reverseLevel();
        InlineThresholds thresholds = thresholds();
        boolean continued = !reverse || level.mayContinue(); // V2-074
        Version2Settings version2 = connection.version2();
        return new LinkTerms(
                Rdma2.VERSION,
                Rdma2.LISTS_OFFSET,
                thresholds,
                continued ? atLeast(thresholds, version2.continuationBytes()) : thresholds,
                continued ? atLeast(thresholds, version2.maxContinuedBytes()) : thresholds,
                Continuation.MIN_LAST_ROOM_BYTES,
                segmentLimits(thresholds),
                !reverse || level.mayHaveChunks(), // V2-074
                false, // V2-045, V2-054 (C58)
                true, // C59
                level);
    }

    private InlineThresholds thresholds() {
        int sent = connection.longestSend();
        int received = Math.min(connection.peer().sendBytes(), settings.inlineReceiveBytes());
        return role == RpcRdmaRole.REQUESTER
                ? new InlineThresholds(sent, received)
                : new InlineThresholds(received, sent);
    }

    /** Beyond the thresholds messages are continued. C61 */
    private static InlineThresholds atLeast(InlineThresholds thresholds, int payloadBytes) {
        int bytes = Rdma2.MIN_HEADER_BYTES + payloadBytes;
        return new InlineThresholds(Math.max(thresholds.callBytes(), bytes), Math.max(thresholds.replyBytes(), bytes));
    }

    private SegmentLimits segmentLimits(InlineThresholds thresholds) {
        int listBytes = thresholds.callBytes() - Rdma2.MIN_HEADER_BYTES - Continuation.MIN_LAST_ROOM_BYTES;
        int fitting = listBytes / MAX_BYTES_PER_SEGMENT;
        TransportProperties peer = connection.peer();
        return new SegmentLimits(peer.segmentBytes(), Math.min(peer.segmentsPerHeader(), fitting));
    }

    @Override
    public CallCredits credits(WindowCredits window) {
        return connection.callCredits(window.requested());
    }

    /** Hands on a call that is whole, and owed an answer. */
    void deliverCall(
            ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload, CallReceiver receiver, OwedAnswer answer) {
        if (isPlain(header)) {
            observer.onPlainReceived(header.xid(), header.creditGrant(), Rdma2.MIN_HEADER_BYTES, payload);
            receiver.onInlineCall(ctx, header.xid(), payload, answer);
            return;
        }
        RpcRdmaMessage call = neutral(header);
        observer.onReceived(call, Rdma2Encoder.encodedBytes(header), payload.readableBytes());
        receiver.onMessage(ctx, call, payload, handleToInvalidate(header, call.chunks()), answer);
    }

    /** Returns the handle that a call asks to invalidate, if it may (C26); 0 for none. */
    private int handleToInvalidate(Rdma2Message header, ChunkLists chunks) {
        int handle =
                header instanceof Rdma2Message.Msg msg ? msg.invHandle() : ((Rdma2Message.NoMsg) header).invHandle();
        if (handle == 0 || !connection.invalidates(reverse)) {
            return 0;
        }
        for (PlainSegment segment : chunks.segments()) {
            if (segment.handle() == handle) {
                return handle; // V2-118
            }
        }
        return 0;
    }

    /** The handle with the most octets, 0 if there is none or the peer is to invalidate nothing (C63). */
    private int nominate(ChunkLists chunks) {
        if (role == RpcRdmaRole.RESPONDER || chunks.areAbsent() || !connection.invalidates(reverse)) {
            return 0;
        }
        int largest = 0;
        long most = 0;
        int handle = 0;
        long bytes = 0;
        for (PlainSegment segment : chunks.segments()) {
            bytes = segment.handle() == handle ? bytes + segment.lengthBytes() : segment.lengthBytes();
            handle = segment.handle();
            if (bytes > most) {
                most = bytes;
                largest = handle;
            }
        }
        return largest;
    }

    /** Hands on a reply that is whole. */
    void deliverReply(Rdma2Message header, ByteBuf payload, ReplyReceiver receiver) {
        if (isPlain(header)) {
            observer.onPlainReceived(header.xid(), header.creditGrant(), Rdma2.MIN_HEADER_BYTES, payload);
            receiver.onInlineReply(header.xid(), header.creditGrant(), payload);
            return;
        }
        RpcRdmaMessage reply = neutral(header);
        observer.onReceived(reply, Rdma2Encoder.encodedBytes(header), payload.readableBytes());
        if (reply instanceof RpcRdmaMessage.NoMsg) {
            payload.release();
            receiver.onMessage(reply, null);
        } else {
            receiver.onMessage(reply, payload);
        }
    }

    /** An error says what has become of a call. */
    static void deliverError(Rdma2Message.ErrorMsg message, ReplyReceiver receiver) {
        Rdma2Error error = message.error();
        int xid = message.xid();
        long first = error.first();
        long second = error.second();
        String name = error.name();
        receiver.onRefused(
                switch (error.code()) {
                    case VERS ->
                        new RemoteRefusal(error.code(), 0, 0, RemoteErrorException.ofVersions(xid, first, second));
                    case WRITE_RESOURCE ->
                        new RemoteRefusal(
                                error.code(), second, first, new RemoteErrorException(xid, name, first, second));
                    case READ_CHUNKS, WRITE_CHUNKS, SEGMENTS, REPLY_RESOURCE ->
                        new RemoteRefusal(error.code(), first, 0, new RemoteErrorException(xid, name, first));
                    case BAD_XDR, BAD_PROPVAL, INVAL_HTYPE, INVAL_CONT, SYSTEM ->
                        new RemoteRefusal(error.code(), 0, 0, new RemoteErrorException(xid, name));
                });
    }

    /** Whether the XID of a header is all that its receiver needs. */
    private static boolean isPlain(Rdma2Message header) {
        return header instanceof Rdma2Message.Msg msg && msg.chunks().areAbsent();
    }

    private static RpcRdmaMessage neutral(Rdma2Message header) {
        long credits = header.creditGrant();
        if (header instanceof Rdma2Message.Msg msg) {
            return new RpcRdmaMessage.Msg(msg.xid(), Rdma2.VERSION, credits, msg.chunks());
        }
        Rdma2Message.NoMsg noMsg = (Rdma2Message.NoMsg) header;
        return new RpcRdmaMessage.NoMsg(noMsg.xid(), Rdma2.VERSION, credits, noMsg.chunks());
    }

    @Override
    public Object frame(
            ByteBufAllocator alloc,
            int xid,
            int credits,
            ChunkLists chunks,
            ByteBuf payload,
            int invalidateHandle,
            OwedAnswer answer) {
        int headerBytes = Rdma2Encoder.headerBytes(chunks);
        int payloadBytes = payload.readableBytes();
        observer.onSent(xid, 0, chunks, headerBytes, payloadBytes);
        return headerBytes + payloadBytes <= connection.longestSend()
                ? new Version2Send(
                        counted(answer),
                        invalidateHandle,
                        frame(alloc, xid, flags(), nominate(chunks), chunks, payload))
                : frameContinued(alloc, xid, chunks, payload, invalidateHandle, answer);
    }

    private static ByteBuf frame(
            ByteBufAllocator alloc, int xid, int flags, int nominated, ChunkLists chunks, ByteBuf payload) {
        ByteBuf header = InlineFrame.header(alloc, Rdma2Encoder.headerBytes(chunks), payload);
        Rdma2Encoder.encodeMsg(xid, 0, flags, nominated, chunks, header);
        return InlineFrame.join(alloc, header, payload);
    }

    private Version2Send frameContinued(
            ByteBufAllocator alloc,
            int xid,
            ChunkLists chunks,
            ByteBuf payload,
            int invalidateHandle,
            OwedAnswer answer) {
        List<ByteBuf> fragments = new ArrayList<>();
        int payloadBytes = payload.readableBytes();
        try {
            Continuation cut = Continuation.cut(
                    connection.longestSend(), Rdma2.MIN_HEADER_BYTES, Rdma2Encoder.headerBytes(chunks), payloadBytes);
            int last = cut.fragments() - 1;
            for (int i = 0; i <= last; i++) {
                ByteBuf part = payload.retainedSlice(payload.readerIndex() + cut.offset(i), cut.lengthBytes(i));
                fragments.add(
                        i == last
                                ? frame(alloc, xid, flags(), nominate(chunks), chunks, part)
                                : frame(alloc, xid, flags() | Rdma2.MORE, 0, ChunkLists.ABSENT, part));
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            fragments.forEach(ByteBuf::release);
            throw e;
        } finally {
            payload.release();
        }
        return new Version2Send(counted(answer), invalidateHandle, payloadBytes, fragments.toArray(new ByteBuf[0]));
    }

    @Override
    public Object frameLong(
            ByteBufAllocator alloc, int xid, int credits, ChunkLists chunks, int invalidateHandle, OwedAnswer answer) {
        ByteBuf message = connection.encode(new Rdma2Message.NoMsg(xid, 0, flags(), nominate(chunks), chunks));
        observer.onSent(new RpcRdmaMessage.NoMsg(xid, Rdma2.VERSION, 0, chunks), message.readableBytes());
        return new Version2Send(counted(answer), invalidateHandle, message);
    }

    private int flags() {
        return role == RpcRdmaRole.REQUESTER ? 0 : Rdma2.RESPONSE; // V2-069, V2-071
    }

    /** Returns the answer that a message is, {@code null} for a call. */
    private CreditLedger.@Nullable Answer counted(OwedAnswer answer) {
        return role == RpcRdmaRole.REQUESTER ? null : (CreditLedger.Answer) answer;
    }

    @Override
    public Object frameError(
            ByteBufAllocator alloc, int xid, int credits, @Nullable ReplyShortage shortage, OwedAnswer answer) {
        return connection.frameError(observer, xid, error(shortage), (CreditLedger.Answer) answer);
    }

    private static Rdma2Error error(@Nullable ReplyShortage shortage) {
        if (shortage == null) {
            return Rdma2Error.SYSTEM;
        }
        return shortage.writeChunk() == 0
                ? Rdma2Error.replyResource(shortage.bytes()) // V2-153
                : Rdma2Error.writeResource(shortage.writeChunk(), shortage.bytes()); // V2-151, V2-152 (C14)
    }

    @Override
    public Object frameAnswer(ByteBufAllocator alloc, Rejection rejection, int credits, OwedAnswer answer) {
        return connection.frameError(observer, rejection.xid(), answerTo(rejection), (CreditLedger.Answer) answer);
    }

    @Override
    public Rejection reported(Rejection rejection) {
        return new Rejection(
                Rejection.Reaction.RDMA2_ERROR,
                rejection.xid(),
                rejection.version(),
                answerTo(rejection).name() + ", " + rejection.what(),
                rejection.octet(),
                rejection.found(),
                rejection.expected(),
                rejection.option(),
                rejection.ownLimit());
    }

    /** The draft has no error of its own for a call beyond a limit or the memory of this side. */
    private static Rdma2Error answerTo(Rejection rejection) {
        return rejection.ownLimit() ? Rdma2Error.SYSTEM : Rdma2Error.BAD_XDR; // V2-157
    }

    @Override
    protected void write(ChannelHandlerContext ctx, Object framed, ChannelPromise promise) {
        connection.write((Version2Send) framed, promise);
    }

    @Override
    public void discard(Object framed) {
        ((Version2Send) framed).release();
    }
}
