// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/**
 * A program over rsockets of librdmacm 44, by its observed rules: a ring of two halves, two entries, as many receives
 * as credits. It looks at what has arrived, posts receives again and sends updates only when the program calls
 * rsockets. It uses all credits for DATA, and counts words when the program has read them. It does not poll while it
 * can send: it has credit, an entry, which it finds in its table, and room in its send buffer, which is free again
 * when it polls. Four slots bound the control words that its device has not sent.
 */
public final class ModelOfC extends ModelPeer {

    private static final int ENTRIES = 2;
    private static final int RING = BUFFERS;
    private static final int RING_KEY = 77;
    private static final int CONTROL_SLOTS = 4;
    private static final int MODULO = 0xffff;

    private final int half;
    private final int sendBuffer;
    private final int credits;

    private final Deque<Integer> unread = new ArrayDeque<>();
    private int readOffset;
    private int readOfMessage;
    private int freeBytes;
    private int nextHalf = 1;
    private int consumed;
    private int nextUpdate;

    private long peerTable;
    private int peerTableKey;
    private int peerEntries;
    private int nextRemoteEntry = 1;

    private int entry;
    private long address;
    private int key;
    private long left;
    private int sequence;
    private int limit;
    private int controlSlots = CONTROL_SLOTS;
    /** Bytes in the send buffer, and of them those that the device has sent. */
    private int buffered;

    private int completed;

    private boolean readable = true;
    private boolean writable = true;
    private boolean connected = true;

    public ModelOfC(Random random, byte[] toSend, byte[] expected, int credits, int half, int sendBuffer) {
        super(random, toSend, expected, 2 * half);
        this.credits = credits;
        this.half = half;
        this.sendBuffer = sendBuffer;
        receives = credits;
        freeBytes = half;
        nextUpdate = credits / 2;
    }

    @Override
    public SetupData setup() {
        return setup(credits, ENTRIES, RING, RING_KEY, half);
    }

    @Override
    public void start(SetupData peer) {
        peerTable = peer.tableAddress();
        peerTableKey = peer.tableKey();
        peerEntries = peer.tableEntries();
        address = peer.bufferAddress();
        key = peer.bufferKey();
        left = peer.bufferBytes();
        limit = peer.credits();
    }

    @Override
    public boolean isDone() {
        return got == expected.length && sent == toSend.length && !writable && !readable;
    }

    @Override
    void checkWrite(int at, int writeKey, int octets) throws BrokenException {
        if (writeKey != RING_KEY || at < RING || at + octets > RING + 2 * half) {
            throw new BrokenException("written outside of the ring: " + (at - RING));
        }
    }

    @Override
    void onDelivered(Item item) {
        if (StreamWord.kind(item.word()) == StreamWord.Kind.DATA) {
            completed += StreamWord.value(item.word());
        }
        if (StreamWord.kind(item.word()) == StreamWord.Kind.LIMIT) {
            controlSlots = Math.min(CONTROL_SLOTS, controlSlots + 2);
        }
    }

    @Override
    public boolean act(int action, boolean asMuchAsPossible) throws BrokenException {
        return switch (action) {
            case 0 -> poll();
            case 1 -> send(asMuchAsPossible ? half : 1 + random.nextInt(3));
            case 2 -> read(asMuchAsPossible ? half : 1 + random.nextInt(3));
            default -> shutdown();
        };
    }

    private boolean poll() throws BrokenException {
        boolean changed = update() || completed > 0;
        buffered -= completed;
        completed = 0;
        while (!arrived.isEmpty()) {
            receives++;
            changed = true;
            take(arrived.remove());
        }
        return update() || changed;
    }

    private void take(int word) throws BrokenException {
        switch (StreamWord.kind(word)) {
            case DATA -> {
                unread.add(StreamWord.value(word));
                if (unread.size() > credits) {
                    throw new BrokenException("more messages unread than credits");
                }
            }
            case LIMIT -> limit = StreamWord.value(word) & MODULO;
            case SHUTDOWN -> readable = false;
            case DISCONNECT -> {
                readable = false;
                writable = false;
                connected = false;
            }
            default -> throw new BrokenException("word " + Integer.toHexString(word));
        }
    }

    private boolean update() {
        boolean entryDue = freeBytes >= half;
        if (!connected || controlSlots < 2 || !entryDue && (short) (consumed - nextUpdate) < 0) {
            return false;
        }
        if (entryDue) {
            byte[] octets = new byte[TargetEntry.BYTES];
            ByteBuf out = Unpooled.wrappedBuffer(octets);
            TargetEntry.put(out, 0, false, base + RING + nextHalf * half, RING_KEY, half);
            write(TargetEntry.addressOf(peerTable, nextRemoteEntry), peerTableKey, octets);
            nextRemoteEntry = (nextRemoteEntry + 1) % peerEntries;
            nextHalf ^= 1;
            freeBytes -= half;
        }
        controlSlots -= 2;
        // More than 16 bits of it reach the wire.
        word(0x8000_0000 | consumed + credits);
        nextUpdate = consumed + credits / 2;
        return true;
    }

    private boolean send(int most) {
        if (left == 0) {
            int next = (entry + 1) % ENTRIES;
            left = TargetEntry.bytes(memory, next, false);
            if (left > 0) {
                entry = next;
                address = TargetEntry.address(memory, next, false);
                key = TargetEntry.key(memory, next, false);
                TargetEntry.clear(memory, next);
            }
        }
        int bytes = (int) Math.min(Math.min(most, left), Math.min(toSend.length - sent, sendBuffer - buffered));
        if (!writable || bytes == 0 || sequence == limit) {
            return false;
        }
        write(address, key, next(bytes));
        address += bytes;
        left -= bytes;
        buffered += bytes;
        sequence = sequence + 1 & MODULO;
        word(bytes);
        return true;
    }

    private boolean read(int most) throws BrokenException {
        int rest = most;
        while (rest > 0 && !unread.isEmpty()) {
            int bytes = Math.min(rest, unread.element() - readOfMessage);
            for (int i = 0; i < bytes; i++) {
                get(RING + readOffset, 1);
                readOffset = (readOffset + 1) % (2 * half);
            }
            rest -= bytes;
            freeBytes += bytes;
            readOfMessage += bytes;
            if (readOfMessage == unread.element()) {
                unread.remove();
                readOfMessage = 0;
                consumed++;
            }
        }
        return rest < most;
    }

    private boolean shutdown() {
        if (!writable || sent < toSend.length) {
            return false;
        }
        writable = false;
        word(readable ? StreamWord.SHUTDOWN : StreamWord.DISCONNECT);
        connected &= readable;
        return true;
    }
}
