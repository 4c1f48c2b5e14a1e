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
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.channel.RdmaWorkRequestException;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.Continuation;
import io.nettyrdma.rpc.engine.CreditLedger;
import io.nettyrdma.rpc.engine.LedgerCredits;
import io.nettyrdma.rpc.engine.OutboundQueue;
import io.nettyrdma.rpc.engine.OutboundQueue.Kind;
import io.nettyrdma.rpc.engine.ReplyShortage;
import io.nettyrdma.rpc.engine.SegmentLimits;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.v2.Rdma2Limits;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Sequence;
import io.nettyrdma.rpc.wire.v2.TransportProperties;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Version 2 (draft -01): each message takes a credit, so what is written waits in a queue until there is one, and its
 * header gets its credit word when it is sent.
 */
final class Version2Link extends MessageLink {

    /** Answers and messages of properties that wait, beyond the calls that they could be for. */
    private static final int MORE_ANSWERS = 64;

    /** What a segment takes in a header at most: an entry of a read list, or a write chunk of one segment. */
    private static final int MAX_BYTES_PER_SEGMENT = ChunkLists.READ_SEGMENT_BYTES;

    /** Without a fragment the others make no message. A work request that fails says more, and takes the rest along. */
    private static final ChannelFutureListener CLOSE_ON_GAP = future -> {
        if (!future.isSuccess() && !(future.cause() instanceof RdmaWorkRequestException)) {
            future.channel().close();
        }
    };

    private final RpcRdmaRole role;
    private final SessionSettings settings;
    private final CreditLedger ledger;
    private final OutboundQueue<Version2Send> queue;
    private final Rdma2Decoder decoder;
    private TransportProperties peer = TransportProperties.DEFAULTS;
    /** Whether messages have come that {@link #onReadCompleted} has not followed yet. */
    private boolean inBatch;

    private boolean sentInBatch;
    private boolean flushWanted;
    private boolean closed;

    Version2Link(RpcRdmaRole role, SessionSettings settings, RpcRdmaObserver observer) {
        super(observer, false);
        this.role = role;
        this.settings = settings;
        VersionSettings versions = settings.versions();
        boolean calls = role == RpcRdmaRole.REQUESTER;
        int base = calls ? versions.fragments() + settings.reverseCredits() : versions.grantCredits();
        int own = calls ? versions.callCredits() : Math.max(1, settings.reverseCredits());
        ledger = new CreditLedger(base, own);
        queue = new OutboundQueue<>(ledger, base + MORE_ANSWERS, own);
        decoder = new Rdma2Decoder(limits(), calls ? Direction.REPLY : Direction.CALL);
    }

    private Rdma2Limits limits() {
        var limits = settings.decodeLimits();
        return new Rdma2Limits(
                limits.maxSegmentsPerChunk(),
                limits.maxReadChunks(),
                limits.maxWriteChunks(),
                limits.maxReadChunkBytes());
    }

    /** What this side tells of itself. */
    private List<TransportProperty> properties() {
        return List.of(
                TransportProperty.sendBytes(settings.inlineSendBytes()),
                TransportProperty.receiveBytes(settings.inlineReceiveBytes()),
                TransportProperty.segmentBytes(1L << 30),
                TransportProperty.segmentsPerHeader(settings.decodeLimits().maxSegmentsPerChunk()));
    }

    @Override
    public MessageLink reversed() {
        throw new UnsupportedOperationException("the reverse direction of version 2");
    }

    @Override
    public void passReverse(boolean pass) {}

    @Override
    public CallCredits callCredits(int requested) {
        return new LedgerCredits(ledger, queue, requested);
    }

    @Override
    public int version() {
        return Rdma2.VERSION;
    }

    @Override
    public int listsOffset() {
        return Rdma2.LISTS_OFFSET;
    }

    @Override
    public InlineThresholds thresholds() {
        int sent = Math.min(settings.inlineSendBytes(), peer.receiveBytes()); // C24
        int received = Math.min(peer.sendBytes(), settings.inlineReceiveBytes());
        return role == RpcRdmaRole.REQUESTER
                ? new InlineThresholds(sent, received)
                : new InlineThresholds(received, sent);
    }

    /** Beyond the thresholds messages are continued. C61 */
    @Override
    public InlineThresholds withoutChunks(boolean chunksPossible) {
        VersionSettings versions = settings.versions();
        int bytes =
                Rdma2.MIN_HEADER_BYTES + (chunksPossible ? versions.continuationBytes() : versions.maxContinuedBytes());
        InlineThresholds thresholds = thresholds();
        return new InlineThresholds(Math.max(thresholds.callBytes(), bytes), Math.max(thresholds.replyBytes(), bytes));
    }

    @Override
    public SegmentLimits segmentLimits() {
        int listBytes = thresholds().callBytes() - Rdma2.MIN_HEADER_BYTES - Continuation.MIN_LAST_ROOM_BYTES;
        int fitting = listBytes / MAX_BYTES_PER_SEGMENT;
        return new SegmentLimits(peer.segmentBytes(), Math.min(peer.segmentsPerHeader(), fitting));
    }

    /** It is spoken when properties are exchanged, and not before. */
    @Override
    public boolean isAgreed() {
        return true;
    }

    /** A set of the peer's properties is whole. */
    void apply(List<TransportProperty> set) {
        peer = peer.apply(set, Math.max(settings.inlineSendBytes(), settings.inlineReceiveBytes()));
    }

    /**
     * Decodes a message that has come, and takes its credits, whatever becomes of it.
     *
     * @param sequence which sequence it arrives in
     */
    Rdma2Decoded take(ByteBuf message, Rdma2Sequence sequence) {
        Rdma2Decoded decoded = decoder.decode(message, sequence);
        inBatch = true;
        if (Rdma2.isIn(message)) {
            if (!(decoded instanceof Rdma2Message.CreditGrant)) {
                ledger.onReceived();
            }
            if (!isErrVers(decoded)) {
                ledger.onGranted(Rdma2.credits(message)); // C43
            }
        }
        return decoded;
    }

    private static boolean isErrVers(Rdma2Decoded decoded) {
        return decoded instanceof Rdma2Message.ErrorMsg error && error.error().code() == Rdma2ErrorCode.VERS;
    }

    Rdma2Decoder decoder() {
        return decoder;
    }

    @Override
    public void receiveCall(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver) {
        throw new IllegalStateException("whoever has found the version joins fragments");
    }

    @Override
    public void receiveReply(ChannelHandlerContext ctx, ByteBuf message, ReplyReceiver receiver) {
        throw new IllegalStateException("whoever has found the version joins fragments");
    }

    /** The first fragment of a call has come. */
    void onCallArriving() {
        ledger.onCallArriving();
    }

    /** That call never will be whole. */
    void onArrivingDropped() {
        ledger.onCallDropped();
    }

    /** Hands on a call that is whole, and owed an answer. */
    void deliverCall(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload, CallReceiver receiver) {
        if (isPlain(header)) {
            receiver.onInlineCall(ctx, header.xid(), payload);
            return;
        }
        RpcRdmaMessage call = neutral(header);
        observer().onReceived(ctx, call, Rdma2Encoder.encodedBytes(header), payload.readableBytes());
        if (call.chunks().areAbsent()) {
            receiver.onInlineCall(ctx, call.xid(), payload);
        } else {
            receiver.onMessage(ctx, call, payload);
        }
    }

    /** Hands on a reply that is whole. */
    void deliverReply(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload, ReplyReceiver receiver) {
        if (isPlain(header)) {
            receiver.onInlineReply(header.xid(), header.creditGrant(), payload);
            return;
        }
        RpcRdmaMessage reply = neutral(header);
        observer().onReceived(ctx, reply, Rdma2Encoder.encodedBytes(header), payload.readableBytes());
        if (reply instanceof RpcRdmaMessage.NoMsg) {
            payload.release();
            receiver.onMessage(reply, null);
        } else {
            receiver.onMessage(reply, payload);
        }
    }

    /** Whether nobody needs to know more of a header than its XID. */
    private boolean isPlain(Rdma2Message header) {
        return !observer().listens()
                && header instanceof Rdma2Message.Msg msg
                && msg.chunks().areAbsent();
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
            ChannelHandlerContext ctx, int xid, int credits, ChunkLists chunks, ByteBuf payload, int invalidateHandle) {
        int headerBytes = Rdma2Encoder.headerBytes(chunks);
        int payloadBytes = payload.readableBytes();
        if (observer().listens()) {
            observer().onSent(ctx, new RpcRdmaMessage.Msg(xid, version(), 0, chunks), headerBytes, payloadBytes);
        }
        return headerBytes + payloadBytes <= longestSend()
                ? new Version2Send(kind(), invalidateHandle, frame(ctx, xid, flags(), chunks, payload))
                : frameContinued(ctx, xid, chunks, payload, invalidateHandle);
    }

    private static ByteBuf frame(ChannelHandlerContext ctx, int xid, int flags, ChunkLists chunks, ByteBuf payload) {
        ByteBuf header = InlineFrame.header(ctx, Rdma2Encoder.headerBytes(chunks), payload);
        Rdma2Encoder.encodeMsg(xid, 0, flags, 0, chunks, header);
        return InlineFrame.join(ctx, header, payload);
    }

    private Version2Send frameContinued(
            ChannelHandlerContext ctx, int xid, ChunkLists chunks, ByteBuf payload, int invalidateHandle) {
        List<ByteBuf> fragments = new ArrayList<>();
        try {
            Continuation cut = Continuation.cut(
                    longestSend(), Rdma2.MIN_HEADER_BYTES, Rdma2Encoder.headerBytes(chunks), payload.readableBytes());
            int last = cut.fragments() - 1;
            for (int i = 0; i <= last; i++) {
                ByteBuf part = payload.retainedSlice(payload.readerIndex() + cut.offset(i), cut.lengthBytes(i));
                fragments.add(
                        i == last
                                ? frame(ctx, xid, flags(), chunks, part)
                                : frame(ctx, xid, flags() | Rdma2.MORE, ChunkLists.ABSENT, part));
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            fragments.forEach(ByteBuf::release);
            throw e;
        } finally {
            payload.release();
        }
        return new Version2Send(kind(), invalidateHandle, fragments.toArray(new ByteBuf[0]));
    }

    private int longestSend() {
        InlineThresholds thresholds = thresholds();
        return role == RpcRdmaRole.REQUESTER ? thresholds.callBytes() : thresholds.replyBytes();
    }

    @Override
    public Object frameLong(ChannelHandlerContext ctx, int xid, int credits, ChunkLists chunks, int invalidateHandle) {
        ByteBuf message = encode(ctx, new Rdma2Message.NoMsg(xid, 0, flags(), 0, chunks));
        observer().onSent(ctx, new RpcRdmaMessage.NoMsg(xid, version(), 0, chunks), message.readableBytes(), 0);
        return new Version2Send(kind(), invalidateHandle, message);
    }

    private int flags() {
        return role == RpcRdmaRole.REQUESTER ? 0 : Rdma2.RESPONSE;
    }

    private Kind kind() {
        return role == RpcRdmaRole.REQUESTER ? Kind.CALL : Kind.ANSWER;
    }

    @Override
    public Object frameError(ChannelHandlerContext ctx, int xid, int credits, @Nullable ReplyShortage shortage) {
        return frameError(ctx, xid, error(shortage));
    }

    private static Rdma2Error error(@Nullable ReplyShortage shortage) {
        if (shortage == null) {
            return Rdma2Error.SYSTEM;
        }
        return shortage.writeChunk() == 0
                ? Rdma2Error.replyResource(shortage.bytes())
                : Rdma2Error.writeResource(shortage.writeChunk(), shortage.bytes()); // C14
    }

    @Override
    public Object frameAnswer(ChannelHandlerContext ctx, Rejection rejection, int credits) {
        // What a limit of this side excludes has no error of its own.
        Rdma2ErrorCode code = rejection.option() == null ? Rdma2ErrorCode.BAD_XDR : Rdma2ErrorCode.SYSTEM;
        return frameError(ctx, rejection.xid(), Rdma2Error.of(code));
    }

    /** An error in answer to a message of the peer. */
    Version2Send frameError(ChannelHandlerContext ctx, int xid, Rdma2Error error) {
        return new Version2Send(Kind.ANSWER, 0, encode(ctx, Rdma2Message.ErrorMsg.of(xid, 0, error)));
    }

    /** Something has come that is to be answered by an error, for which a credit stays with the peer until then. */
    void owe() {
        ledger.onAnswerOwed();
    }

    /** Answers what is owed. */
    void answer(ChannelHandlerContext ctx, int xid, Rdma2Error error) {
        final Version2Send answer;
        try {
            answer = frameError(ctx, xid, error);
        } catch (OutOfMemoryError e) {
            ctx.close(); // nobody is to wait for it
            return;
        }
        send(ctx, answer);
    }

    /** Sends own properties, all in one message. */
    void offer(ChannelHandlerContext ctx, int xid) {
        send(
                ctx,
                new Version2Send(Kind.PROPERTIES, 0, encode(ctx, new Rdma2Message.ConnProp(xid, 0, 0, properties()))));
    }

    /** Sends what nobody above has written, so that nobody flushes it either. */
    private void send(ChannelHandlerContext ctx, Version2Send send) {
        write(ctx, send, ctx.newPromise());
        flushWanted = true;
    }

    private static ByteBuf encode(ChannelHandlerContext ctx, Rdma2Message message) {
        ByteBuf out = ctx.alloc().directBuffer(Rdma2Encoder.encodedBytes(message));
        Rdma2Encoder.encode(message, out);
        return out;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object framed, ChannelPromise promise) {
        Version2Send send = ((Version2Send) framed).with(promise);
        if (closed) {
            send.fail(new ClosedChannelException());
        } else if (!queue.offer(send)) {
            send.fail(new IllegalStateException("more answers than calls wait for credits of the peer"));
            ctx.close();
        } else {
            pump(ctx);
        }
    }

    /** Sends a message that has no part in the credits of version 2. */
    void writeBeside(ChannelHandlerContext ctx, Rdma2Message message) {
        ctx.write(encode(ctx, message));
        flushWanted = true;
    }

    /** Credits have come: sends what they allow. */
    void onCredits(ChannelHandlerContext ctx) {
        flushWanted |= pump(ctx);
    }

    /** Sends what credits allow; returns whether that was something. */
    private boolean pump(ChannelHandlerContext ctx) {
        boolean sent = false;
        for (Version2Send send = queue.next(); send != null; send = queue.next()) {
            sent = true;
            ByteBuf message = send.take();
            Rdma2.setCredits(message, queue.creditWord());
            if (queue.isLast()) {
                write(ctx, message, send.invalidateHandle(), send.promise()); // C26
            } else {
                write(ctx, message, 0, ctx.newPromise().addListener(CLOSE_ON_GAP));
            }
        }
        sentInBatch |= sent && inBatch;
        return sent;
    }

    private static void write(
            ChannelHandlerContext ctx, ByteBuf message, int invalidateHandle, ChannelPromise promise) {
        ctx.write(invalidateHandle == 0 ? message : RdmaSend.invalidating(message, invalidateHandle), promise);
    }

    @Override
    public void onReadCompleted(ChannelHandlerContext ctx) {
        if (!sentInBatch && !closed && queue.mayRefresh()) {
            ByteBuf refresh = encode(ctx, new Rdma2Message.CreditGrant(0));
            Rdma2.setCredits(refresh, ledger.refresh());
            write(ctx, refresh, 0, ctx.newPromise()); // C45
            flushWanted = true;
        }
        inBatch = false;
        sentInBatch = false;
        flushIfWanted(ctx);
    }

    /** Flushes what this link has written by itself. */
    void flushIfWanted(ChannelHandlerContext ctx) {
        if (flushWanted) {
            flushWanted = false;
            ctx.flush();
        }
    }

    @Override
    public void onFlushed() {
        flushWanted = false;
    }

    @Override
    public void onCallDropped() {
        ledger.onAnswerDropped();
    }

    @Override
    public void onGrantChanged(ChannelHandlerContext ctx, int credits) {
        ledger.changeBase(credits);
    }

    @Override
    public void onClosed(ChannelHandlerContext ctx) {
        closed = true;
        for (@Nullable Version2Send send = queue.drain(); send != null; send = queue.drain()) {
            send.fail(new ClosedChannelException());
        }
    }

    @Override
    public void discard(Object framed) {
        ((Version2Send) framed).release();
    }

    @Override
    public int unsent() {
        return 0;
    }
}
