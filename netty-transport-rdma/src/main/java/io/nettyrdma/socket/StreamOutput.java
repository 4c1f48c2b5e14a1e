// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.nettyrdma.engine.SendQueue;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.stream.SendWindow;
import io.nettyrdma.stream.StreamWord;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;

/**
 * The bytes of a stream on their way out, in two steps. {@link #take} moves flushed messages into the {@link
 * SendBuffer}, as far as SO_SNDBUF goes, and {@link #complete} completes their promises. {@link #post} writes what is
 * there into the peer's buffers, as far as these, the peer's limit and the send queue go; a word DATA follows the RDMA
 * Writes of each buffer.
 *
 * <p>Threading: the loop's. Ownership: of the buffered bytes; requests hold what they need.
 */
final class StreamOutput implements ChannelOutboundBuffer.MessageProcessor {

    /** Tag of an RDMA Write of bytes. */
    static final Object BYTES = "bytes";

    /** Tag of a word DATA. */
    static final Object DATA = "data";

    private final SendBuffer buffer;
    private final SendWindow window;
    private final StreamControl control;
    private final RdmaSocketChannelConfig config;
    private final SendQueue sends;
    /** Bytes of each DATA under way, the oldest at {@link #oldest}. */
    private final int[] underWay;

    private int oldest;
    private int youngest;
    private long posted;

    private boolean blocked;
    private boolean awaitsRegion;
    private boolean lost;

    // While messages are taken:
    private long room;
    private long following;
    /** Messages that are taken as a whole. */
    private int taken;
    /** Bytes taken of the message behind them. */
    private int takenOfNext;

    StreamOutput(
            RegisteredMemoryPool pool,
            SendWindow window,
            StreamControl control,
            RdmaSocketChannelConfig config,
            SendQueue sends) {
        buffer = new SendBuffer(pool);
        this.window = window;
        this.control = control;
        this.config = config;
        this.sends = sends;
        underWay = new int[StreamSetup.SEND_DEPTH + 1];
    }

    /** Whether flushed messages wait for room in the buffer. */
    boolean isBlocked() {
        return blocked;
    }

    /** Whether a region has given no bytes, though it has some left; no event says when to ask it again. */
    boolean awaitsRegion() {
        return awaitsRegion;
    }

    /** Whether bytes that are taken are not posted, and can be. */
    boolean isBuffered() {
        return buffer.bytes() > 0 && sends.mayPost();
    }

    /** Bytes that are taken and not done. */
    long unsentBytes() {
        return buffer.bytes() + posted;
    }

    /** Whether taken bytes were given up, so that the peer must not take the end for an orderly one. */
    boolean hasLost() {
        return lost;
    }

    /** Takes what was flushed, as far as there is room for it. {@link #complete} follows. */
    void take(ChannelOutboundBuffer in) throws Exception {
        blocked = false;
        awaitsRegion = false;
        following = in.totalPendingWriteBytes();
        long held = unsentBytes();
        room = buffer.limit(config.getSendBufferSize(), held + following) - held;
        in.forEachFlushedMessage(this);
    }

    @Override
    public boolean processMessage(Object message) throws Exception {
        boolean whole = message instanceof ByteBuf bytes ? take(bytes) : take((FileRegion) message);
        if (whole) {
            taken++;
        }
        return whole;
    }

    private boolean take(ByteBuf message) {
        int length = message.readableBytes();
        int bytes = (int) Math.max(0, Math.min(length, room));
        if (bytes > 0) {
            buffer.add(message, message.readerIndex(), bytes, Math.min(following, room), sends.copyBytes());
            room -= bytes;
            following -= bytes;
        }
        blocked = bytes < length;
        takenOfNext = blocked ? bytes : 0;
        return !blocked;
    }

    private boolean take(FileRegion region) throws IOException {
        while (region.transferred() < region.count()) {
            int bytes = (int) Math.min(region.count() - region.transferred(), Math.min(room, Integer.MAX_VALUE));
            if (bytes <= 0) {
                blocked = true;
                return false;
            }
            int read = buffer.add(region, bytes);
            room -= read;
            if (read < bytes && region.transferred() < region.count()) {
                awaitsRegion = true;
                return false;
            }
        }
        return true;
    }

    /** Completes the messages that were taken. Their listeners may write, flush and close. */
    void complete(ChannelOutboundBuffer in) {
        int whole = taken;
        int bytes = takenOfNext;
        taken = 0;
        takenOfNext = 0;
        for (; whole > 0; whole--) {
            Object message = in.current();
            if (message == null) {
                return; // a listener has closed the channel
            }
            progress(in, message, message instanceof ByteBuf buffered ? buffered.readableBytes() : 0);
            in.remove();
        }
        Object next = in.current();
        if (next instanceof ByteBuf partly) {
            progress(in, partly, bytes);
            partly.skipBytes(bytes);
        } else if (next != null) {
            progress(in, next, 0);
        }
    }

    private static void progress(ChannelOutboundBuffer in, Object message, int bytes) {
        long now = message instanceof FileRegion region ? region.transferred() - in.currentProgress() : bytes;
        if (now > 0) {
            in.progress(now);
        }
    }

    /** Whether bytes can be posted now. */
    boolean mayPost() {
        return buffer.bytes() > 0 && window.writableBytes() > 0 && requestRoom() > 0;
    }

    /** Requests that can be added, besides DATA. */
    private int requestRoom() {
        return sends.room() - StreamControl.RESERVED - 1;
    }

    /** Adds the requests for buffered bytes to the batch at hand; posts whenever that is full. */
    void post(WorkRequestBatch batch) throws IOException {
        while (mayPost()) {
            int dataRoom = (int) Math.min(window.writableBytes(), buffer.bytes());
            int dataBytes = 0;
            try {
                while (dataBytes < dataRoom && requestRoom() > 0) {
                    ByteBuf piece = buffer.first();
                    int bytes = Math.min(piece.readableBytes(), dataRoom - dataBytes);
                    makeRoom(batch);
                    long address = window.address() + dataBytes;
                    sends.addWrite(BYTES, piece, piece.readerIndex(), bytes, window.key(), address, batch);
                    buffer.skip(bytes);
                    dataBytes += bytes;
                }
            } finally {
                endData(dataBytes, batch);
            }
        }
    }

    /** Adds the word that tells the peer of the bytes added. */
    private void endData(int bytes, WorkRequestBatch batch) throws IOException {
        if (bytes > 0) {
            makeRoom(batch);
            window.advance(bytes);
            underWay[youngest] = bytes;
            youngest = youngest + 1 == underWay.length ? 0 : youngest + 1;
            posted += bytes;
            control.addWord(DATA, StreamWord.data(bytes), sends, batch);
        }
    }

    /** Posts the batch if the next request does not fit into it. */
    private void makeRoom(WorkRequestBatch batch) throws IOException {
        if (batch.isFull()) {
            sends.post(batch);
            batch.clear();
        }
    }

    /** The oldest DATA is done, or has failed with the connection. */
    void onData() {
        posted -= underWay[oldest];
        oldest = oldest + 1 == underWay.length ? 0 : oldest + 1;
    }

    /** Gives up what is not posted. */
    void drop() {
        lost |= buffer.bytes() > 0;
        buffer.clear();
    }
}
