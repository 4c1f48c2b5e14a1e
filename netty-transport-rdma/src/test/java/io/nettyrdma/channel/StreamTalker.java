// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.util.concurrent.Future;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaStreamProtocolException;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One side of a short conversation over a byte stream: three writes, of which one is longer than the peer's buffers,
 * and an end. Counts how often each promise completes and how often the pipeline hears of an end.
 *
 * <p>Threading: the loop's; {@link #check} once the channel has closed.
 */
final class StreamTalker extends ChannelInboundHandlerAdapter {

    /** How a conversation ends. */
    enum Ending {
        /** The client ends its output at once, and each side closes when it has read the other's end. */
        HALF_CLOSE,
        /** The client closes when it has read everything. */
        CLOSE
    }

    private static final int[] WRITES = {10, 150, 20};
    private static final int TOTAL = 180;

    private static final class Promised {
        final String name;
        final Future<?> future;
        int ends;

        Promised(String name, Future<?> future) {
            this.name = name;
            this.future = future;
        }
    }

    private final Ending ending;
    private final boolean isServer;
    private final Consumer<StreamTalker> added;
    private final BooleanSupplier givenUp;
    private final List<Promised> promises = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Object> events = new ArrayList<>();
    private final List<String> surprises = new ArrayList<>();
    private int active;
    private int inactive;
    private int received;
    private int written;
    private boolean closed;
    private boolean unexplained;
    private volatile boolean removed;

    /** Said if this conversation fails. */
    String what = "";

    volatile @Nullable RdmaSocketChannel channel;

    /**
     * @param added   told of this, with a channel
     * @param givenUp whether programs have begun to close what they wait for in vain
     */
    StreamTalker(Ending ending, boolean isServer, Consumer<StreamTalker> added, BooleanSupplier givenUp) {
        this.ending = ending;
        this.isServer = isServer;
        this.added = added;
        this.givenUp = givenUp;
    }

    /** Counts the ends of a promise. */
    void expect(String name, Future<?> future) {
        Promised promised = new Promised(name, future);
        promises.add(promised);
        future.addListener(done -> promised.ends++);
    }

    private static byte at(int position) {
        return (byte) (position * 7 + 1);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        RdmaSocketChannel present = (RdmaSocketChannel) context.channel();
        channel = present;
        expect("closeFuture", present.closeFuture());
        added.accept(this);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        active++;
        RdmaSocketChannel present = channel();
        int position = 0;
        for (int bytes : WRITES) {
            ByteBuf buffer = position == 0 ? Unpooled.buffer(bytes) : Unpooled.directBuffer(bytes);
            for (int i = 0; i < bytes; i++) {
                buffer.writeByte(at(position++));
            }
            Future<?> write = position == WRITES[0] ? present.writeAndFlush(buffer) : present.write(buffer);
            expect("write " + bytes, write);
            write.addListener(done -> {
                written += done.isSuccess() ? 1 : 0;
                closeIfDone();
            });
        }
        present.flush();
        if (ending == Ending.HALF_CLOSE && !isServer) {
            expect("shutdownOutput", present.shutdownOutput());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        while (bytes.isReadable()) {
            if (bytes.readByte() != at(received++)) {
                surprises.add("byte " + (received - 1));
            }
        }
        bytes.release();
        closeIfDone();
    }

    private void closeIfDone() {
        boolean heard = ending == Ending.CLOSE ? !isServer : !events.isEmpty();
        if (heard && received == TOTAL && written == WRITES.length) {
            close();
        }
    }

    /** Closes the channel, as a program does that has no more to do or waits no longer. */
    void close() {
        if (!closed) {
            closed = true;
            expect("close", channel().close());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!(event instanceof ChannelOutputShutdownEvent)) { // of Netty, to the program that has asked for it
            events.add(event);
            if (received < TOTAL) {
                close(); // the rest is lost
            }
            closeIfDone();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        inactive++;
        if (failures.isEmpty() && !closed && !isOrderly()) {
            unexplained = true;
        }
    }

    /** Whether the peer may have ended the stream in order, as far as the handler can tell. */
    private boolean isOrderly() {
        return givenUp.getAsBoolean()
                || (ending == Ending.HALF_CLOSE ? !events.isEmpty() : isServer && received == TOTAL);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failures.add(cause);
        if (inactive > 0) {
            surprises.add("reason behind the end");
        } else {
            close(); // as over TCP, a stream that allows half closure leaves that to its program
        }
    }

    RdmaSocketChannel channel() {
        RdmaSocketChannel present = channel;
        if (present == null) {
            throw new IllegalStateException("there is no channel yet");
        }
        return present;
    }

    /** Whether the pipeline is gone, and has heard of everything. */
    boolean isOver() {
        return removed;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        removed = true;
    }

    /**
     * Whether the stream has ended early, in order, and not by this side. To be called by its loop. A write that meets
     * the reset is told of it, and Netty closes the channel without another word to the pipeline, as over NIO.
     */
    boolean isUnexplained() {
        return unexplained && promises.stream().noneMatch(it -> it.future.cause() instanceof RdmaConnectionException);
    }

    /** Whether this side has ended the stream, and said so to its peer, because of what that sent. */
    boolean hasFoundViolation() {
        return failures.stream().anyMatch(RdmaStreamProtocolException.class::isInstance)
                || promises.stream().anyMatch(it -> it.future.cause() instanceof RdmaStreamProtocolException);
    }

    String text() {
        return (isServer ? "server, " : "client, ") + what + ", active " + active + ", received " + received
                + ", failures " + failures + ", events " + events + ", promises "
                + promises.stream()
                        .map(it -> it.name + ": " + it.future.cause())
                        .toList();
    }

    /** The channel has closed: everything has ended once. To be called by its loop. */
    void check() {
        assertThat(surprises).as(text()).isEmpty();
        assertThat(active).as(text()).isLessThanOrEqualTo(1);
        assertThat(inactive).as(text()).isEqualTo(active);
        assertThat(received).as(text()).isLessThanOrEqualTo(TOTAL);
        assertThat(failures).as(text()).hasSizeLessThanOrEqualTo(active == 0 && !isServer ? 0 : 1);
        assertThat(failures).as(text()).allMatch(IOException.class::isInstance);
        assertThat(events).as(text()).doesNotHaveDuplicates();
        assertThat(events)
                .as(text())
                .isSubsetOf(ChannelInputShutdownEvent.INSTANCE, ChannelInputShutdownReadComplete.INSTANCE);
        for (Promised promised : promises) {
            assertThat(promised.ends).as("%s: %s", promised.name, text()).isOne();
            assertThat(promised.future.isSuccess() || promised.future.cause() instanceof IOException)
                    .as("%s: %s: %s", promised.name, promised.future.cause(), text())
                    .isTrue();
        }
    }

    /** The conversation was not disturbed. To be called by its loop. */
    void checkWhole() {
        check();
        assertThat(active).as(text()).isOne();
        assertThat(received).as(text()).isEqualTo(TOTAL);
        assertThat(failures).as(text()).isEmpty();
        if (closed) { // the other side may close before it is known here that it has read everything
            assertThat(promises).as(text()).allMatch(promised -> promised.future.isSuccess());
        }
    }
}
