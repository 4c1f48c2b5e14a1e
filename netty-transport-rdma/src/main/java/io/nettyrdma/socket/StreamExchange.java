// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.Future;
import io.nettyrdma.engine.AbstractRdmaChannel;
import io.nettyrdma.engine.ConnectionTerms;
import io.nettyrdma.engine.Exchange;
import io.nettyrdma.engine.OrderlyClose;
import io.nettyrdma.engine.QueuePair;
import io.nettyrdma.engine.ReceivePoster;
import io.nettyrdma.engine.Receives;
import io.nettyrdma.engine.SendQueue;
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
     * How long a side that accepts waits for the initiator's first word before it sends itself. It is less than {@link
     * OrderlyClose#FLUSH_MILLIS}, in which a close can still send its word. Siw has taken more than 100 ms to process a
     * reply on a busy machine.
     */
    private static final long PEER_FIRST_MILLIS = 750;

    private final RdmaSocketChannelConfig config;
    private final StreamSetup setup;
    private final StreamEnd end;
    private final StreamKeepalive keepalive;
    private final StreamAnnouncement announcement;
    private final StreamRetry retry;

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
    private @Nullable Future<?> peerTimer;

    StreamExchange(AbstractRdmaChannel channel, RdmaSocketChannelConfig config) {
        super(channel);
        this.config = config;
        setup = new StreamSetup(channel, config, connection, orderlyClose::close);
        end = new StreamEnd(channel, unsafe, config, lifecycle, orderlyClose, this::postOwed);
        StreamTraffic traffic = new PostedTraffic();
        keepalive = new StreamKeepalive(config, traffic);
        announcement = new StreamAnnouncement(traffic);
        retry = new StreamRetry(this::flushAgain);
    }

    ConnectionTerms terms() {
        return setup;
    }

    /** How the stream ends. */
    StreamEnd end() {
        return end;
    }

    /** SO_KEEPALIVE or its time has changed. */
    void onKeepaliveChanged() {
        keepalive.update();
    }

    /** An option of the socket below has changed. */
    void onSocketOptionChanged() {
        setup.applySocketOptions();
    }

    private final class PostedTraffic implements StreamTraffic {

        @Override
        public long sent() {
            QueuePair pair = connection.queuePair();
            return pair == null ? 0 : pair.sends().added();
        }

        @Override
        public void onIdle() {
            QueuePair pair = connection.queuePair();
            StreamControl words = control;
            SendWindow peers = sendWindow;
            if (pair == null || words == null || peers == null || end.isDisconnected() || pair.hasFailedPost()) {
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
            throw setup.outOfMemory(e);
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
            input.close();
        }
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
        StreamInput made = new StreamInput(channel, lifecycle, config, setup.buffers(), own, orderlyClose::close);
        input = made;
        boolean accepts = lifecycle.isAccepting();
        boolean iwarp = !connection.capabilities().immediateData();
        if (iwarp && accepts && early.isEmpty()) {
            awaitPeer();
        }
        end.onEstablished(made, out, peerTimer != null);
        if (readBeforeConnected) {
            made.beginRead();
        }
        made.publish();
        try {
            postOwed();
        } catch (QueuePairInErrorException e) {
            // The peer has ended the connection already. As with TCP, the channel is active first and ends then.
            channel.eventLoop().execute(() -> orderlyClose.fail(e));
        }
        OpenStreams.add(channel);
        keepalive.start(channel.eventLoop());
        if (iwarp && !accepts) {
            announcement.start(channel.eventLoop());
        }
        takeEarlyWords();
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
            peerTimer = channel.eventLoop().schedule(this::onSilentPeer, PEER_FIRST_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** The initiator takes too long. */
    private void onSilentPeer() {
        peerTimer = null;
        sendHeldBack();
    }

    /** The initiator has sent something; what it has sent besides is handled first. */
    private void stopAwaitingPeer() {
        if (cancelPeerTimer()) {
            channel.eventLoop().execute(this::sendHeldBack);
        }
    }

    private boolean cancelPeerTimer() {
        Future<?> present = peerTimer;
        if (present == null) {
            return false;
        }
        peerTimer = null;
        present.cancel(false);
        return true;
    }

    private void sendHeldBack() {
        unsafe.flushAgain();
        try {
            postOwed();
        } catch (Throwable e) {
            orderlyClose.fail(e);
        }
        end.onMaySend();
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
            if (end.takes(word)) {
                take(word, in);
            }
            if (end.isDisconnected()) {
                giveUpBytes(); // the peer takes nothing any more
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

    /** Takes what was flushed, as far as there is room for it, or fails it if the output is over. */
    @Override
    public void write(ChannelOutboundBuffer in) throws Exception {
        if (end.isOutputOver()) {
            // Messages that a handler writes now, because the channel is writable again, wait for the next flush, or
            // this would never end.
            for (int count = in.size(); count > 0; count--) {
                in.remove(new ClosedChannelException());
            }
        } else {
            super.write(in);
        }
    }

    @Override
    protected void write(ChannelOutboundBuffer in, QueuePair pair) throws Exception {
        StreamOutput out = output;
        if (out == null || peerTimer != null) {
            return;
        }
        try {
            out.take(in);
        } finally {
            post(pair); // what was taken before a region that fails is sent
            out.complete(in);
        }
        if (out.awaitsRegion()) {
            retry.start(channel.eventLoop());
        } else if (!in.isEmpty() && !out.isBlocked()) {
            channel.eventLoop().execute(unsafe::flushAgain); // what listeners have flushed
        }
    }

    private void flushAgain() {
        unsafe.flushAgain();
        end.endOutputIfFlushed(); // a region may be complete without a request, and so without a completion
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
                        || output != null && output.mayPost()
                        || window != null && !end.isDisconnected() && (window.isEntryOwed() || window.isLimitDue()));
    }

    private void postOwed() throws Exception {
        QueuePair pair = connection.queuePair();
        if (pair != null && isOwing() && peerTimer == null && !pair.hasFailedPost()) {
            post(pair);
        }
    }

    /** A read was asked for. */
    void beginRead() {
        StreamInput in = input;
        if (in == null) {
            readBeforeConnected = true;
        } else if (in.beginRead()) {
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

    @Override
    public void deliver() {
        StreamInput in = input;
        try {
            if (in != null && !end.isClosing()) {
                in.deliver();
            }
        } catch (Throwable e) {
            orderlyClose.fail(e);
        }
        end.closeIfRead();
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
            ChannelOutboundBuffer in = unsafe.outboundBuffer();
            if (in != null && !in.isEmpty() && (end.isOutputOver() || output != null && output.isBlocked())) {
                unsafe.flushAgain();
            }
            postOwed();
        } catch (Throwable e) {
            orderlyClose.fail(e);
        }
        end.endOutputIfFlushed();
        super.onBatchEnd();
    }

    @Override
    public @Nullable String explain(boolean receive, int status) {
        return receive && (status == VerbsConstants.WC_LOC_LEN_ERR || status == VerbsConstants.WC_LOC_QP_OP_ERR)
                ? "the peer's message is longer than a word of " + StreamWord.BYTES + " octets"
                : null;
    }

    /** The channel is about to close: tells the peer, behind all that was posted. */
    void disconnect() {
        cancelPeerTimer();
        if (end.holdsBack()) {
            unsafe.flushAgain(); // the close could not wait
        }
        end.disconnect(setup.hasReply());
    }

    @Override
    public long unsentBytes() {
        return output == null ? 0 : output.unsentBytes();
    }

    @Override
    public void abort() {
        end.abort();
    }

    @Override
    public @Nullable Throwable endOfConnection(@Nullable String reason) {
        giveUpBytes();
        return end.endOfConnection(reason);
    }

    @Override
    public void onClosed() {
        keepalive.stop();
        cancelPeerTimer();
        announcement.stop();
        retry.stop();
        OpenStreams.remove(channel);
        end.onClosed();
        try {
            if (input != null) {
                input.drop();
            }
        } catch (Throwable e) {
            channel.pipeline().fireExceptionCaught(e);
        }
    }
}
