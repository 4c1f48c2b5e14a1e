// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import com.ibm.disni.verbs.IbvMr;
import org.jspecify.annotations.Nullable;

/**
 * One send or receive work request in a {@link WorkRequestBatch}: {@code ibv_send_wr} / {@code ibv_recv_wr} without the
 * linked lists. The fields have the names of verbs; constants come from {@code IbvSendWR}.
 *
 * <p>Threading: confined to the thread that posts. Ownership: the batch keeps the object and reuses it.
 */
public final class WorkRequest {

    private long id;
    private int opcode;
    private int flags;
    private int immediate;
    private int remoteKey;
    private long remoteAddress;
    private long localAddress;
    private int lengthBytes;
    private int localKey;
    private @Nullable MemoryWindow window;
    private @Nullable IbvMr region;
    private int access;

    WorkRequest() {}

    /** Makes this a receive of identity {@code id}. */
    public WorkRequest receive(long id) {
        return reset(id, -1, 0);
    }

    /**
     * Makes this a send work request.
     *
     * @param id     returned in the completion
     * @param opcode one of {@code IbvSendWR.IBV_WR_*} or {@link VerbsConstants#WR_SEND_WITH_INV}
     * @param flags  {@code IbvSendWR.IBV_SEND_*}
     */
    public WorkRequest send(long id, int opcode, int flags) {
        return reset(id, opcode, flags);
    }

    /**
     * Makes this a request to bind a memory window to part of a region.
     *
     * @param id          returned in the completion
     * @param bound       the window
     * @param key         the result of {@link MemoryWindow#nextKey()}
     * @param memory      the region, registered with {@code IBV_ACCESS_MW_BIND}
     * @param address     of the first byte
     * @param boundBytes  number of bytes
     * @param rights      {@code IBV_ACCESS_REMOTE_*}
     */
    public WorkRequest bind(
            long id, MemoryWindow bound, int key, IbvMr memory, long address, int boundBytes, int rights) {
        reset(id, VerbsConstants.WR_BIND_MW, 0).remote(key, address);
        window = bound;
        region = memory;
        lengthBytes = boundBytes;
        access = rights;
        return this;
    }

    private WorkRequest reset(long newId, int newOpcode, int newFlags) {
        id = newId;
        opcode = newOpcode;
        flags = newFlags;
        immediate = 0;
        remoteKey = 0;
        remoteAddress = 0;
        window = null;
        region = null;
        lengthBytes = 0;
        return this;
    }

    /** Names the remote memory of an RDMA Write or Read; a Send with Invalidate uses only {@code key}. */
    public WorkRequest remote(int key, long address) {
        remoteKey = key;
        remoteAddress = address;
        return this;
    }

    /**
     * Adds immediate data, for opcodes that carry them. The peer receives their bytes in the order of this machine's
     * memory, as with DiSNI.
     */
    public WorkRequest immediate(int data) {
        immediate = data;
        return this;
    }

    /** Names the memory of this side, the one scatter-gather entry; a request without bytes has none. */
    public WorkRequest local(long address, int bytes, int key) {
        localAddress = address;
        lengthBytes = bytes;
        localKey = key;
        return this;
    }

    /** Returns the identity, which the completion repeats. */
    public long id() {
        return id;
    }

    /** Returns one of {@code IbvSendWR.IBV_WR_*}, {@link VerbsConstants#WR_SEND_WITH_INV}, or -1 for a receive. */
    public int opcode() {
        return opcode;
    }

    /** Returns the flags, {@code IbvSendWR.IBV_SEND_*}. */
    public int flags() {
        return flags;
    }

    /** Changes the flags after the request was built, for example to signal the last of a batch. */
    public void flags(int newFlags) {
        flags = newFlags;
    }

    /** Returns the immediate data, or 0. */
    public int immediate() {
        return immediate;
    }

    /** Returns the remote key of a one-sided operation, or the key to invalidate. */
    public int remoteKey() {
        return remoteKey;
    }

    /** Returns the remote address of a one-sided operation, unsigned. */
    public long remoteAddress() {
        return remoteAddress;
    }

    /** Returns the window of a request to bind; {@code null} of any other. */
    public @Nullable MemoryWindow window() {
        return window;
    }

    /** Returns the region that the window is bound to. */
    public @Nullable IbvMr region() {
        return region;
    }

    /** Returns the peer's rights to the bound bytes, {@code IBV_ACCESS_REMOTE_*}. */
    public int access() {
        return access;
    }

    /** Returns the address of the memory of this side; valid if there are bytes. */
    public long localAddress() {
        return localAddress;
    }

    /** Returns the number of bytes; of a request to bind, those of the region from {@link #remoteAddress()} on. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** Returns the local key of the memory of this side; valid if there are bytes. */
    public int localKey() {
        return localKey;
    }

    @Override
    public String toString() {
        return "WorkRequest[id=0x" + Long.toHexString(id) + ", opcode=" + opcode + ", flags=" + flags + ", bytes="
                + lengthBytes + ", remote=0x" + Integer.toHexString(remoteKey) + "@0x" + Long.toHexString(remoteAddress)
                + ']';
    }
}
