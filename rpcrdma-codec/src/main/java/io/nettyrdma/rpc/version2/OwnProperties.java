// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionFailedException.Reason;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Message.ConnProp;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells the peer the properties of this side (draft -01, section 6.3.4), and runs the handshake of host authentication
 * in them. Every event may allow, or need, further sets; these are sent at once. The first message has at most 1,024
 * octets, as the peer may be one of version 1. The others wait until the peer has said how long its Receives are.
 * Properties that do not fit one message go in several whole sets. A single property that fits no message makes a set
 * that is continued (C7).
 *
 * <p>Threading: confined to the executor of the handlers.
 */
final class OwnProperties {

    /** Octets of the first message at most (C9, C52). */
    static final int MAX_FIRST_BYTES = 1024;

    private final Wire wire;
    private final Version2Connection connection;
    private final PropertyExchange peer;
    private final HostHandshake handshake;
    private final Deque<TransportProperty> waiting = new ArrayDeque<>();
    private int xid;
    private boolean begun;
    private boolean complete;
    private boolean over;
    private int messages;
    private long bytes;

    /** @param peer tells how far the peer is */
    OwnProperties(Wire wire, Version2Connection connection, PropertyExchange peer) {
        this.wire = wire;
        this.connection = connection;
        this.peer = peer;
        handshake = new HostHandshake(connection.version2().hostAuthentication(), this);
    }

    void add(Collection<TransportProperty> properties) {
        waiting.addAll(properties);
    }

    /** Nothing is added any more. */
    void complete() {
        complete = true;
    }

    boolean isPeerAccepted() {
        return handshake.isDone();
    }

    /**
     * Begins.
     *
     * @param xid   of all messages of own properties
     * @param level what this side takes of calls in the reverse direction
     * @throws ConnectionFailedException if the handshake fails, here and in the following methods
     */
    void begin(RpcRdmaRole role, int xid, ReverseLevel level) throws ConnectionFailedException {
        this.xid = xid;
        add(connection.properties(level));
        handshake.start(role, wire.remoteAddress());
        goOn();
    }

    void onApplied(List<TransportProperty> set) throws ConnectionFailedException {
        byte @Nullable [] token = TransportProperty.hostAuthentication(set);
        if (token != null) {
            handshake.receive(token);
        }
        goOn();
    }

    /** Sends what can be sent now, unless the peer tells nothing more and is not accepted. */
    void goOn() throws ConnectionFailedException {
        if (peer.isOver()) {
            handshake.onPeerFinal();
        }
        while (!over && (!begun || peer.phase() != PropertyExchange.Phase.NONE && (complete || !waiting.isEmpty()))) {
            int longest = connection.longestSend();
            sendSet(begun ? longest : Math.min(MAX_FIRST_BYTES, longest)); // V2-023
        }
        assert over || !peer.isOver();
    }

    /**
     * Sends the next set, in one message or in the fragments of several that follow each other (C7).
     *
     * @param maxBytes octets of a message at most
     * @throws ConnectionFailedException if it would be more than a side may send (C54)
     */
    private void sendSet(int maxBytes) throws ConnectionFailedException {
        List<TransportProperty> set = take(maxBytes - Rdma2.PREFIX_BYTES, !begun);
        begun = true;
        boolean last = complete && waiting.isEmpty(); // V2-113
        int setBytes = Rdma2Encoder.encodedBytes(set);
        int fragmentBytes = maxBytes - Rdma2.PREFIX_BYTES & ~3; // C6
        int count = Rdma2.PREFIX_BYTES + setBytes <= maxBytes ? 1 : (setBytes + fragmentBytes - 1) / fragmentBytes;
        messages += count;
        bytes += setBytes;
        if (messages > PropertyExchange.MAX_MESSAGES || bytes > PropertyExchange.MAX_BYTES) {
            throw new ConnectionFailedException(
                    Reason.NOT_AUTHENTICATED,
                    "the handshake of this side takes " + messages + " messages and "
                            + bytes + " bytes of properties, which exceeds " + PropertyExchange.MAX_MESSAGES + " or "
                            + PropertyExchange.MAX_BYTES); // C54
        }
        over = last;
        int flags = last ? 0 : Rdma2.TPMORE; // V2-129, V2-187 (C56)
        ByteBuf whole = wire.alloc().directBuffer(Rdma2.PREFIX_BYTES + setBytes);
        Rdma2Encoder.encode(new ConnProp(xid, 0, flags, set), whole);
        connection.send(Version2Send.properties(
                !last, count == 1 ? new ByteBuf[] {whole} : cut(flags, whole, count, fragmentBytes)));
    }

    private ByteBuf[] cut(int flags, ByteBuf whole, int count, int fragmentBytes) {
        ByteBufAllocator alloc = wire.alloc();
        ByteBuf[] fragments = new ByteBuf[count];
        int cut = 0;
        try {
            whole.skipBytes(Rdma2.PREFIX_BYTES);
            while (cut < count) {
                int bytes = Math.min(fragmentBytes, whole.readableBytes());
                ByteBuf fragment = alloc.directBuffer(Rdma2.PREFIX_BYTES + bytes);
                fragments[cut++] = fragment;
                int more = cut < count ? Rdma2.MORE : 0;
                Rdma2Encoder.encode(new ConnProp(xid, 0, flags | more, null), fragment); // V2-176
                fragment.writeBytes(whole, bytes);
            }
            return fragments;
        } catch (RuntimeException | OutOfMemoryError e) {
            while (cut > 0) {
                fragments[--cut].release();
            }
            throw e;
        } finally {
            whole.release();
        }
    }

    /** As many as fit into one message; a single one if that fits none, but not in the first message. */
    private List<TransportProperty> take(int maxBytes, boolean first) {
        List<TransportProperty> set = new ArrayList<>();
        for (TransportProperty next = waiting.peek(); next != null; next = waiting.peek()) {
            set.add(next);
            if (Rdma2Encoder.encodedBytes(set) > maxBytes && (first || set.size() > 1)) { // V2-129
                set.remove(set.size() - 1);
                break;
            }
            waiting.remove();
        }
        return set;
    }
}
