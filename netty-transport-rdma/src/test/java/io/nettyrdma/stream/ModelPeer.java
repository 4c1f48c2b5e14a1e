// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * One side of a modelled connection over iWARP: memory that the other side writes, receives that its words use up, and
 * a program that sends some bytes and expects others.
 */
public abstract class ModelPeer {

    /** An RDMA Write, or a Send of a word. */
    public record Item(long address, int key, byte @Nullable [] octets, int word) {}

    /** The rules were broken, or the stream has stopped. */
    public static final class BrokenException extends Exception {
        private static final long serialVersionUID = 1L;

        BrokenException(String message) {
            super(message);
        }
    }

    public static final int ACTIONS = 4;
    static final int TABLE_KEY = -1;
    static final int BUFFERS = 4096;

    final Random random;
    final ByteBuf memory;
    /** The address of the first octet of the memory, so that addresses wrap in some runs. */
    final long base;

    final Deque<Item> wire = new ArrayDeque<>();
    final Deque<Integer> arrived = new ArrayDeque<>();
    final byte[] toSend;
    final byte[] expected;
    int sent;
    int got;
    /** Receives that are posted. */
    int receives;

    /** @param bufferBytes memory for buffers, behind {@link #BUFFERS} bytes for the table */
    ModelPeer(Random random, byte[] toSend, byte[] expected, int bufferBytes) {
        this.random = random;
        memory = Unpooled.buffer(BUFFERS + bufferBytes).writeZero(BUFFERS + bufferBytes);
        this.toSend = toSend;
        this.expected = expected;
        base = random.nextInt(3) == 0 ? -4096 - random.nextInt(4096) : random.nextLong();
    }

    final SetupData setup(int credits, int entries, int at, int key, int bytes) {
        return new SetupData(false, credits, base, TABLE_KEY, entries, base + at, key, bytes);
    }

    public abstract SetupData setup();

    public abstract void start(SetupData peer);

    /** Does something of its own accord; returns whether that changed anything. */
    public abstract boolean act(int action, boolean asMuchAsPossible) throws BrokenException, StreamProtocolException;

    /** Whether all bytes have come and this side has nothing more to say. */
    public abstract boolean isDone();

    /** Checks a Write into a buffer. */
    abstract void checkWrite(int at, int key, int octets) throws BrokenException;

    /** The other side has seen an item of this side. */
    void onDelivered(Item item) {}

    /** Lets the next item of this side go, or returns {@code null}. */
    public final @Nullable Item depart() {
        Item item = wire.poll();
        if (item != null) {
            onDelivered(item);
        }
        return item;
    }

    /** Lets the next item of this side arrive at the other. */
    final boolean deliverTo(ModelPeer other) throws BrokenException {
        Item item = wire.poll();
        if (item == null) {
            return false;
        }
        other.arrive(item);
        onDelivered(item);
        return true;
    }

    public final void arrive(Item item) throws BrokenException {
        if (item.octets == null) {
            if (receives-- == 0) {
                throw new BrokenException("no receive for word " + Integer.toHexString(item.word));
            }
            arrived.add(item.word);
            return;
        }
        int at = (int) (item.address - base);
        if (item.key != TABLE_KEY) {
            checkWrite(at, item.key, item.octets.length);
        } else if (at < 0 || at % 16 != 0 || at / 16 >= setup().tableEntries() || item.octets.length != 16) {
            throw new BrokenException("entry written at " + at);
        }
        memory.setBytes(at, item.octets);
    }

    final void write(long address, int key, byte[] octets) {
        wire.add(new Item(address, key, octets, 0));
    }

    final void word(int word) {
        wire.add(new Item(0, 0, null, word));
    }

    /** The next bytes that the program sends. */
    final byte[] next(int bytes) {
        byte[] octets = new byte[bytes];
        System.arraycopy(toSend, sent, octets, 0, bytes);
        sent += bytes;
        return octets;
    }

    /** Compares bytes that came with those that were sent. */
    final void get(int at, int bytes) throws BrokenException {
        for (int i = 0; i < bytes; i++) {
            if (got == expected.length || memory.getByte(at + i) != expected[got]) {
                throw new BrokenException("byte " + got + " of " + expected.length + " is not what was sent");
            }
            got++;
        }
    }
}
