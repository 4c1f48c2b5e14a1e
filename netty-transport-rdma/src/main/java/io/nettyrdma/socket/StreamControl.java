// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.nettyrdma.engine.SendQueue;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.stream.ReceiveWindow;
import io.nettyrdma.stream.SendWindow;
import io.nettyrdma.stream.StreamWord;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;

/**
 * What a stream sends besides bytes: words, and entries of the peer's table. A word is a Send, or immediate data on
 * devices that carry them, as in rsockets of librdmacm. Adds to the batch at hand what is owed, and keeps what does not
 * fit. Three requests of the send queue are kept free for the words that end a stream, and some more for entries and
 * limits, so that neither waits for data that the peer does not take.
 *
 * <p>Threading: the loop's. Ownership: of the memory that words and entries are sent from.
 */
final class StreamControl {

    /** Tag of an entry that was written to the peer's table. */
    static final Object ENTRY = "entry";

    /** Tag of a word that is not DATA. */
    static final Object WORD = "word";

    /** Tag of an RDMA Write without bytes. */
    static final Object PROBE = "probe";

    /** Requests that data leaves to words and entries. */
    static final int RESERVED = 24;

    private static final int RESERVED_FOR_THE_END = 3;
    /** Entries under way; more than buffers can be published. */
    private static final int ENTRY_CELLS = 16;

    private final RegisteredByteBuf memory;
    private final boolean networkOrder;
    private final boolean immediate;
    private final int wordCells;
    private int nextWord;
    private int nextEntry;
    private int entriesUnderWay;
    private boolean shutdown;
    private boolean abort;
    private boolean disconnect;

    /**
     * @param sendDepth    of the queue pair, which is how many words can be under way
     * @param networkOrder whether Sends of words are big-endian
     * @param immediate    whether words are immediate data
     */
    StreamControl(RegisteredMemoryPool pool, int sendDepth, boolean networkOrder, boolean immediate)
            throws IOException {
        this.networkOrder = networkOrder;
        this.immediate = immediate;
        wordCells = sendDepth;
        memory = pool.allocate(sendDepth * StreamWord.BYTES + ENTRY_CELLS * ReceiveWindow.ENTRY_BYTES);
        memory.ensureRegistered();
    }

    void shutdown() {
        shutdown = true;
    }

    void abort() {
        abort = true;
    }

    void disconnect() {
        disconnect = true;
    }

    /** Whether a word is owed that ends something. */
    boolean owesEnd() {
        return shutdown || abort || disconnect;
    }

    /** Adds the entries and the limit that are owed. */
    void addGrants(ReceiveWindow window, SendQueue sends, WorkRequestBatch batch) throws IOException {
        while (window.isEntryOwed()
                && entriesUnderWay < ENTRY_CELLS
                && sends.room() > RESERVED_FOR_THE_END + 1
                && !batch.isFull()) {
            int index = wordCells * StreamWord.BYTES + nextEntry * ReceiveWindow.ENTRY_BYTES;
            nextEntry = nextEntry + 1 == ENTRY_CELLS ? 0 : nextEntry + 1;
            long remote = window.putEntry(memory, index);
            sends.addWrite(ENTRY, memory, index, ReceiveWindow.ENTRY_BYTES, window.tableKey(), remote, batch);
            entriesUnderWay++;
        }
        if (window.isLimitDue() && sends.room() > RESERVED_FOR_THE_END && !batch.isFull()) {
            addWord(WORD, window.takeLimit(), sends, batch);
        }
    }

    /** Adds the words that end something, in the order in which the peer has to get them. */
    void addEnd(SendQueue sends, WorkRequestBatch batch) throws IOException {
        if (shutdown && hasRoom(sends, batch)) {
            addWord(WORD, StreamWord.SHUTDOWN, sends, batch);
            shutdown = false;
        }
        if (abort && !shutdown && hasRoom(sends, batch)) {
            addWord(WORD, StreamWord.ABORT, sends, batch);
            abort = false;
        }
        if (disconnect && !shutdown && !abort && hasRoom(sends, batch)) {
            addWord(WORD, StreamWord.DISCONNECT, sends, batch);
            disconnect = false;
        }
    }

    private static boolean hasRoom(SendQueue sends, WorkRequestBatch batch) {
        return !sends.isFull() && !batch.isFull();
    }

    /** Adds a word, for which there has to be room. */
    void addWord(Object tag, int word, SendQueue sends, WorkRequestBatch batch) throws IOException {
        if (immediate) {
            sends.addImmediate(tag, word, batch);
            return;
        }
        int index = nextWord * StreamWord.BYTES;
        nextWord = nextWord + 1 == wordCells ? 0 : nextWord + 1;
        StreamWord.put(memory, index, word, networkOrder);
        sends.addSend(tag, memory, index, StreamWord.BYTES, batch);
    }

    /**
     * Adds an RDMA Write without bytes, which the peer's device answers and its program does not see. Not if requests
     * are outstanding: those wait for the peer already, and empty ones behind them would fill the send queue.
     */
    void addProbe(SendWindow window, SendQueue sends, WorkRequestBatch batch) throws IOException {
        if (sends.outstanding() == 0) {
            sends.addWrite(PROBE, memory, 0, 0, window.key(), window.address(), batch);
        }
    }

    void onEntryWritten() {
        entriesUnderWay--;
    }

    /** Lets go of the memory; what is under way holds it by itself. */
    void free() {
        memory.release();
    }
}
