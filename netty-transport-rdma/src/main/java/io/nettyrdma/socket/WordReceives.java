// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.nettyrdma.engine.ReceivePoster;
import io.nettyrdma.engine.Receives;
import io.nettyrdma.engine.SendQueue;
import io.nettyrdma.error.RdmaStreamProtocolException;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.stream.StreamProtocolException;
import io.nettyrdma.stream.StreamWord;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;

/**
 * The receives of a stream: words of 4 octets, in one block of registered memory or as immediate data, taken as they
 * come and posted again whatever the pipeline does.
 *
 * <p>Threading: the loop's. Ownership: of the block, until the queue pair is gone.
 */
final class WordReceives implements Receives {

    /** Takes the words in the order in which they came. */
    interface Words {

        void onWord(int word) throws IOException;

        /** The queue pair is gone, and with it whatever could touch memory of the stream. */
        void onQueuePairGone() throws IOException;
    }

    /** Octets of a receive: more than a word, so that a longer message is seen and not the device's failure. */
    private static final int CELL_BYTES = 2 * StreamWord.BYTES;

    private final ReceivePoster poster;
    private final RegisteredByteBuf memory;
    private final boolean networkOrder;
    private final boolean immediate;
    private final Words words;
    private final Runnable postLater;
    /** Cells that are not posted: {@link #unpostedCount} of them, from the first. */
    private final int[] unposted;

    private int unpostedCount;
    /** Whether {@link #post} will be called before the loop waits. */
    private boolean postComes;

    private boolean closed;

    /**
     * @param count        words that the peer may send before the first is taken
     * @param networkOrder whether Sends of words are big-endian
     * @param immediate    whether words are immediate data
     */
    WordReceives(
            ReceivePoster poster,
            RegisteredMemoryPool pool,
            int count,
            boolean networkOrder,
            boolean immediate,
            Words words,
            Runnable postLater) {
        this.poster = poster;
        this.networkOrder = networkOrder;
        this.immediate = immediate;
        this.words = words;
        this.postLater = postLater;
        unposted = new int[count];
        for (int i = 0; i < count; i++) {
            unposted[unpostedCount++] = i;
        }
        memory = pool.allocate(count * CELL_BYTES);
    }

    @Override
    public void post(WorkRequestBatch requests) throws IOException {
        postComes = false;
        if (unpostedCount == 0 || closed) {
            return;
        }
        memory.ensureRegistered();
        long address = memory.address(0);
        int key = memory.localKey();
        while (unpostedCount > 0) {
            requests.clear();
            while (unpostedCount > 0 && !requests.isFull()) {
                int cell = unposted[--unpostedCount];
                poster.add(requests, cell, address + cell * CELL_BYTES, CELL_BYTES, key);
            }
            poster.post(requests);
        }
    }

    @Override
    public void onReceived(int slot, int bytes, int value, int flags) throws IOException {
        unposted[unpostedCount++] = slot;
        if (!postComes) {
            postComes = true;
            postLater.run();
        }
        if ((flags & VerbsConstants.WC_WITH_INV) != 0) {
            throw new RdmaStreamProtocolException(
                    "key that the peer has invalidated: 0x" + Integer.toHexString(value) + " (expected: none)");
        }
        if (immediate != ((flags & VerbsConstants.WC_WITH_IMM) != 0)) {
            throw new RdmaStreamProtocolException(
                    immediate
                            ? "Send of the peer (expected: RDMA Writes with immediate data)"
                            : "immediate data of the peer (expected: Sends)");
        }
        words.onWord(immediate ? SendQueue.inNetworkOrder(value) : sent(slot, bytes));
    }

    private int sent(int slot, int octets) throws RdmaStreamProtocolException {
        try {
            return StreamWord.read(memory, slot * CELL_BYTES, octets, networkOrder);
        } catch (StreamProtocolException e) {
            throw new RdmaStreamProtocolException(e);
        }
    }

    @Override
    public void onFlushed(int slot) {
        unposted[unpostedCount++] = slot;
    }

    @Override
    public int outstanding() {
        return unposted.length - unpostedCount;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public void abandon() throws IOException {
        memory.release();
        words.onQueuePairGone();
    }
}
