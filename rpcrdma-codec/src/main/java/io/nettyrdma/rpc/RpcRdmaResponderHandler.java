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
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.rpc.engine.ConnectionLostException;
import io.nettyrdma.rpc.engine.MalformedRpcMessageException;
import io.nettyrdma.rpc.engine.MessageTooLargeException;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.engine.ResponderEngine.Disposal;
import io.nettyrdma.rpc.engine.ResponderEngine.Reception;
import io.nettyrdma.rpc.engine.UnknownXidException;
import io.nettyrdma.rpc.wire.Decoded;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.RpcRdmaMessage.VersionRange;
import org.jspecify.annotations.Nullable;

/**
 * Makes a channel of messages the server side of RPC-over-RDMA. Add it first, in the initializer of the child
 * channels: it sets the options the queue pair is made from, and the private data of the reply.
 *
 * <p><b>Inbound</b> each call is fired as one {@code ByteBuf}: reader index 0, reference count 1, the RPC message from
 * its XID on, no record mark. <b>Outbound</b> each reply is written as one {@code ByteBuf} of the same form; which call
 * it answers is told by its XID, in any order, from any thread. {@link RpcCallRefusal} ends a call without a reply.
 * Empty buffers and other objects pass through unchanged.
 *
 * <p>The promise of a reply completes when its Send does. It fails, and no reply is sent, with
 *
 * <ul>
 *   <li>{@link UnknownXidException} if no call in progress has that XID; nothing is sent at all;
 *   <li>{@link ConnectionLostException} if the connection has ended, or Netty's {@link
 *       java.nio.channels.ClosedChannelException} once the pipeline is gone;
 *   <li>{@link MessageTooLargeException} if header and reply exceed the reply threshold, or
 *       {@link MalformedRpcMessageException} if it is not a reply of whole 4-octet words; the requester is sent
 *       {@code ERR_CHUNK}, so that its call ends, and the connection stays.
 * </ul>
 *
 * <p>At most {@code creditsGranted + receiveReserve} calls are in progress before the channel is no longer read (calls
 * the transport delivers in the same read loop still come through), nor is it read while it is not writable. A requester
 * may thus exceed its credits by the reserve without harm.
 *
 * <p>Threading: all state is confined to the executor of the handler, one instance per channel. Ownership: calls
 * fired upwards belong to the next handler, replies written down belong to this one.
 */
public final class RpcRdmaResponderHandler extends ChannelDuplexHandler {

    private static final int RPC_REPLY = 1;

    private final RpcRdmaConfig config;
    private final RpcRdmaConnection connection;
    private final RpcRdmaDecoder decoder;
    private final ResponderEngine engine;
    private boolean readWanted;
    private boolean flushWanted;
    private boolean closed;

    /** A responder with all defaults. */
    public RpcRdmaResponderHandler() {
        this(RpcRdmaConfig.defaults());
    }

    /** A responder that grants {@link RpcRdmaConfig#creditsGranted}. */
    public RpcRdmaResponderHandler(RpcRdmaConfig config) {
        this.config = config;
        connection = new RpcRdmaConnection(RpcRdmaConnection.Role.RESPONDER, config);
        decoder = new RpcRdmaDecoder(config.decodeLimits());
        engine = new ResponderEngine(config.creditsGranted(), config.creditsGranted() + config.receiveReserve());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        connection.configure(ctx.channel(), config.creditsGranted(), false);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        connectionLost();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.fireUserEventTriggered(event);
        if (event instanceof RdmaPrivateDataEvent privateData) {
            announce(ctx, connection.agree(privateData));
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        announce(ctx, connection.agreeOnDefaults());
        ctx.fireChannelActive();
    }

    private void announce(ChannelHandlerContext ctx, @Nullable RpcRdmaParametersEvent parameters) {
        if (parameters != null) {
            engine.setThresholds(parameters.thresholds());
            ctx.fireUserEventTriggered(parameters);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        connectionLost();
        ctx.fireChannelInactive();
    }

    private void connectionLost() {
        closed = true;
        engine.connectionLost();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!(msg instanceof ByteBuf message)) {
            ctx.fireChannelRead(msg);
            return;
        }
        @Nullable ByteBuf call = null;
        try {
            call = receive(ctx, message);
        } finally {
            message.release();
        }
        if (call != null) {
            ctx.fireChannelRead(call); // V1-105
        }
    }

    /** The call in a message, if it is to be executed; otherwise the message has been answered as it deserves. */
    private @Nullable ByteBuf receive(ChannelHandlerContext ctx, ByteBuf message) {
        Decoded decoded = decoder.decode(message, Direction.CALL);
        Reception reception = engine.received(decoded);
        if (decoded instanceof RpcRdmaMessage valid) {
            int headerBytes = valid instanceof RpcRdmaMessage.Msg msg ? msg.headerBytes() : message.readableBytes();
            connection.observeReceived(ctx, valid, message.readableBytes() - headerBytes);
            if (reception == Reception.DELIVER) {
                return message.retainedSlice(
                        message.readerIndex() + headerBytes, message.readableBytes() - headerBytes);
            }
            answer(ctx, reception, valid.xid(), valid.version());
        } else if (decoded instanceof Rejection rejection) {
            connection.observeRejected(ctx, rejection);
            answer(ctx, reception, rejection.xid(), rejection.version());
        }
        return null;
    }

    private void answer(ChannelHandlerContext ctx, Reception reception, int xid, int version) {
        if (reception != Reception.SEND_ERR_CHUNK && reception != Reception.SEND_ERR_VERS) {
            return;
        }
        VersionRange supported = reception == Reception.SEND_ERR_VERS ? RpcRdmaDecoder.SUPPORTED : null;
        writeError(ctx, xid, version, supported, ctx.newPromise());
        flushWanted = true;
    }

    private void writeError(
            ChannelHandlerContext ctx, int xid, int version, @Nullable VersionRange supported, ChannelPromise promise) {
        RpcRdmaMessage.ErrorMsg error = new RpcRdmaMessage.ErrorMsg(xid, version, engine.credits(), supported);
        final ByteBuf message;
        try {
            message = connection.frame(ctx, error);
        } catch (RuntimeException | OutOfMemoryError e) {
            fail(ctx, promise, e);
            return;
        }
        send(ctx, message, promise);
    }

    private static void send(ChannelHandlerContext ctx, ByteBuf message, ChannelPromise promise) {
        ctx.write(message, promise.addListener(ChannelFutureListener.CLOSE_ON_FAILURE)); // V1-121, PD-015
    }

    /** The requester must not wait for what could not be made on this side. */
    private static void fail(ChannelHandlerContext ctx, ChannelPromise promise, Throwable cause) {
        promise.tryFailure(cause);
        ctx.close(); // V1-121
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (flushWanted) {
            flushWanted = false;
            ctx.flush();
        }
        ctx.fireChannelReadComplete();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        flushWanted = false;
        ctx.flush();
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        if (mayRead(ctx)) {
            ctx.read();
        } else {
            readWanted = true;
        }
    }

    /** Neither calls in progress nor answers that the peer does not take may pile up. */
    private boolean mayRead(ChannelHandlerContext ctx) {
        return engine.mayRead() && ctx.channel().isWritable();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        resumeReading(ctx);
        ctx.fireChannelWritabilityChanged();
    }

    private void resumeReading(ChannelHandlerContext ctx) {
        if (readWanted && mayRead(ctx)) {
            readWanted = false;
            ctx.read();
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        if (msg instanceof ByteBuf reply && reply.isReadable()) {
            writeReply(ctx, reply, promise.unvoid());
            resumeReading(ctx);
        } else if (msg instanceof RpcCallRefusal refusal) {
            writeRefusal(ctx, refusal.xid(), promise.unvoid());
            resumeReading(ctx);
        } else {
            ctx.write(msg, promise);
        }
    }

    private void writeReply(ChannelHandlerContext ctx, ByteBuf reply, ChannelPromise promise) {
        int bytes = reply.readableBytes();
        if (bytes < 4) {
            reply.release();
            promise.tryFailure(new MalformedRpcMessageException(0, "reply of " + bytes + " octets has no XID"));
            return;
        }
        int xid = reply.getInt(reply.readerIndex());
        if (closed) {
            reply.release();
            promise.tryFailure(new ConnectionLostException(xid, null));
            return;
        }
        if (bytes < 8 || (bytes & 3) != 0 || reply.getInt(reply.readerIndex() + 4) != RPC_REPLY) {
            reply.release();
            if (engine.abandoned(xid)) {
                sendErrChunk(ctx, xid);
            }
            promise.tryFailure(
                    new MalformedRpcMessageException(xid, "not an RPC reply of whole words, " + bytes + " octets"));
            return;
        }
        Disposal disposal = engine.replied(xid, bytes);
        if (disposal instanceof Disposal.SendInline inline) {
            final ByteBuf message;
            try {
                message = connection.frame(ctx, xid, engine.credits(), inline.chunks(), reply); // V1-079
            } catch (RuntimeException | OutOfMemoryError e) {
                fail(ctx, promise, e);
                return;
            }
            send(ctx, message, promise);
            return;
        }
        reply.release();
        if (disposal instanceof Disposal.SendErrChunk error) {
            sendErrChunk(ctx, xid);
            promise.tryFailure(new MessageTooLargeException(xid, error.bytes(), error.thresholdBytes()));
        } else {
            promise.tryFailure(new UnknownXidException(xid));
        }
    }

    private void writeRefusal(ChannelHandlerContext ctx, int xid, ChannelPromise promise) {
        if (engine.abandoned(xid)) {
            writeError(ctx, xid, 1, null, promise);
        } else {
            promise.tryFailure(new UnknownXidException(xid));
        }
    }

    private void sendErrChunk(ChannelHandlerContext ctx, int xid) {
        writeError(ctx, xid, 1, null, ctx.newPromise());
    }
}
