// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionFailedException.Reason;
import io.nettyrdma.rpc.session.ProcessMemory;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Calls that have come before properties were exchanged, and wait for that (C54).
 *
 * <p>Threading: confined to the executor of the handler. Ownership: of the calls from {@link #add} to {@link #poll}.
 */
final class HeldCalls {

    /** Of these one is whole. */
    record Held(Rdma2Message header, ByteBuf payload, CreditLedger.Answer answer) {}

    /** More calls than a peer sends that waits for the properties of this side, as it should (C54). */
    private static final int MAX_CALLS = 64;

    private final ProcessMemory memory;
    private final long maxBytes;
    private final Deque<Held> calls = new ArrayDeque<>();

    /** @param receiveBytes octets of each posted receive */
    HeldCalls(Version2Settings settings, int receiveBytes) {
        memory = ProcessMemory.ofWaitingCalls(settings.maxWaitingBytes());
        maxBytes = Math.max(settings.maxContinuedBytes(), (long) MAX_CALLS * receiveBytes);
    }

    /**
     * Keeps a call.
     *
     * @return whether there was memory for it; if not, it is still the caller's (C64)
     * @throws ConnectionFailedException if these are more than a peer may send; the call is kept
     */
    boolean add(Held call) throws ConnectionFailedException {
        int bytes = call.payload.readableBytes();
        if (!memory.hasRoomFor(bytes)) {
            return false;
        }
        memory.take(bytes);
        calls.add(call);
        if (calls.size() > MAX_CALLS || memory.bytes() > maxBytes) {
            throw new ConnectionFailedException(
                    call.header.xid(),
                    Reason.NOT_NEGOTIATED,
                    "the peer sends too many calls before properties are exchanged: " + calls.size() + " with "
                            + memory.bytes() + " bytes (expected: at most " + MAX_CALLS + " with " + maxBytes + ")");
        }
        return true;
    }

    /** Removes the first call, {@code null} if there is none. */
    @Nullable
    Held poll() {
        Held call = calls.poll();
        if (call != null) {
            memory.give(call.payload.readableBytes());
        }
        return call;
    }

    /** Drops all calls, as the connection ends or speaks version 1. */
    void drop() {
        for (Held call = poll(); call != null; call = poll()) {
            call.payload.release();
        }
    }
}
