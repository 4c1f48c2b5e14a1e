// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.ends.EndCase.Closer;
import io.nettyrdma.ends.EndCase.How;
import io.nettyrdma.ends.EndCase.Reader;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** One transport's answer to one question. The thread that asks waits for it. */
final class EndRun {

    /** NIO and epoll wait for SO_LINGER on one thread of the process, so only one connection at a time may. */
    private static final Semaphore LINGER = new Semaphore(1);

    private static final int PIECES = 100;
    private static final long STEP_MILLIS = 100;
    private static final long POLL_MILLIS = 50;

    private final EndKind kind;
    private final EndCase question;
    private final EndLoops loops;
    private final EndSide closerSide = new EndSide(false);
    private final EndSide readerSide;
    private final Map<String, List<Future<?>>> promises = new LinkedHashMap<>();
    private final EndOutcome outcome = new EndOutcome();

    private EventLoopGroup closers;
    private Channel closer;
    private Channel reader;
    private ChannelFuture written;
    private boolean isAlone;
    private long startNanos;
    private volatile long endNanos;

    EndRun(EndKind kind, EndCase question, EndLoops loops) {
        this.kind = kind;
        this.question = question;
        this.loops = loops;
        readerSide = new EndSide(question.reader() == Reader.ONE);
    }

    EndOutcome ask() throws Exception {
        if (isLinger(kind, question)) {
            LINGER.acquire();
            isAlone = true;
        }
        closers = question.how().isGroup() ? kind.newGroup(1) : loops.of(kind);
        Channel listener = null;
        try {
            listener = connect();
            begin();
            await();
            describe();
            return outcome;
        } finally {
            release();
            for (Channel channel : new Channel[] {listener, closer, reader}) {
                if (channel != null) {
                    channel.close();
                }
            }
            if (closers != loops.of(kind)) {
                closers.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            }
        }
    }

    static boolean isLinger(EndKind kind, EndCase question) {
        return question.how().isLinger() && kind.isReference();
    }

    private void release() {
        if (isAlone) {
            LINGER.release();
            isAlone = false;
        }
    }

    private Channel connect() throws Exception {
        boolean isServer = question.closer() == Closer.SERVER;
        EventLoopGroup shared = loops.of(kind);
        ServerBootstrap server = kind.newServer(shared, isServer ? closers : shared)
                .childHandler(isServer ? closerSide : readerSide)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, question.halfClosure())
                .childOption(ChannelOption.AUTO_CLOSE, question.autoClose())
                .childOption(
                        ChannelOption.AUTO_READ, isServer || question.reader().readsAtOnce());
        Channel listener = server.bind("127.0.0.1", 0).sync().channel();
        Bootstrap client = kind.newClient(isServer ? shared : closers)
                .handler(isServer ? readerSide : closerSide)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, question.halfClosure())
                .option(ChannelOption.AUTO_CLOSE, question.autoClose())
                .option(ChannelOption.AUTO_READ, !isServer || question.reader().readsAtOnce());
        client.connect(new InetSocketAddress("127.0.0.1", ((InetSocketAddress) listener.localAddress()).getPort()))
                .sync();
        closer = closerSide.active.get(20, TimeUnit.SECONDS).channel();
        reader = readerSide.active.get(20, TimeUnit.SECONDS).channel();
        return listener;
    }

    private void promise(String name, Future<?> future) {
        synchronized (promises) {
            promises.computeIfAbsent(name, n -> new ArrayList<>()).add(future);
        }
        if (name.equals("end")) {
            future.addListener(done -> endNanos = System.nanoTime());
        }
    }

    private void begin() throws InterruptedException {
        if (question.reader() == Reader.FIRST) {
            closer.eventLoop().execute(this::write);
            Thread.sleep(2 * STEP_MILLIS);
            promise("reader close", reader.close());
            Thread.sleep(2 * STEP_MILLIS);
        }
        if (question.reader() == Reader.WRITES) {
            reader.eventLoop().execute(() -> keepWriting(System.nanoTime()));
            Thread.sleep(3 * STEP_MILLIS);
        }
        startNanos = System.nanoTime();
        if (question.how().isTriggered()) {
            closerSide.onThrown(context -> promise("end", context.close()));
            closerSide.onFirstRead(context -> {
                write();
                if (question.how() == How.EXCEPTION) {
                    throw new EndSide.Thrown();
                }
                promise("end", context.close());
            });
            reader.writeAndFlush(EndSide.pattern(0, 1));
        } else if (question.how() == How.OTHER_THREAD) {
            write();
            promise("end", closer.close());
        } else {
            closer.eventLoop().execute(this::end);
        }
        if (question.reader().pauseMillis() >= 0) {
            reader.eventLoop()
                    .schedule(
                            () -> reader.config().setAutoRead(true),
                            question.reader().pauseMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    /** Writes what the closer writes before it ends, unless it has. */
    private ChannelFuture write() {
        if (written == null) {
            if (question.how().isSecond()) {
                written = closer.writeAndFlush(EndSide.pattern(0, 1));
                promise("write", written);
            } else {
                written = write("write", 0);
            }
        }
        return written;
    }

    private ChannelFuture write(String name, int from) {
        int pieces = question.small() ? PIECES : 1;
        int length = question.bytes() / pieces;
        ChannelFuture last = null;
        for (int i = 0; i < pieces; i++) {
            ByteBuf piece = EndSide.pattern(from + i * length, length);
            last = closer.writeAndFlush(piece);
            promise(name, last);
        }
        return last;
    }

    private void end() {
        int linger = question.how() == How.LINGER0 ? 0 : question.how().isLinger() ? 2 : -1;
        ChannelFuture write = write();
        if (linger >= 0 && closer.isOpen()) {
            ((SocketChannel) closer).config().setSoLinger(linger);
        }
        switch (question.how()) {
            case CLOSE_AFTER ->
                write.addListener(done -> closer.eventLoop()
                        .schedule(() -> promise("end", closer.close()), STEP_MILLIS, TimeUnit.MILLISECONDS));
            case LISTENER -> {
                write.addListener(ChannelFutureListener.CLOSE);
                promise("end", closer.closeFuture());
            }
            case LINGER0_AFTER ->
                write.addListener(done -> {
                    if (closer.isOpen()) {
                        ((SocketChannel) closer).config().setSoLinger(0);
                    }
                    promise("end", closer.close());
                });
            case SHUTDOWN_OUTPUT -> promise("end", ((DuplexChannel) closer).shutdownOutput());
            case SHUTDOWN_INPUT -> promise("end", ((DuplexChannel) closer).shutdownInput());
            case SHUTDOWN -> promise("end", ((DuplexChannel) closer).shutdown());
            case DISCONNECT -> promise("end", closer.disconnect());
            case DEREGISTER -> {
                promise("deregister", closer.deregister());
                promise("end", closer.close());
            }
            case GROUP -> promise("end", closers.shutdownGracefully());
            case GROUP_SHORT -> promise("end", closers.shutdownGracefully(0, 5, TimeUnit.SECONDS));
            case SECOND, SECOND_LINGER, SECOND_DEREGISTER ->
                write.addListener(done -> {
                    write("second write", 1);
                    if (question.how() == How.SECOND_DEREGISTER) {
                        promise("deregister", closer.deregister());
                    }
                    promise("end", closer.close());
                });
            default -> promise("end", closer.close());
        }
    }

    private void keepWriting(long sinceNanos) {
        ChannelFuture write = reader.writeAndFlush(EndSide.pattern(0, 1000));
        promise("reader writes", write);
        boolean isOver = System.nanoTime() - sinceNanos > TimeUnit.SECONDS.toNanos(2);
        if (!isOver && !(write.isDone() && !write.isSuccess())) {
            reader.eventLoop().schedule(() -> keepWriting(sinceNanos), 50, TimeUnit.MILLISECONDS);
        }
    }

    private void await() throws InterruptedException {
        boolean hasLateWrites = question.reader() == Reader.LATE || question.reader() == Reader.LATE_UNREAD;
        long lateMillis = question.how() == How.GROUP ? 3000 : 700;
        int lateWrites = 0;
        boolean isNoted = !question.reader().isLong();
        while (millis(System.nanoTime()) < TimeUnit.SECONDS.toMillis(question.limitSeconds())) {
            Thread.sleep(POLL_MILLIS);
            long now = millis(System.nanoTime());
            if (endNanos != 0) {
                release();
            }
            if (!isNoted && now > 1000) {
                noteStates(" after 1 s");
                isNoted = true;
            }
            if (hasLateWrites && lateWrites < 3 && now > lateMillis + lateWrites * STEP_MILLIS) {
                promise("reader's late write " + ++lateWrites, reader.writeAndFlush(EndSide.pattern(0, 100)));
            }
            if (isNoted && (!hasLateWrites || lateWrites == 3) && isOver()) {
                Thread.sleep(2 * STEP_MILLIS);
                return;
            }
        }
    }

    private boolean isOver() {
        synchronized (promises) {
            return promises.containsKey("end")
                    && promises.values().stream().allMatch(all -> all.stream().allMatch(Future::isDone))
                    && closerSide.isUnregistered()
                    && readerSide.isUnregistered();
        }
    }

    private void noteStates(String when) {
        outcome.put("closer state" + when, EndWords.state(closer));
        outcome.put("reader state" + when, EndWords.state(reader));
    }

    private void describe() {
        outcome.putBytes(readerSide.receivedBytes(), readerSide.wrongBytes(), question.expectedBytes());
        outcome.put("closer events", closerSide.events());
        outcome.put("reader events", readerSide.events());
        synchronized (promises) {
            promises.forEach((name, all) -> outcome.put(name + " promise", EndWords.ofAll(all)));
        }
        noteStates("");
        if (!question.how().isGroup()) {
            outcome.putMillis("end time", millis(endNanos));
        }
        outcome.putMillis("closer inactive time", millis(closerSide.inactiveNanos()));
        outcome.putMillis("reader inactive time", millis(readerSide.inactiveNanos()));
    }

    private long millis(long nanos) {
        return nanos == 0 ? -1 : Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos - startNanos));
    }
}
