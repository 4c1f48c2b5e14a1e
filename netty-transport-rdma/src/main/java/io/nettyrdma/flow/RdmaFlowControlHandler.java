// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelConfig;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaDeviceEvent;
import io.nettyrdma.channel.RdmaKeyInvalidatedEvent;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaFlowControlException;
import io.nettyrdma.error.RdmaMessageTooLongException;
import io.nettyrdma.flow.protocol.FlowExchange;
import io.nettyrdma.flow.protocol.FlowOffer;
import io.nettyrdma.flow.protocol.FlowProtocolException;
import io.nettyrdma.flow.protocol.FlowTrailer;
import io.nettyrdma.internal.FlowControlled;
import io.nettyrdma.internal.LimitsItself;
import io.nettyrdma.internal.PipelinePlace;
import io.nettyrdma.memory.LoopAllocator;
import io.nettyrdma.memory.RegisteredMemoryPool;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Flow control for the messages of an {@link RdmaChannel}: neither side sends more messages than the other has receives
 * posted for, whatever the provider. Add one as the first handler of the pipeline, on both sides and before the
 * connection is made:
 *
 * <pre>{@code
 * channel.pipeline().addLast(new RdmaFlowControlHandler(), new EchoHandler());
 * }</pre>
 *
 * <p>What changes for the handlers behind it:
 *
 * <ul>
 *   <li>{@code isWritable()} and {@code autoRead} mean what they mean with TCP. Messages that the peer has no receive
 *       for wait on this side and count for {@code isWritable()}. While this side does not read, it holds at most
 *       {@link RdmaChannelOption#RDMA_RECEIVE_COUNT} less {@value #RESERVED_RECEIVES} messages of the peer.
 *   <li>A message may be longer than the peer's {@link RdmaChannelOption#RDMA_RECEIVE_SIZE}: it travels in pieces, and
 *       arrives as one. {@link RdmaFlowControlConfig.Builder#maxMessageBytes} of the receiver limits it; writing a
 *       longer one fails with {@link RdmaMessageTooLongException}. The handler sets {@link
 *       RdmaChannelOption#RDMA_MAX_SEND_SIZE} to the peer's receive size.
 *   <li>The promise of a message that waits can be cancelled until the first piece of it is sent.
 *   <li>A promise may mean that the peer's handler has the message, see {@link
 *       RdmaFlowControlConfig.Builder#confirmsDelivery}.
 *   <li>{@code close()} first sends the flushed messages that wait on this side. If the peer takes neither 64 KiB nor
 *       all that is left within 10 s, the channel closes and those that still wait fail with {@link
 *       ClosedChannelException}. The peer then sees {@link RdmaConnectionException} behind the messages that have
 *       arrived. Later writes fail at once.
 *   <li>What has arrived when the peer ends the connection is delivered before {@code channelInactive}, reading or
 *       not.
 * </ul>
 *
 * <p>What is written before the channel is active waits as without this handler, and is the first that is sent. A flush
 * before a channel has connected fails with {@link NotYetConnectedException}.
 *
 * <p>{@link RdmaWrite} and {@link RdmaRead} need no receive. They wait only behind messages that wait. An empty {@code
 * ByteBuf} sends nothing, as without this handler.
 *
 * <p>Both sides agree by private data: 16 bytes before the application's own, which shorten {@link
 * RdmaChannelOption#RDMA_PRIVATE_DATA} by as much. {@link RdmaPrivateDataEvent} behind this handler has the
 * application's part only. Each message carries 8 bytes more. A side that has nothing to write sends 8 bytes whenever
 * it has consumed half of the messages that the peer may send.
 *
 * <p>A peer that offers no flow control or breaks its rules ends the connection with {@link RdmaFlowControlException}.
 *
 * <p>Handlers in front of this one may watch messages, but not take, change or write them. The first message of each
 * direction is checked: if one of them does so, the connection ends with an {@link IllegalStateException} that names
 * the handlers in front.
 *
 * <p>Threading: the event loop of the channel, as all handlers in front of this one: add it without an
 * executor of its own. Each channel needs its own.
 */
public final class RdmaFlowControlHandler extends ChannelDuplexHandler {

    /**
     * Bytes that each message is longer on the wire: a message travels in one piece if it is shorter by this than the
     * receiver's {@link RdmaChannelOption#RDMA_RECEIVE_SIZE}.
     */
    public static final int TRAILER_BYTES = FlowTrailer.BYTES;

    /** How many of {@link RdmaChannelOption#RDMA_RECEIVE_COUNT} are for messages that carry only a limit. */
    public static final int RESERVED_RECEIVES = FlowExchange.RESERVED_RECEIVES;

    /**
     * Bytes that {@link RdmaChannelOption#RDMA_RECEIVE_SIZE} has at least with flow control; with fewer, trailers would
     * cost more than data.
     */
    public static final int MIN_RECEIVE_BYTES = FlowOffer.MIN_RECEIVE_BYTES;

    private final RdmaFlowControlConfig config;
    private final IntFunction<ByteBuf> copies;
    private @Nullable FlowOffer own;
    /** There when both sides have agreed, as what follows. */
    private @Nullable FlowExchange exchange;

    private @Nullable FlowInput input;
    private @Nullable FlowOutput output;
    private @Nullable FlowClose closing;
    /** There while something waits that was written before the channel was active. */
    private @Nullable EarlyWrites early;

    private @Nullable ChannelPromise connected;
    private boolean readBefore;
    private boolean failed;
    private boolean carriesPrivateData;

    /** Flow control with the default settings. */
    public RdmaFlowControlHandler() {
        this(RdmaFlowControlConfig.defaults());
    }

    /** Flow control with these settings. */
    public RdmaFlowControlHandler(RdmaFlowControlConfig config) {
        this(config, LoopAllocator::outboundBuffer);
    }

    /** @param copies allocates so many bytes, for what this side sends of messages without room for a trailer */
    RdmaFlowControlHandler(RdmaFlowControlConfig config, IntFunction<ByteBuf> copies) {
        this.config = config;
        this.copies = copies;
    }

    /**
     * Called by Netty.
     *
     * @throws IllegalStateException if the channel is of another type and was accepted, or connected already, or a
     *                               handler of RPC-over-RDMA is in the pipeline. A connect fails with this exception
     */
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        if (!(context.channel() instanceof RdmaChannel channel)) {
            PipelinePlace.refuse(
                    context,
                    "flow control is for " + RdmaChannel.class.getName() + ", not for "
                            + context.channel().getClass().getName());
            return;
        }
        if (channel.isActive()) {
            throw new IllegalStateException(
                    "connected already: " + channel + "; add flow control in the channel's initializer");
        }
        if (context.executor() != channel.eventLoop()) {
            PipelinePlace.refuse(
                    context, "flow control must run on the event loop of its channel; add it without an executor");
            return;
        }
        LimitsItself other = context.pipeline().get(LimitsItself.class);
        if (other != null) {
            PipelinePlace.refuse(context, LimitsItself.besideFlowControl(other));
            return;
        }
        PipelinePlace.watch(context);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        try {
            if (event instanceof RdmaDeviceEvent device) {
                context.fireUserEventTriggered(event); // handlers may set options
                onDevice((RdmaChannel) context.channel(), device);
            } else if (event instanceof RdmaPrivateDataEvent data) {
                onPrivateData(context, (RdmaChannel) context.channel(), data);
            } else if (event instanceof RdmaKeyInvalidatedEvent invalidated && input != null) {
                input.take(invalidated);
            } else {
                context.fireUserEventTriggered(event);
            }
        } catch (Throwable e) {
            fail(context, e);
        }
    }

    private void onDevice(RdmaChannel channel, RdmaDeviceEvent device) {
        carriesPrivateData = device.capabilities().privateData().any();
        if (connects(channel) && channel.isOpen()) {
            own = offer(channel);
        }
    }

    private static boolean connects(Channel channel) {
        return channel.parent() == null;
    }

    private void onPrivateData(ChannelHandlerContext context, RdmaChannel channel, RdmaPrivateDataEvent data)
            throws IOException {
        ByteBuf in = Unpooled.wrappedBuffer(data.data());
        FlowOffer peer = FlowOffer.decode(in);
        RdmaPrivateDataEvent rest = new RdmaPrivateDataEvent(ByteBufUtil.getBytes(in));
        boolean connects = connects(channel);
        if (!connects) {
            context.fireUserEventTriggered(rest); // handlers may set options, or close
            if (!channel.isOpen()) {
                return;
            }
        }
        if (peer != null) {
            agree(context, channel, connects ? own : offer(channel), peer);
        } else if (!config.allowsPeersWithout()) {
            throw new RdmaFlowControlException(missing(channel) + ", or allow peers without (RdmaFlowControlConfig)");
        }
        if (connects) {
            context.fireUserEventTriggered(rest); // handlers may write
        }
        if (peer == null) {
            context.pipeline().remove(this);
            if (readBefore) {
                context.read();
            }
        }
    }

    private String missing(RdmaChannel channel) {
        return carriesPrivateData
                ? "the peer " + channel.remoteAddress()
                        + " offers no flow control; add RdmaFlowControlHandler to its pipeline, or remove it here if"
                        + " the peer speaks a protocol that limits its messages itself, as RPC-over-RDMA does"
                : "the device carries no private data, by which both sides agree on flow control; use another provider";
    }

    /** Puts this side's offer before the private data of the application. */
    private FlowOffer offer(RdmaChannel channel) {
        RdmaChannelConfig options = channel.config();
        int window = options.getReceiveCount() - FlowExchange.RESERVED_RECEIVES;
        if (window < 1) {
            throw new IllegalStateException("RDMA_RECEIVE_COUNT=" + options.getReceiveCount() + " (expected: at least "
                    + (FlowExchange.RESERVED_RECEIVES + 1) + " with flow control)");
        }
        if (options.getReceiveSize() < MIN_RECEIVE_BYTES) {
            throw new IllegalStateException("RDMA_RECEIVE_SIZE=" + options.getReceiveSize() + " (expected: at least "
                    + MIN_RECEIVE_BYTES + " with flow control)");
        }
        FlowOffer made = new FlowOffer(window, options.getReceiveSize(), config.maxMessageBytes());
        ByteBuf out = Unpooled.buffer();
        made.encode(out);
        byte[] data = options.getPrivateData();
        int most = RdmaChannelConfig.MAX_PRIVATE_DATA_BYTES - out.readableBytes();
        if (data.length > most) {
            throw new IllegalStateException("RDMA_PRIVATE_DATA length: " + data.length + " (expected: 0 to " + most
                    + " with flow control, which needs " + out.readableBytes() + " of the "
                    + RdmaChannelConfig.MAX_PRIVATE_DATA_BYTES + " bytes)");
        }
        out.writeBytes(data);
        options.setPrivateData(ByteBufUtil.getBytes(out));
        return made;
    }

    private void agree(ChannelHandlerContext context, RdmaChannel channel, @Nullable FlowOffer mine, FlowOffer peer) {
        if (mine == null) {
            throw new IllegalStateException("no RdmaDeviceEvent came before; pass it on in all handlers before");
        }
        channel.config().setMaxSendSize(Math.min(peer.receiveBytes(), RegisteredMemoryPool.MAX_SLOT_BYTES));
        FlowExchange made = new FlowExchange(mine, peer);
        exchange = made;
        FlowOutput out = new FlowOutput(context, channel, made, peer, config.confirmsDelivery(), copies);
        output = out;
        closing = new FlowClose(context, out);
        FlowInput in = new FlowInput(context, made, config.maxMessageBytes());
        if (readBefore) {
            in.read();
        }
        input = in;
        ((FlowControlled) channel.unsafe())
                .readAlways(); // a message may be nothing but the limit that this side waits for
    }

    private void fail(ChannelHandlerContext context, Throwable cause) {
        if (failed) {
            return; // the channel closes already
        }
        failed = true;
        dropInput();
        Throwable reason =
                cause instanceof FlowProtocolException violation ? new RdmaFlowControlException(violation) : cause;
        failEarly(reason);
        if (connected != null) {
            connected.tryFailure(reason); // before any close, whose reason is less
        }
        failOutput(); // before a handler closes the channel, as the peer may have to hear of it
        context.fireExceptionCaught(reason);
        context.close();
    }

    /** Remembers the promise, which fails with the reason if both sides do not agree. */
    @Override
    public void connect(
            ChannelHandlerContext context,
            SocketAddress remote,
            @Nullable SocketAddress local,
            ChannelPromise promise) {
        connected = promise;
        context.connect(remote, local, promise);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (exchange == null) {
            fail(context, missedEvents());
        }
        writeEarly(context);
        context.fireChannelActive();
    }

    private static IllegalStateException missedEvents() {
        return new IllegalStateException("flow control saw no event of the connection: it was added after the"
                + " connection was requested, or a handler in front takes events; add it in the channel's initializer,"
                + " as the first handler");
    }

    /** Goes on with what was written before the channel was active, and with what is written meanwhile. */
    private void writeEarly(ChannelHandlerContext context) {
        EarlyWrites waiting = early;
        FlowOutput out = output;
        if (waiting == null || out == null) {
            return;
        }
        try {
            waiting.writeTo(out::write, out::flush);
            early = null;
        } catch (Throwable e) {
            fail(context, e);
        }
    }

    private void failEarly(Throwable cause) {
        EarlyWrites waiting = early;
        early = null; // first: listeners may write
        if (waiting != null) {
            waiting.fail(cause);
        }
    }

    @Override
    public void read(ChannelHandlerContext context) {
        FlowInput in = input;
        if (in == null) {
            readBefore = true;
            return;
        }
        in.read();
        if (in.startsDelivery()) {
            context.executor().execute(() -> deliver(context, in)); // later: reads may follow each other endlessly
        }
    }

    private void deliver(ChannelHandlerContext context, FlowInput in) {
        try {
            in.deliver();
        } catch (Throwable e) {
            fail(context, e);
        }
        boolean delivered = in.complete();
        settle(context);
        if (delivered && context.channel().config().isAutoRead()) {
            context.channel().read(); // as Netty does behind a batch of its own
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        FlowExchange counts = exchange;
        FlowInput in = input;
        if (counts == null || in == null || failed || !(message instanceof ByteBuf content)) {
            ReferenceCountUtil.release(message);
            return;
        }
        try {
            receive(counts, in, content);
        } catch (Throwable e) {
            fail(context, e);
        }
    }

    private static void receive(FlowExchange counts, FlowInput in, ByteBuf content) throws IOException {
        boolean passed = false;
        try {
            int dataBytes = content.readableBytes() - FlowTrailer.BYTES;
            if (dataBytes < 0) {
                throw new RdmaFlowControlException("message of the peer: " + content.readableBytes()
                        + " bytes (expected: at least " + FlowTrailer.BYTES + ", the trailer)");
            }
            int end = content.readerIndex() + dataBytes;
            long trailer = content.getLong(end);
            if (counts.receive(trailer)) {
                passed = true;
                in.take(content.writerIndex(end), FlowTrailer.hasMore(trailer));
            } else if (FlowTrailer.isCut(trailer)) {
                in.end();
                throw new RdmaConnectionException("the peer has ended the connection before it had sent all messages"
                        + " that it had flushed; read faster, or let the peer wait for an answer before it closes");
            } else if (dataBytes > 0) {
                throw new RdmaFlowControlException(
                        "message of the peer that is to have no data: " + dataBytes + " bytes of data");
            }
        } finally {
            if (!passed) {
                content.release();
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        FlowInput in = input;
        if (in != null) {
            in.complete();
            settle(context);
        }
    }

    private void settle(ChannelHandlerContext context) {
        FlowOutput out = output;
        if (out == null || failed || !context.channel().isActive()) {
            return;
        }
        try {
            out.settle();
        } catch (Throwable e) {
            fail(context, e);
        }
        if (closing != null) {
            closing.closeIfDone();
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        FlowOutput out = output;
        boolean closes = isClosing();
        if (out != null && early == null && context.channel().isActive() && !closes) {
            out.write(message, promise);
        } else if (context.channel().isOpen() && !failed && !closes) {
            if (early == null) {
                early = new EarlyWrites(context);
            }
            early.add(message, promise);
            if (out == null && context.channel().isActive()) {
                fail(context, missedEvents()); // a handler in front took channelActive, too
            }
        } else {
            ReferenceCountUtil.release(message);
            promise.tryFailure(new ClosedChannelException());
        }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        FlowOutput out = output;
        if (early != null) {
            flushEarly(context.channel(), early);
        }
        if (early != null || out == null) {
            context.flush();
            return;
        }
        if (isClosing()) {
            return; // what was written before the close, and not flushed, fails
        }
        try {
            out.flush();
        } catch (Throwable e) {
            fail(context, e);
        }
    }

    private boolean isClosing() {
        return closing != null && closing.isWaiting();
    }

    /** As without this handler: before a channel has connected, a flush fails. */
    private void flushEarly(Channel channel, EarlyWrites waiting) {
        if (channel.isActive() || !connects(channel)) {
            waiting.flush();
        } else {
            failEarly(new NotYetConnectedException());
        }
    }

    /** Closes the channel behind the flushed messages that wait. Messages that arrive are dropped. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        dropInput();
        if (context.channel().isActive()) {
            writeEarly(context);
        }
        failEarly(new ClosedChannelException());
        if (closing == null || failed) {
            context.close(promise);
        } else {
            closing.close(promise);
        }
    }

    private void dropInput() {
        if (input != null) {
            input.release();
        }
    }

    private void failOutput() {
        failEarly(new ClosedChannelException());
        if (closing != null) {
            closing.stop();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        try {
            if (input != null) {
                input.end();
            }
        } catch (Throwable e) {
            context.fireExceptionCaught(e);
        }
        failOutput();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        boolean closes = isClosing();
        dropInput();
        EarlyWrites waiting = early;
        if (waiting != null && context.channel().isOpen() && !failed) {
            waiting.writeTo(context::write, context::flush); // the peer does without flow control
            early = null;
        }
        failOutput();
        if (closes) {
            context.close();
        }
    }
}
