// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.engine.AbstractRdmaChannel;
import io.nettyrdma.engine.ConnectionTerms;
import io.nettyrdma.engine.Exchange;
import io.nettyrdma.engine.LoopMeter;
import io.nettyrdma.engine.LoopTimer;
import io.nettyrdma.engine.OrderlyClose;
import io.nettyrdma.engine.QueuePair;
import io.nettyrdma.engine.ReceivePoster;
import io.nettyrdma.engine.Receives;
import io.nettyrdma.engine.SendQueue;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.error.RdmaStreamProtocolException;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.stream.ReceiveWindow;
import io.nettyrdma.stream.SendWindow;
import io.nettyrdma.stream.StreamProtocolException;
import io.nettyrdma.stream.StreamWord;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The stream of one channel between its pipeline and its queue pair: brings words of the peer to the window they belong
 * to, and posts what is owed. {@link StreamEnd} says what is over.
 *
 * <p>On iWARP the side that accepts sends nothing before the initiator's first message (RFC 5044, section 7.1.2.3). Siw
 * fails the initiator's connect if bytes are there before it has processed the reply. The device's own hold-back ends
 * when data of the initiator arrives, which siw may do before the connect is complete, so the stream waits for its
 * first word. An initiator that speaks rsockets always sends one, but siw as the device of this side may overlook it:
 * {@link #PEER_FIRST_MILLIS} bounds the wait.
 *
 * <p>Threading: the loop's.
 */
final class StreamExchange extends Exchange implements WordReceives.Words {

    /**
     * How long a side that accepts waits for the initiator's first word before it sends itself. Siw has taken more than
     * 100 ms to process a reply on a busy machine.
     */
    private static final long PEER_FIRST_MILLIS = 750;

    /** When a region that has given no bytes is asked again. */
    private static final long RETRY_MILLIS = 1;

    private final RdmaSocketChannelConfig config;
    private final StreamSetup setup;
    private final StreamEnd end;
    private final StreamKeepalive keepalive;
    private final StreamAnnouncement announcement;
    /** Flushes again, as a region has given no bytes, and does not say when it will. */
    private final LoopTimer retry = new LoopTimer();

    /** There with the queue pair. */
    private @Nullable StreamControl control;

    /** There with the connection, as what follows. */
    private @Nullable StreamInput input;

    private @Nullable StreamOutput output;
    private @Nullable ReceiveWindow receiveWindow;
    private @Nullable SendWindow sendWindow;

    /** Words that came before the connection management has told of the connection; no more than receives. */
    private final ArrayDeque<Integer> early = new ArrayDeque<>(0);

    private boolean readBeforeConnected;

    /** Runs while nothing is sent because the initiator is to send first. */
    private final LoopTimer peerTimer = new LoopTimer();

    /** Closes the channel, when the peer that this side has accepted is there, or has taken all. */
    private @Nullable Runnable waitingClose;

    /** Bounds that wait. */
    private final LoopTimer closeTimer = new LoopTimer();

    StreamExchange(AbstractRdmaChannel channel, RdmaSocketChannelConfig config) {
        super(channel);
        this.config = config;
        setup = new StreamSetup(channel, config, connection, orderlyClose::close);
        end = new StreamEnd(config, lifecycle, this);
        IdleWatched traffic = new PostedTraffic();
        keepalive = new StreamKeepalive(config, traffic);
        announcement = new StreamAnnouncement(traffic);
    }

    ConnectionTerms terms() {
        return setup;
    }

    StreamEnd end() {
        return end;
    }

    /** The peer, or the network, has reset the stream. */
    void onReset() {
        connection.count(LoopMeter.CONNECTIONS_RESET);
    }

    /** SO_KEEPALIVE or its time has changed. */
    void onKeepaliveChanged() {
        keepalive.update();
    }

    void onSocketOptionChanged() {
        setup.applySocketOptions();
    }

    private final class PostedTraffic implements IdleWatched {

        @Override
        public long sent() {
            QueuePair pair = connection.queuePair();
            return pair == null ? 0 : pair.sends().added();
        }

        @Override
        public long received() {
            ReceiveWindow own = receiveWindow;
            return own == null ? 0 : own.received();
        }

        @Override
        public void onIdle() {
            QueuePair pair = connection.queuePair();
            StreamControl words = control;
            SendWindow peers = sendWindow;
            if (pair == null || words == null || peers == null || end.isDisconnected() || !pair.mayPost()) {
                return;
            }
            WorkRequestBatch batch = pair.batch();
            try {
                words.addProbe(peers, pair.sends(), batch);
                pair.sends().post(batch);
            } catch (Throwable e) {
                orderlyClose.fail(e);
            }
        }
    }

    @Override
    public Receives receives(ReceivePoster poster, RegisteredMemoryPool memory, Runnable postLater) throws IOException {
        boolean networkOrder = setup.isNetworkOrder();
        boolean immediate = connection.capabilities().immediateData();
        WordReceives receives;
        StreamControl made = null;
        try {
            made = new StreamControl(memory, StreamSetup.SEND_DEPTH, networkOrder, immediate);
            receives = new WordReceives(poster, memory, setup.receiveCount(), networkOrder, immediate, this, postLater);
        } catch (OutOfMemoryError e) {
            if (made != null) {
                made.free();
            }
            throw StreamSetup.outOfMemory(channel, config, e);
        }
        control = made;
        end.onQueuePair(made);
        return receives;
    }

    @Override
    public void onQueuePairGone() throws IOException {
        StreamControl present = control;
        control = null;
        giveUpBytes();
        if (present != null) {
            present.free();
        }
        if (input != null) {
            input.end();
        }
        peerTimer.stop();
        keepalive.stop();
        setup.free();
    }

    @Override
    public void onEstablished() throws Exception {
        QueuePair pair = connection.queuePair();
        StreamControl words = control;
        assert pair != null && words != null;
        SendWindow peers = setup.sendWindow();
        ReceiveWindow own = setup.receiveWindow();
        RegisteredMemoryPool memory = pair.device().memory();
        sendWindow = peers;
        receiveWindow = own;
        StreamOutput out = new StreamOutput(memory, peers, words, config, pair.sends());
        output = out;
        boolean accepts = lifecycle.isAccepting();
        StreamInput made = new StreamInput(channel, lifecycle, config, setup.buffers(), own, end, !accepts);
        input = made;
        boolean iwarp = !connection.capabilities().immediateData();
        if (iwarp && accepts && early.isEmpty()) {
            awaitPeer();
        }
        end.onEstablished(made, out);
        if (readBeforeConnected) {
            made.beginRead();
        }
        takeEarlyWords(); // first, as they may ask for buffers
        made.publish();
        try {
            postOwed();
        } catch (QueuePairInErrorException e) {
            // The peer has ended the connection already. As with TCP, the channel is active first and ends then.
            channel.eventLoop().execute(() -> orderlyClose.fail(e));
        }
        if (waitingClose != null) {
            channel.eventLoop().execute(this::closeAtOnce);
        }
        keepalive.start(channel.eventLoop());
        if (iwarp && !accepts) {
            announcement.start(channel.eventLoop());
        }
    }

    private void takeEarlyWords() {
        try {
            Integer word;
            while ((word = early.poll()) != null) {
                onWord(word);
            }
        } catch (IOException e) {
            // Active first, as the close of an active channel waits until its last word is sent.
            channel.eventLoop().execute(() -> orderlyClose.fail(e));
        }
    }

    private void awaitPeer() {
        if (!channel.eventLoop().isShuttingDown()) {
            peerTimer.start(channel.eventLoop(), PEER_FIRST_MILLIS, this::sendHeldBack); // the initiator takes too long
        }
    }

    /** The initiator has sent something; what it has sent besides is handled first. */
    private void stopAwaitingPeer() {
        if (peerTimer.stop()) {
            channel.eventLoop().execute(this::sendHeldBack);
        }
    }

    private void sendHeldBack() {
        flushAgain();
        try {
            postOwed();
            end.dropIfAborting();
        } catch (Throwable e) {
            orderlyClose.fail(e);
        }
    }

    @Override
    public void onWord(int word) throws IOException {
        stopAwaitingPeer();
        StreamInput in = input;
        if (in == null) {
            if (early.size() == setup.receiveCount()) {
                throw new IOException(
                        "words of the peer before the connection is established: more than " + setup.receiveCount());
            }
            early.add(word);
            return;
        }
        try {
            if (end.accepts(word)) {
                take(word, in);
            }
        } catch (StreamProtocolException e) {
            throw new RdmaStreamProtocolException(e);
        }
    }

    private void take(int word, StreamInput in) throws IOException {
        SendWindow peers = sendWindow;
        ReceiveWindow own = receiveWindow;
        assert peers != null && own != null;
        switch (StreamWord.kind(word)) {
            case DATA -> {
                connection.device().traffic().onWritten(StreamWord.value(word));
                in.onData(StreamWord.value(word));
            }
            case LIMIT -> peers.onLimit(StreamWord.value(word));
            default -> own.countIomap();
        }
    }

    /** Takes what was flushed, as far as there is room for it, unless the peer has ended. */
    @Override
    public void write(ChannelOutboundBuffer in) throws Exception {
        if (end.takesWrites()) {
            super.write(in);
            return;
        }
        // Messages that a listener writes now wait for the next flush, or this would never end.
        for (int count = in.size(); count > 0; count--) {
            in.remove();
        }
    }

    @Override
    protected void write(ChannelOutboundBuffer in, QueuePair pair) throws Exception {
        StreamOutput out = output;
        if (out == null) {
            return;
        }
        int turns = config.getWriteSpinCount();
        do {
            try {
                out.take(in);
            } catch (OutOfMemoryError e) {
                throw StreamSetup.outOfMemory(channel, config, e); // as an IOException, which closes the channel
            } finally {
                if (maySend()) {
                    post(pair); // what was taken before a region that fails is sent
                }
                out.complete(in);
            }
        } while (!in.isEmpty()
                && !out.isBlocked()
                && !out.awaitsRegion()
                && --turns > 0); // what listeners have flushed
        if (out.awaitsRegion()) {
            if (!retry.isRunning() && !channel.eventLoop().isShuttingDown()) {
                retry.start(channel.eventLoop(), RETRY_MILLIS, this::flushAgain);
            }
        } else if (!in.isEmpty() && !out.isBlocked()) {
            channel.eventLoop().execute(this::flushAgain);
        }
    }

    /** Posts what is owed to the peer, and with it buffered bytes as far as the peer takes them. */
    private void post(QueuePair pair) throws Exception {
        StreamControl words = control;
        if (words == null) {
            throw new ClosedChannelException();
        }
        pair.postReceives(); // before the peer gets credits for them
        SendQueue sends = pair.sends();
        WorkRequestBatch batch = pair.batch();
        try {
            if (receiveWindow != null && !end.isDisconnected()) {
                words.addGrants(receiveWindow, sends, batch);
            }
            if (output != null) {
                output.post(batch);
            }
            end.endIfPosted();
            words.addEnd(sends, batch);
        } catch (OutOfMemoryError e) {
            giveUpBytes();
            throw StreamSetup.outOfMemory(channel, config, e);
        } catch (Throwable e) {
            giveUpBytes();
            throw e;
        } finally {
            sends.post(batch);
        }
    }

    private void giveUpBytes() {
        if (output != null) {
            output.drop();
        }
    }

    private boolean isOwing() {
        ReceiveWindow window = receiveWindow;
        StreamControl words = control;
        return words != null
                && (words.owesEnd()
                        || end.isOwed()
                        || output != null && output.mayPost()
                        || window != null && !end.isDisconnected() && (window.isEntryOwed() || window.isLimitDue()));
    }

    /** Whether the peer need not send first. */
    boolean maySend() {
        return !peerTimer.isRunning();
    }

    /** Posts what is owed to the peer, if there is a connection. */
    void postOwed() throws Exception {
        QueuePair pair = connection.queuePair();
        if (pair != null && isOwing() && maySend() && pair.mayPost()) {
            post(pair);
        }
    }

    void beginRead() {
        StreamInput in = input;
        if (in == null) {
            readBeforeConnected = true;
        } else if (in.beginRead() && !channel.eventLoop().isShutdown()) {
            channel.eventLoop().execute(this::deliverOnItsOwn);
        }
    }

    @Override
    protected void clearRead() {
        readBeforeConnected = false;
        if (input != null) {
            input.clearRead();
        }
    }

    /** What was unread may have kept buffers from being published. */
    private void deliverOnItsOwn() {
        try {
            deliver();
            postOwed();
        } catch (Throwable e) {
            orderlyClose.fail(e);
        }
    }

    /** Delivers what has come; then pending writes meet the peer's end, if there is one, before a read does. */
    @Override
    public void deliver() {
        StreamInput in = input;
        if (in == null || waitingClose != null) {
            return;
        }
        boolean refuses = end.refusesWrites();
        in.deliver(!refuses);
        ChannelOutboundBuffer out = outboundBuffer();
        if (out != null && !out.isEmpty() && (refuses || output != null && output.isBlocked())) {
            flushAgain();
        }
        if (refuses) {
            in.deliver(true);
        }
    }

    @Override
    public void onSendCompleted(Object tag, @Nullable Throwable cause) {
        super.onSendCompleted(tag, cause);
        if (tag == StreamOutput.DATA && output != null) {
            output.onData();
        } else if (tag == StreamControl.ENTRY && control != null) {
            control.onEntryWritten();
        }
    }

    @Override
    public void onBatchEnd() {
        deliver();
        try {
            if (input != null) {
                input.publish();
            }
            postOwed();
        } catch (Throwable e) {
            orderlyClose.fail(e);
        }
        if (waitingClose != null && input != null && unsentBytes() == 0) {
            closeAtOnce();
        }
        super.onBatchEnd();
    }

    @Override
    public @Nullable String explain(boolean receive, int status) {
        return receive && (status == VerbsConstants.WC_LOC_LEN_ERR || status == VerbsConstants.WC_LOC_QP_OP_ERR)
                ? "the peer's message is longer than a word of " + StreamWord.BYTES + " octets"
                : null;
    }

    /**
     * Whether a close waits, for a bounded time, because the peer that this side has accepted is not there yet. It is
     * to see what was flushed and an end, and no reset.
     */
    boolean closesWhenAccepted(ChannelPromise promise) {
        if (input != null || !lifecycle.isAccepting() || channel.eventLoop().isShuttingDown()) {
            return false;
        }
        orderlyClose.completeAtClose(promise);
        if (waitingClose == null) {
            waitToClose(() -> orderlyClose.closeNow(channel.voidPromise()), OrderlyClose.FLUSH_MILLIS);
        }
        return true;
    }

    /** Whether a close waits for the peer to take what the stream holds. */
    boolean lingers() {
        return config.getSoLinger() > 0
                && lifecycle.isConnected()
                && unsentBytes() > 0
                && !channel.eventLoop().isShuttingDown();
    }

    /** Runs {@code close} when the peer has taken all, or after SO_LINGER seconds. */
    void linger(Runnable close) {
        disconnect();
        waitToClose(close, TimeUnit.SECONDS.toMillis(config.getSoLinger()));
    }

    private void waitToClose(Runnable close, long millis) {
        waitingClose = close;
        closeTimer.start(channel.eventLoop(), millis, this::closeAtOnce);
    }

    /** A close waits no longer. */
    @Override
    protected void closeAtOnce() {
        Runnable close = waitingClose;
        waitingClose = null;
        closeTimer.stop();
        if (close != null) {
            close.run();
        }
    }

    /** Throws what a write fails with while a close waits. */
    void checkWrite() throws ClosedChannelException {
        if (waitingClose != null) {
            throw new ClosedChannelException();
        }
    }

    /** The channel is about to close: tells the peer, behind all that was taken. */
    void disconnect() {
        if (peerTimer.isRunning() && channel.eventLoop().isShuttingDown()) {
            peerTimer.stop(); // which would not run
        }
        end.close(setup.hasReply());
    }

    @Override
    public long unsentBytes() {
        StreamControl words = control;
        boolean endOwed = words != null && (words.owesEnd() || end.isOwed());
        return (output == null ? 0 : output.unsentBytes()) + (endOwed ? 1 : 0);
    }

    @Override
    public void abort() {
        end.abort();
    }

    @Override
    public @Nullable Throwable endOfConnection(@Nullable String reason) {
        if (input == null) {
            return reason == null ? null : new RdmaConnectionException(reason);
        }
        end.onConnectionGone(connection.verbs().knowsReasons(), reason, lifecycle.takeFailedRequest());
        if (waitingClose != null) {
            channel.eventLoop().execute(this::closeAtOnce);
        }
        return null;
    }

    @Override
    public void onClosed() {
        closeAtOnce();
        announcement.stop();
        retry.stop();
        keepalive.stop();
        if (unsentBytes() > 0) {
            keepalive.startBehindClose(channel.eventLoop());
        }
    }
}
