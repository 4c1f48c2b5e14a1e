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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.stream.SendWindow;
import io.nettyrdma.stream.StreamWord;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a stream on their way out. What was flushed is written into the peer's buffers, as far as these, the
 * peer's limit, SO_SNDBUF and the send queue go; a word DATA follows the RDMA Writes of each buffer. Messages stay in
 * Netty's outbound buffer until their bytes are done, and the bytes that are posted are always the first of those.
 *
 * <p>Small messages are copied one behind the other into blocks of registered memory, so that many of them are one
 * RDMA Write. A long direct buffer is written from where it is. A {@link FileRegion} is read into blocks.
 *
 * <p>Threading: the loop's. Ownership: of the block at hand; requests hold what they need.
 */
final class StreamOutput implements ChannelOutboundBuffer.MessageProcessor {

    /** Tag of an RDMA Write of bytes. */
    static final Object BYTES = "bytes";

    /** Tag of a word DATA. */
    static final Object DATA = "data";

    /** Bytes of a block for small messages and files, at most. */
    private static final int BLOCK_BYTES = 64 * 1024;
    /** Fewest bytes in the loop's registered memory that are not copied: each costs an RDMA Write of its own. */
    private static final int REGISTERED_BYTES = 8 * 1024;

    private static final class StartedRegion {
        /** Bytes that were read from it and are not done. */
        long underWay;
    }

    private final RegisteredMemoryPool pool;
    private final SendWindow window;
    private final StreamControl control;
    private final RdmaSocketChannelConfig config;
    private final FileRegionChannel files = new FileRegionChannel();
    /** Bytes of each DATA under way, the oldest at {@link #oldest}. */
    private final int[] underWay;

    private int oldest;
    private int youngest;
    /** Sum of those. */
    private long posted;
    /** The file regions of the outbound buffer that are read in part or whole, in order. */
    private final ArrayDeque<StartedRegion> regions = new ArrayDeque<>(0);

    private boolean blocked;
    private boolean awaitsRegion;

    // While messages are gathered:
    private @Nullable SendQueue sends;
    private @Nullable WorkRequestBatch batch;
    private @Nullable Iterator<StartedRegion> nextStarted;
    /** Bytes of the first messages that are posted. */
    private long skip;
    /** Bytes of the DATA at hand, in requests and in the block. */
    private int dataBytes;
    /** Bytes of it that are in requests. */
    private int addedBytes;
    /** Bytes that it may have. */
    private int dataRoom;

    private @Nullable RegisteredByteBuf block;
    private long wanted;

    StreamOutput(
            RegisteredMemoryPool pool,
            SendWindow window,
            StreamControl control,
            RdmaSocketChannelConfig config,
            int sendDepth) {
        this.pool = pool;
        this.window = window;
        this.control = control;
        this.config = config;
        underWay = new int[sendDepth + 1];
    }

    /** Whether flushed bytes wait for the peer or for the send queue. */
    boolean isBlocked() {
        return blocked;
    }

    /** Whether a region has given no bytes, though it has some left; no event says when to ask it again. */
    boolean awaitsRegion() {
        return awaitsRegion;
    }

    /** Whether bytes are posted and not done. */
    boolean isUnderWay() {
        return posted > 0;
    }

    /** Adds the requests for what was flushed and not posted to the batch at hand; posts whenever that is full. */
    void gather(ChannelOutboundBuffer in, SendQueue to, WorkRequestBatch into) throws Exception {
        sends = to;
        batch = into;
        nextStarted = regions.isEmpty() ? null : regions.iterator();
        skip = posted;
        wanted = in.totalPendingWriteBytes();
        blocked = false;
        awaitsRegion = false;
        try {
            in.forEachFlushedMessage(this);
        } finally {
            try {
                endData();
            } finally {
                dropBlock();
                sends = null;
                batch = null;
                nextStarted = null;
            }
        }
        removeEmpty(in);
    }

    @Override
    public boolean processMessage(Object message) throws Exception {
        return message instanceof ByteBuf buffer ? add(buffer) : add((FileRegion) message);
    }

    private boolean add(ByteBuf buffer) throws IOException {
        int length = buffer.readableBytes();
        if (skip >= length) {
            skip -= length;
            return true;
        }
        int from = (int) skip;
        skip = 0;
        while (from < length) {
            if (!startData()) {
                return false;
            }
            int bytes = Math.min(length - from, dataRoom - dataBytes);
            int index = buffer.readerIndex() + from;
            if (isWorthWhile(buffer, bytes)) {
                addReference(buffer, index, bytes);
            } else {
                RegisteredByteBuf into = openBlock(bytes);
                bytes = Math.min(bytes, into.writableBytes());
                // By way of the cached NIO view: writeBytes would make views of the source for each message.
                int end = into.writerIndex();
                buffer.getBytes(index, into.internalNioBuffer(end, bytes));
                into.writerIndex(end + bytes);
                dataBytes += bytes;
            }
            from += bytes;
        }
        return true;
    }

    /** Whether to write bytes from where they are. */
    private boolean isWorthWhile(ByteBuf buffer, int bytes) {
        return bytes >= REGISTERED_BYTES
                && SendQueue.isOneDirectBuffer(buffer)
                && (pool.find(buffer) != null || bytes > sends().copyBytes());
    }

    private void addReference(ByteBuf buffer, int index, int bytes) throws IOException {
        addBlock();
        makeRoom();
        sends().addWrite(BYTES, buffer, index, bytes, window.key(), window.address() + addedBytes, batch());
        addedBytes += bytes;
        dataBytes += bytes;
    }

    private boolean add(FileRegion region) throws IOException {
        StartedRegion started = nextStarted != null && nextStarted.hasNext() ? nextStarted.next() : null;
        if (started != null) {
            skip -= started.underWay;
        }
        while (region.transferred() < region.count()) {
            if (!startData()) {
                return false;
            }
            int bytes = (int) Math.min(region.count() - region.transferred(), dataRoom - dataBytes);
            RegisteredByteBuf into = openBlock(bytes);
            bytes = Math.min(bytes, into.writableBytes());
            if (started == null) {
                started = new StartedRegion();
                regions.add(started);
                nextStarted = null; // all that were there before have been seen
            }
            int read = files.read(region, into, bytes);
            started.underWay += read;
            dataBytes += read;
            if (read < bytes && region.transferred() < region.count()) {
                awaitsRegion = true;
                return false;
            }
        }
        return true;
    }

    /** Makes sure that the DATA at hand has room, or begins another; {@code false} if nothing goes out any more. */
    private boolean startData() throws IOException {
        if (dataBytes > 0 && dataBytes < dataRoom && requestRoom() > 0) {
            return true;
        }
        endData();
        long budget = config.getSendBufferSize() - posted;
        if (requestRoom() <= 0 || budget <= 0) {
            blocked = true;
            return false;
        }
        dataRoom = (int) Math.min(window.writableBytes(), budget);
        blocked = dataRoom == 0;
        return !blocked;
    }

    /** Requests that can be added, besides the block at hand and DATA. */
    private int requestRoom() {
        return sends().room() - StreamControl.RESERVED - 2;
    }

    /** Posts the batch if the next requests do not fit into it. */
    private void makeRoom() throws IOException {
        WorkRequestBatch present = batch();
        if (present.isFull()) {
            sends().post(present);
            present.clear();
        }
    }

    private RegisteredByteBuf openBlock(int bytes) throws IOException {
        RegisteredByteBuf present = block;
        if (present != null && present.isWritable()) {
            return present;
        }
        addBlock();
        int size = (int) Math.min(BLOCK_BYTES, Math.max(bytes, Math.min(wanted, dataRoom - dataBytes)));
        present = pool.allocate(size);
        block = present;
        return present;
    }

    /** Adds the RDMA Write of the block. */
    private void addBlock() throws IOException {
        RegisteredByteBuf present = block;
        if (present != null && present.isReadable()) {
            makeRoom();
            int bytes = present.readableBytes();
            int index = present.readerIndex();
            sends().addWrite(BYTES, present, index, bytes, window.key(), window.address() + addedBytes, batch());
            addedBytes += bytes;
            present.readerIndex(index + bytes);
        }
        if (present != null && !present.isWritable()) {
            dropBlock();
        }
    }

    private void dropBlock() {
        RegisteredByteBuf present = block;
        block = null;
        if (present != null) {
            present.release();
        }
    }

    /** Adds the word that tells the peer of the bytes added. */
    private void endData() throws IOException {
        if (dataBytes == 0) {
            return;
        }
        addBlock();
        makeRoom();
        int bytes = dataBytes;
        dataBytes = 0;
        addedBytes = 0;
        dataRoom = 0;
        window.advance(bytes);
        underWay[youngest] = bytes;
        youngest = youngest + 1 == underWay.length ? 0 : youngest + 1;
        posted += bytes;
        control.addWord(DATA, StreamWord.data(bytes), sends(), batch());
    }

    /** The oldest DATA is done, or has failed with the connection. */
    void onData(@Nullable ChannelOutboundBuffer in, boolean done) {
        long bytes = underWay[oldest];
        oldest = oldest + 1 == underWay.length ? 0 : oldest + 1;
        if (in == null || !done) {
            posted -= bytes; // closed: Netty has failed the promises already, or is going to
            return;
        }
        while (bytes > 0) {
            Object message = in.current();
            if (message == null) {
                posted -= bytes; // a listener has closed the channel
                return;
            }
            bytes -= complete(in, message, bytes);
        }
        removeEmpty(in);
    }

    /** Completes up to {@code bytes} bytes of the first message. */
    private long complete(ChannelOutboundBuffer in, Object message, long bytes) {
        StartedRegion region = message instanceof FileRegion ? regions.element() : null;
        long left = region != null ? region.underWay : ((ByteBuf) message).readableBytes();
        long now = Math.min(left, bytes);
        if (now > 0) {
            in.progress(now);
        }
        posted -= now; // listeners may write and flush: with the message there, this counts; with the message gone, not
        if (region != null) {
            region.underWay -= now;
            removeEmpty(in);
        } else if (now == left) {
            in.remove();
        } else {
            ((ByteBuf) message).skipBytes((int) now);
        }
        return now;
    }

    /** Completes messages that nothing is left of and nothing stands before. */
    private void removeEmpty(ChannelOutboundBuffer in) {
        Object message;
        while ((message = in.current()) != null && isDone(message)) {
            if (message instanceof FileRegion) {
                regions.poll();
            }
            in.remove();
        }
    }

    private boolean isDone(Object message) {
        if (message instanceof ByteBuf buffer) {
            return !buffer.isReadable();
        }
        // The bytes that a region writes need not be as many as it says.
        FileRegion region = (FileRegion) message;
        StartedRegion started = regions.peek();
        return region.transferred() >= region.count() && (started == null || started.underWay == 0);
    }

    private SendQueue sends() {
        SendQueue present = sends;
        assert present != null;
        return present;
    }

    private WorkRequestBatch batch() {
        WorkRequestBatch present = batch;
        assert present != null;
        return present;
    }
}
