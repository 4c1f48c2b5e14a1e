// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Writes work requests as C has them: a linked list of {@code struct ibv_send_wr} or {@code struct ibv_recv_wr}, one
 * behind the other, and behind the last the scatter-gather entry of each that has bytes.
 *
 * <p>Threading: stateless.
 */
final class WorkRequestEncoder {

    private WorkRequestEncoder() {}

    /** Octets that {@link #encodeSends} writes, at most. */
    static int sendBytes(WorkRequestBatch requests, boolean splits) {
        int more = splits ? requests.size() * VerbsLayout.IBV_SGE_BYTES : 0;
        return requests.size() * VerbsLayout.IBV_SEND_WR_BYTES + entryBytes(requests) + more;
    }

    /** Octets that {@link #encodeReceives} writes. */
    static int receiveBytes(WorkRequestBatch requests) {
        return requests.size() * VerbsLayout.IBV_RECV_WR_BYTES + entryBytes(requests);
    }

    private static int entryBytes(WorkRequestBatch requests) {
        int entries = 0;
        for (int i = 0; i < requests.size(); i++) {
            entries += entries(requests.get(i));
        }
        return entries * VerbsLayout.IBV_SGE_BYTES;
    }

    /**
     * Writes send requests to octet 0 of {@code out} and on.
     *
     * @param address of octet 0
     * @param splits  whether a short message that is in two pages gets an entry for each
     */
    static void encodeSends(WorkRequestBatch requests, ByteBuffer out, long address, boolean splits) {
        int size = requests.size();
        int entry = size * VerbsLayout.IBV_SEND_WR_BYTES;
        for (int i = 0; i < size; i++) {
            WorkRequest request = requests.get(i);
            int at = i * VerbsLayout.IBV_SEND_WR_BYTES;
            boolean invalidates = request.opcode() == VerbsConstants.WR_SEND_WITH_INV;
            out.putLong(at + VerbsLayout.IBV_SEND_WR_WR_ID, request.id());
            out.putLong(
                    at + VerbsLayout.IBV_SEND_WR_NEXT, i + 1 < size ? address + at + VerbsLayout.IBV_SEND_WR_BYTES : 0);
            out.putLong(at + VerbsLayout.IBV_SEND_WR_SG_LIST, address + entry);
            int first = splits && entries(request) == 1 ? SiwQuirks.octetsOfFirstPage(request) : 0;
            out.putInt(at + VerbsLayout.IBV_SEND_WR_NUM_SGE, first > 0 ? 2 : entries(request));
            out.putInt(at + VerbsLayout.IBV_SEND_WR_OPCODE, request.opcode());
            out.putInt(at + VerbsLayout.IBV_SEND_WR_SEND_FLAGS, request.flags());
            // A union with imm_data. The key stands twice: libsiw takes it from where others have the remote key.
            out.putInt(
                    at + VerbsLayout.IBV_SEND_WR_INVALIDATE_RKEY,
                    invalidates ? request.remoteKey() : request.immediate());
            out.putLong(at + VerbsLayout.IBV_SEND_WR_WR_RDMA_REMOTE_ADDR, request.remoteAddress());
            out.putInt(at + VerbsLayout.IBV_SEND_WR_WR_RDMA_RKEY, request.remoteKey());
            if (request.opcode() == VerbsConstants.WR_BIND_MW) {
                encodeBinding(request, out, at);
            }
            entry = first > 0 ? encodeSplit(request, first, out, entry) : encodeEntry(request, out, entry);
        }
    }

    private static int encodeSplit(WorkRequest request, int first, ByteBuffer out, int at) {
        long address = request.localAddress();
        int key = request.localKey();
        int second = encodeEntry(address, first, key, out, at);
        return encodeEntry(address + first, request.lengthBytes() - first, key, out, second);
    }

    private static void encodeBinding(WorkRequest request, ByteBuffer out, int at) {
        NativeMw window = (NativeMw) Objects.requireNonNull(request.window());
        NativeMr region = (NativeMr) Objects.requireNonNull(request.region());
        out.putLong(at + VerbsLayout.IBV_SEND_WR_BIND_MW_MW, window.pointer());
        out.putInt(at + VerbsLayout.IBV_SEND_WR_BIND_MW_RKEY, request.remoteKey());
        out.putLong(at + VerbsLayout.IBV_SEND_WR_BIND_MW_BIND_INFO_MR, region.pointer());
        out.putLong(at + VerbsLayout.IBV_SEND_WR_BIND_MW_BIND_INFO_ADDR, request.remoteAddress());
        out.putLong(at + VerbsLayout.IBV_SEND_WR_BIND_MW_BIND_INFO_LENGTH, request.lengthBytes());
        out.putInt(at + VerbsLayout.IBV_SEND_WR_BIND_MW_BIND_INFO_MW_ACCESS_FLAGS, request.access());
    }

    /** Writes receives as {@link #encodeSends} writes sends. */
    static void encodeReceives(WorkRequestBatch requests, ByteBuffer out, long address) {
        int size = requests.size();
        int entry = size * VerbsLayout.IBV_RECV_WR_BYTES;
        for (int i = 0; i < size; i++) {
            WorkRequest request = requests.get(i);
            int at = i * VerbsLayout.IBV_RECV_WR_BYTES;
            out.putLong(at + VerbsLayout.IBV_RECV_WR_WR_ID, request.id());
            out.putLong(
                    at + VerbsLayout.IBV_RECV_WR_NEXT, i + 1 < size ? address + at + VerbsLayout.IBV_RECV_WR_BYTES : 0);
            out.putLong(at + VerbsLayout.IBV_RECV_WR_SG_LIST, address + entry);
            out.putInt(at + VerbsLayout.IBV_RECV_WR_NUM_SGE, entries(request));
            entry = encodeEntry(request, out, entry);
        }
    }

    private static int entries(WorkRequest request) {
        return request.lengthBytes() > 0 && request.opcode() != VerbsConstants.WR_BIND_MW ? 1 : 0;
    }

    private static int encodeEntry(WorkRequest request, ByteBuffer out, int at) {
        return entries(request) == 0
                ? at
                : encodeEntry(request.localAddress(), request.lengthBytes(), request.localKey(), out, at);
    }

    private static int encodeEntry(long address, int lengthBytes, int key, ByteBuffer out, int at) {
        out.putLong(at + VerbsLayout.IBV_SGE_ADDR, address);
        out.putInt(at + VerbsLayout.IBV_SGE_LENGTH, lengthBytes);
        out.putInt(at + VerbsLayout.IBV_SGE_LKEY, key);
        return at + VerbsLayout.IBV_SGE_BYTES;
    }
}
