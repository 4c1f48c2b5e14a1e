// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import com.ibm.disni.verbs.IbvMr;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One send or receive work request in a {@link WorkRequestBatch}: {@code ibv_send_wr} / {@code ibv_recv_wr} without the
 * linked lists. The fields have the names of verbs; constants come from {@code IbvSendWR}.
 *
 * <p>Threading: confined to the thread that posts. Ownership: the batch keeps the object and reuses it.
 */
public final class WorkRequest {

    private final long[] sgeAddress;
    private final int[] sgeLength;
    private final int[] sgeLocalKey;
    private int sgeCount;
    private long id;
    private int opcode;
    private int flags;
    private int immediate;
    private int remoteKey;
    private long remoteAddress;
    private @Nullable MemoryWindow window;
    private @Nullable IbvMr region;
    private int boundBytes;
    private int access;

    WorkRequest(int maxSge) {
        sgeAddress = new long[maxSge];
        sgeLength = new int[maxSge];
        sgeLocalKey = new int[maxSge];
    }

    /** Makes this a receive of identity {@code id}; scatter-gather entries follow by {@link #addSge}. */
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
     * @param lengthBytes number of bytes
     * @param rights      {@code IBV_ACCESS_REMOTE_*}
     */
    public WorkRequest bind(
            long id, MemoryWindow bound, int key, IbvMr memory, long address, int lengthBytes, int rights) {
        reset(id, VerbsConstants.WR_BIND_MW, 0).remote(key, address);
        window = bound;
        region = memory;
        boundBytes = lengthBytes;
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
        sgeCount = 0;
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

    /**
     * Adds a scatter-gather entry.
     *
     * @throws IllegalStateException if the entries of the batch's requests are used up
     */
    public WorkRequest addSge(long address, int lengthBytes, int localKey) {
        if (sgeCount == sgeAddress.length) {
            throw new IllegalStateException("more than " + sgeAddress.length + " scatter-gather entries");
        }
        sgeAddress[sgeCount] = address;
        sgeLength[sgeCount] = lengthBytes;
        sgeLocalKey[sgeCount++] = localKey;
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

    /** Returns the number of bound bytes of the region, from {@link #remoteAddress()} on. */
    public int boundBytes() {
        return boundBytes;
    }

    /** Returns the peer's rights to the bound bytes, {@code IBV_ACCESS_REMOTE_*}. */
    public int access() {
        return access;
    }

    /** Returns the number of scatter-gather entries. */
    public int sgeCount() {
        return sgeCount;
    }

    /** Address of entry {@code i}. */
    public long sgeAddress(int i) {
        return sgeAddress[i];
    }

    /** Returns the length of entry {@code i} in bytes. */
    public int sgeLength(int i) {
        return sgeLength[i];
    }

    /** Returns the local key of entry {@code i}. */
    public int sgeLocalKey(int i) {
        return sgeLocalKey[i];
    }

    @Override
    public String toString() {
        return "WorkRequest[id=0x" + Long.toHexString(id) + ", opcode=" + opcode + ", flags=" + flags + ", sge="
                + Arrays.toString(Arrays.copyOf(sgeLength, sgeCount)) + ", remote=0x"
                + Integer.toHexString(remoteKey) + "@0x" + Long.toHexString(remoteAddress) + ']';
    }
}
