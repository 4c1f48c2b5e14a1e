// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AcceptLimitTest {

    private final List<String> lines = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final PeerLog log = new PeerLog(lines::add, new LineLimit(10, () -> 0));

    private EmbeddedChannel listener;
    private long now;
    private int port;

    private void listen(int maxConnections) {
        AcceptLimit limit = new AcceptLimit(new AcceptLimit.Settings(maxConnections, 60), true, log, () -> now);
        listener = new EmbeddedChannel(limit, new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                failures.add(cause);
            }
        });
    }

    private EmbeddedChannel accept(String host) throws UnknownHostException {
        InetSocketAddress peer = new InetSocketAddress(InetAddress.getByName(host), ++port);
        EmbeddedChannel connection = new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return peer;
            }
        };
        connection.freezeTime();
        now++; // no two are of the same age
        listener.writeInbound(connection);
        connection.pipeline().addLast(new CallCounter());
        return connection;
    }

    private EmbeddedChannel accept() throws UnknownHostException {
        return accept("192.0.2.1");
    }

    private void call(EmbeddedChannel connection) {
        connection.writeInbound("call");
    }

    private void reply(EmbeddedChannel connection) {
        now++;
        connection.writeOutbound("reply");
    }

    private EmbeddedChannel acceptAndCall(String host) throws UnknownHostException {
        EmbeddedChannel connection = accept(host);
        call(connection);
        reply(connection);
        return connection;
    }

    @Test
    void oneTooManyTakesThePlaceOfTheOldestThatHasNeverCalled() throws Exception {
        listen(3);
        Channel called = acceptAndCall("192.0.2.1");
        Channel second = accept();
        Channel third = accept();
        Channel fourth = accept();
        assertThat(second.isOpen()).isFalse();
        assertThat(lines)
                .singleElement()
                .asString()
                .endsWith("192.0.2.1:2 closed: has never sent a call, and all 3 places are taken (--max-connections)");
        accept();
        assertThat(third.isOpen()).isFalse();
        assertThat(called.isOpen()).isTrue();
        assertThat(fourth.isOpen()).isTrue();
        assertThat(listener.inboundMessages()).hasSize(5);
    }

    @Test
    void oneTooManyTakesThePlaceOfTheOneIdleLongestIfAllHaveCalled() throws Exception {
        listen(2);
        EmbeddedChannel first = acceptAndCall("192.0.2.1");
        EmbeddedChannel second = acceptAndCall("192.0.2.1");
        call(first);
        reply(first);
        EmbeddedChannel third = acceptAndCall("192.0.2.1");
        assertThat(second.isOpen()).isFalse();
        assertThat(lines).singleElement().asString().contains("closed: idle for longest");
        first.writeInbound(); // a part of a call
        now++;
        first.pipeline().fireChannelReadComplete();
        accept();
        assertThat(third.isOpen()).isFalse();
        assertThat(first.isOpen()).isTrue();
    }

    /** All others that come must find memory, although that of a closed one is free only a little later. */
    @Test
    void oneThatHasNeverCalledMakesRoomWhenThereIsNoMemoryForMore() throws Exception {
        listen(10);
        Channel called = acceptAndCall("192.0.2.1");
        Channel second = accept();
        Channel third = accept();
        Channel fourth = accept();
        EmbeddedChannel fifth = accept();
        fifth.pipeline().fireExceptionCaught(new OutOfMemoryError("injected"));
        fifth.close();
        assertThat(second.isOpen()).isFalse();
        assertThat(lines)
                .singleElement()
                .asString()
                .endsWith("192.0.2.1:2 closed: has never sent a call, and there is no memory for more than 3"
                        + " connections");
        Channel sixth = accept();
        assertThat(third.isOpen()).isFalse();
        for (Channel channel : new Channel[] {fourth, sixth}) {
            channel.close();
        }
        assertThat(called.isOpen()).isTrue();
        for (int i = 0; i < 9; i++) {
            assertThat(accept().isOpen()).isTrue(); // memory may be there again
        }
        assertThat(called.isOpen()).isTrue();
        assertThat(lines).hasSize(2);
    }

    @Test
    void oneThatHasACallInFlightIsNeverClosed() throws Exception {
        listen(2);
        EmbeddedChannel first = accept();
        call(first);
        call(first);
        EmbeddedChannel second = accept();
        call(second);
        reply(first);
        assertThat(accept().isOpen()).isFalse();
        assertThat(lines)
                .singleElement()
                .asString()
                .endsWith("192.0.2.1:3 refused: all 2 places are taken (--max-connections), and no connection may be"
                        + " closed for it");
        assertThat(listener.inboundMessages()).hasSize(2);
        reply(first);
        assertThat(accept().isOpen()).isTrue();
        assertThat(first.isOpen()).isFalse();
        assertThat(second.isOpen()).isTrue();
    }

    @Test
    void callThatComesTooLateIsDropped() throws Exception {
        listen(1);
        EmbeddedChannel first = accept();
        first.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
            @Override
            public void close(ChannelHandlerContext context, ChannelPromise promise) {
                context.pipeline().fireChannelRead("call");
                context.close(promise);
            }
        });
        accept();
        assertThat(first.isOpen()).isFalse();
        assertThat(first.inboundMessages()).isEmpty();
    }

    @Test
    void oneAddressMayHaveAllPlacesWhileThereIsRoom() throws Exception {
        listen(4);
        for (int i = 0; i < 4; i++) {
            acceptAndCall("192.0.2.1");
        }
        assertThat(lines).isEmpty();
        List<EmbeddedChannel> others = List.of(acceptAndCall("192.0.2.2"), acceptAndCall("192.0.2.2"));
        for (int i = 0; i < 10; i++) {
            acceptAndCall("192.0.2.1");
            acceptAndCall("192.0.2.2");
            acceptAndCall("192.0.2.1");
        }
        assertThat(others).noneMatch(Channel::isOpen); // by new ones of their own address
    }

    @Test
    void addressBeyondItsShareTakesNoPlacesOfOthers() throws Exception {
        listen(4);
        EmbeddedChannel idle = acceptAndCall("2001:db8::1");
        EmbeddedChannel starting = accept("192.0.2.2");
        for (int i = 1; i < 20; i++) {
            acceptAndCall("2001:db8:0:1::" + i); // one host
        }
        assertThat(idle.isOpen()).isTrue();
        assertThat(starting.isOpen()).isTrue();
        now += TimeUnit.SECONDS.toNanos(5);
        acceptAndCall("2001:db8:0:1::20");
        assertThat(starting.isOpen()).as("had time for a call").isFalse();
        assertThat(idle.isOpen()).isTrue();
    }

    @Test
    void addressWithMostGivesAPlaceFirst() throws Exception {
        listen(3);
        EmbeddedChannel lone = accept("192.0.2.9");
        EmbeddedChannel first = accept("192.0.2.1");
        EmbeddedChannel second = accept("192.0.2.1");
        assertThat(accept("192.0.2.2").isOpen()).isTrue();
        assertThat(first.isOpen()).isFalse();
        assertThat(second.isOpen()).isTrue();
        assertThat(lone.isOpen()).isTrue();
    }

    @Test
    void idleConnectionIsClosedAndOneThatWaitsForItsReplyIsNot() throws Exception {
        listen(2);
        EmbeddedChannel silent = accept();
        EmbeddedChannel busy = accept();
        call(busy);
        pass(silent, 59);
        assertThat(silent.isOpen()).isTrue();
        pass(silent, 1);
        pass(busy, 1);
        assertThat(silent.isOpen()).isFalse();
        assertThat(lines).singleElement().asString().endsWith(":1 closed: no call for 60 s (--idle-timeout)");
        pass(busy, 600);
        assertThat(busy.isOpen()).isTrue();
        reply(busy);
        pass(busy, 59);
        assertThat(busy.isOpen()).isTrue();
        pass(busy, 60);
        assertThat(busy.isOpen()).isFalse();
    }

    /** Takes bytes of replies when the test says so. */
    private static final class SlowPeer extends ChannelOutboundHandlerAdapter {
        private final Queue<ChannelPromise> waiting = new ArrayDeque<>();
        private long taken;

        static SlowPeer of(EmbeddedChannel connection) {
            SlowPeer peer = new SlowPeer();
            connection.pipeline().addFirst(peer);
            return peer;
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            waiting.add(promise);
        }

        void takeBytes(long count) {
            taken += count;
            ((ChannelProgressivePromise) waiting.element()).tryProgress(taken, Long.MAX_VALUE);
        }

        void takeReply() {
            waiting.remove().setSuccess();
            taken = 0;
        }
    }

    private static void replyWithBytes(EmbeddedChannel connection, int count) {
        connection.writeOneOutbound(Unpooled.wrappedBuffer(new byte[count]));
    }

    @Test
    void placeOfAPeerThatTakesNoRepliesGoesToANewcomerOfAnotherAddress() throws Exception {
        listen(2);
        EmbeddedChannel working = accept("192.0.2.1");
        EmbeddedChannel stuck = accept("192.0.2.1");
        SlowPeer.of(stuck);
        for (EmbeddedChannel connection : List.of(working, stuck)) {
            call(connection);
        }
        replyWithBytes(stuck, 1);
        now += TimeUnit.SECONDS.toNanos(5) - 10;
        assertThat(accept("192.0.2.2").isOpen()).as("before the peer lags").isFalse();
        now += 10;
        stuck.pipeline().fireChannelReadComplete(); // what it sends is no progress
        assertThat(accept("192.0.2.2").isOpen()).isTrue();
        assertThat(stuck.isOpen()).isFalse();
        assertThat(working.isOpen()).as("waits for the server").isTrue();
        assertThat(lines.get(1))
                .endsWith("closed: does not take its replies, and all 2 places are taken" + " (--max-connections)");
    }

    @Test
    void peerThatTakesAByteOrAReplyNowAndThenLosesItsPlaceInTheEnd() throws Exception {
        listen(2);
        EmbeddedChannel bytewise = accept();
        EmbeddedChannel replywise = accept();
        SlowPeer bytes = SlowPeer.of(bytewise);
        SlowPeer replies = SlowPeer.of(replywise);
        call(bytewise);
        replyWithBytes(bytewise, 1_000_000);
        call(replywise);
        replyWithBytes(replywise, 1);
        for (int i = 0; i < 15; i++) {
            assertThat(bytewise.isOpen() && replywise.isOpen()).isTrue();
            pass(bytewise, 2);
            pass(replywise, 2);
            bytes.takeBytes(1);
            replies.takeReply();
            call(replywise);
            replyWithBytes(replywise, 1);
        }
        pass(bytewise, 1);
        pass(replywise, 1);
        assertThat(bytewise.isOpen()).isFalse();
        assertThat(replywise.isOpen()).isFalse();
        assertThat(lines).hasSize(2).allSatisfy(line -> assertThat(line)
                .endsWith("closed: does not take its replies, for 60 s (--idle-timeout)"));
    }

    @Test
    void peerThatTakesALongReplySteadilyKeepsItsPlace() throws Exception {
        listen(1);
        EmbeddedChannel slow = accept();
        SlowPeer peer = SlowPeer.of(slow);
        call(slow);
        replyWithBytes(slow, 1_000_000_000);
        for (int i = 0; i < 100; i++) {
            pass(slow, 3);
            peer.takeBytes(3 * ReplyProgress.BYTES_PER_SECOND);
            assertThat(accept("192.0.2.2").isOpen()).isFalse();
        }
        assertThat(slow.isOpen()).isTrue();
    }

    private void pass(EmbeddedChannel connection, long seconds) {
        now += TimeUnit.SECONDS.toNanos(seconds);
        connection.advanceTimeBy(61, TimeUnit.SECONDS); // the checks ask the clock
        connection.runScheduledPendingTasks();
    }

    @Test
    void listenerThatCannotAcceptRestsAndSaysSoInALine() {
        listen(2);
        listener.freezeTime();
        for (int i = 0; i < 100; i++) {
            listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
            assertThat(listener.config().isAutoRead()).isFalse();
            listener.advanceTimeBy(1, TimeUnit.SECONDS);
            listener.runScheduledPendingTasks();
            assertThat(listener.config().isAutoRead()).isTrue();
        }
        assertThat(lines).hasSize(10).allSatisfy(line -> assertThat(line)
                .contains("cannot accept connections: ")
                .contains("Too many open files"));
        assertThat(failures).as("what Netty prints with stack traces").isEmpty();
    }
}
