// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.stream.HalfCloseState.Action;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** A channel over the classes under test, as simple as can be. It may have a fault, which a run has to find. */
final class ModelOfOurs extends ModelPeer {

    /** What is wrong with a channel. */
    enum Fault {
        NONE,
        NO_RESERVE,
        RESERVE_OF_EIGHT,
        RESERVE_OF_MORE_THAN_HALF,
        ENTRY_TAKEN_TWICE,
        LIMIT_BEFORE_ITS_ENTRY,
        LIMIT_WHEN_ALL_IS_USED,
        LIMIT_TOO_HIGH,
        BUFFER_WITHDRAWN_EARLY
    }

    private static final int EXTRA_RECEIVES = 16;
    private static final int BUFFER_BYTES = 4096;
    private static final int STRIDE = 16;
    private static final int LARGEST = 7;

    private final SetupData own;
    private final Fault fault;
    private final int smallest;
    private final HalfCloseState state = new HalfCloseState();
    /** Buffers that may be written: where they start, which is their key too, and their size. */
    private final Map<Integer, Integer> open = new HashMap<>();

    private int buffers = 1;
    private SendWindow send;
    private ReceiveWindow receive;
    private int counted;

    ModelOfOurs(Random random, byte[] toSend, byte[] expected, int credits, int entries, int smallest, Fault fault) {
        super(random, toSend, expected, BUFFER_BYTES);
        this.fault = fault;
        this.smallest = smallest;
        receives = credits + EXTRA_RECEIVES;
        int bytes = size();
        open.put(BUFFERS, bytes);
        own = setup(credits, entries, BUFFERS, BUFFERS, bytes);
    }

    private int size() {
        return smallest + random.nextInt(LARGEST + 1 - smallest);
    }

    @Override
    public SetupData setup() {
        return own;
    }

    @Override
    public void start(SetupData peer) {
        send = switch (fault) {
            case NO_RESERVE -> new SendWindow(memory, own, peer, 0);
            case RESERVE_OF_EIGHT -> new SendWindow(memory, own, peer, 8);
            case RESERVE_OF_MORE_THAN_HALF -> new SendWindow(memory, own, peer, peer.credits() / 2 + 1);
            default -> new SendWindow(memory, own, peer);
        };
        receive = new ReceiveWindow(own, peer);
    }

    @Override
    public boolean isDone() {
        return got == expected.length && sent == toSend.length && state.hasEnded();
    }

    @Override
    void checkWrite(int at, int key, int octets) throws BrokenException {
        Integer bytes = open.get(key);
        if (bytes == null || at < key || at + octets > key + bytes) {
            throw new BrokenException("written at " + at + " with key " + key);
        }
    }

    @Override
    public boolean act(int action, boolean asMuchAsPossible) throws BrokenException, StreamProtocolException {
        return switch (action) {
            case 0 -> poll();
            case 1 -> send(asMuchAsPossible ? LARGEST : 1 + random.nextInt(3));
            case 2 -> publish();
            default -> shutdown();
        };
    }

    private boolean poll() throws BrokenException, StreamProtocolException {
        boolean changed = false;
        while (!arrived.isEmpty()) {
            receives++;
            changed = true;
            int word = arrived.remove();
            Set<Action> actions = state.receive(word);
            if (actions.contains(Action.TAKE)) {
                take(word);
            }
            if (actions.contains(Action.SEND_DISCONNECT)) {
                word(StreamWord.DISCONNECT);
            }
        }
        return control() || changed;
    }

    private void take(int word) throws BrokenException, StreamProtocolException {
        if (StreamWord.kind(word) == StreamWord.Kind.LIMIT) {
            send.onLimit(StreamWord.value(word));
            return;
        }
        int at = (int) (receive.address() - base);
        int from = at + (int) receive.filledBytes();
        boolean full = receive.fill(word, ReceiveWindow.UNKNOWN);
        get(from, word);
        counted++;
        if (full || fault == Fault.BUFFER_WITHDRAWN_EARLY) {
            open.remove(at);
        }
    }

    private boolean publish() {
        if (state.hasEnded() || !receive.mayPublish()) {
            return false;
        }
        int at = BUFFERS + buffers++ * STRIDE % (memory.capacity() - BUFFERS);
        int bytes = size();
        open.put(at, bytes);
        receive.publish(base + at, at, bytes);
        return true;
    }

    private boolean control() {
        if (state.hasEnded()) {
            return false;
        }
        boolean entries = receive.isEntryOwed();
        if (entries && fault == Fault.LIMIT_BEFORE_ITS_ENTRY) {
            word(receive.takeLimit());
        }
        while (receive.isEntryOwed()) {
            ByteBuf entry = Unpooled.wrappedBuffer(new byte[TargetEntry.BYTES]);
            write(receive.putEntry(entry, 0), TABLE_KEY, entry.array());
        }
        if (entries && fault == Fault.LIMIT_BEFORE_ITS_ENTRY) {
            receive.takeLimit();
        }
        if (!isLimitDue()) {
            return entries;
        }
        counted = 0;
        word(receive.takeLimit() + (fault == Fault.LIMIT_TOO_HIGH ? 1 : 0));
        return true;
    }

    private boolean isLimitDue() {
        return fault == Fault.LIMIT_WHEN_ALL_IS_USED ? counted >= own.credits() : receive.isLimitDue();
    }

    private boolean send(int most) {
        int bytes = Math.min(Math.min(most, send.writableBytes()), toSend.length - sent);
        if (bytes == 0) {
            return false;
        }
        long address = send.address();
        int key = send.key();
        byte[] table = new byte[own.tableEntries() * TargetEntry.BYTES];
        memory.getBytes(0, table);
        send.advance(bytes);
        if (fault == Fault.ENTRY_TAKEN_TWICE) {
            memory.setBytes(0, table);
        }
        write(address, key, next(bytes));
        word(StreamWord.data(bytes));
        return true;
    }

    private boolean shutdown() {
        if (sent < toSend.length) {
            return false;
        }
        Set<Action> actions = state.shutdownOutput();
        if (actions.contains(Action.SEND_SHUTDOWN)) {
            word(StreamWord.SHUTDOWN);
        }
        if (actions.contains(Action.SEND_DISCONNECT)) {
            word(StreamWord.DISCONNECT);
        }
        return !actions.isEmpty();
    }
}
