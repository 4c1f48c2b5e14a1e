// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Decides how a call is conveyed (RFC 8166, sections 3.5 and 4.3). What fits inline goes inline. A reply that may not
 * fit gets write chunks if these alone make it fit, otherwise a reply chunk for the whole of it: as the Linux client
 * does, and as all responders understand. Arguments leave a call that does not fit, the longest first, until it does;
 * if it never does, the whole call becomes a read chunk at position zero.
 *
 * <p>Threading: immutable.
 */
public final class CallPlanner {

    /** Where the first reducible result is wanted. */
    public enum Placement {
        /** Wherever it costs least. */
        ANYWHERE,
        /** In memory the application has named, so in a write chunk. */
        WRITE_CHUNK
    }

    /**
     * What one call may use.
     *
     * @param readChunks  most arguments that leave the payload stream, at least 0
     * @param writeChunks most results that may be in write chunks, at least 0
     * @param chunkBytes  octets of all its chunks together; 0 if there is no memory to register
     */
    public record Limits(int readChunks, int writeChunks, int chunkBytes) {

        /** No chunks at all. */
        public static final Limits NO_CHUNKS = new Limits(0, 0, 0);
    }

    /** Of a header without chunks. */
    private final int headerBytes;

    private final InlineThresholds thresholds;
    private final Limits limits;
    private final boolean allowsLong;

    /**
     * A planner for one connection.
     *
     * @param listsOffset octet of a header at which its chunk lists begin
     */
    public CallPlanner(int listsOffset, InlineThresholds thresholds, Limits limits) {
        this(listsOffset, thresholds, limits, true);
    }

    /**
     * A planner for one connection, whose responder may have refused long calls.
     *
     * @param listsOffset octet of a header at which its chunk lists begin
     * @param allowsLong  whether a whole call may be in a chunk
     */
    public CallPlanner(int listsOffset, InlineThresholds thresholds, Limits limits, boolean allowsLong) {
        headerBytes = listsOffset + ChunkLists.ABSENT_BYTES;
        this.thresholds = thresholds;
        this.limits = limits;
        this.allowsLong = allowsLong;
    }

    /**
     * The plan for a call.
     *
     * @param xid       for error messages
     * @param callBytes octets of the whole RPC message, a multiple of 4
     * @param reducible arguments that may leave the payload stream, each within the message
     * @param bounds    of the reply; the whole length is known
     * @throws MessageTooLargeException if the call fits nowhere, or the chunks would exceed their limit
     */
    public CallPlan plan(int xid, int callBytes, List<XdrItem> reducible, ReplyBounds bounds, Placement placement)
            throws MessageTooLargeException {
        if (limits.chunkBytes() == 0) {
            requireFits(xid, headerBytes + (long) callBytes);
            return CallPlan.NO_CHUNKS;
        }
        assert bounds.maxBytes() != ReplyBounds.UNKNOWN_BYTES;
        if (placement == Placement.ANYWHERE
                && headerBytes + (long) callBytes <= thresholds.callBytes()
                && headerBytes + XdrLengths.padded((long) bounds.maxBytes()) <= thresholds.replyBytes()) {
            return CallPlan.NO_CHUNKS; // what most calls are, as below, without an allocation
        }
        List<Integer> writeChunks = writeChunks(bounds, placement);
        long replyBytes = XdrLengths.padded((long) bounds.maxBytes()) - reducedBytes(bounds, writeChunks.size());
        int listBytes = ChunkLists.WRITE_CHUNK_BYTES * writeChunks.size();
        int replyChunkBytes = 0;
        if (headerBytes + listBytes + replyBytes > thresholds.replyBytes()) { // V1-098
            if (placement == Placement.ANYWHERE) {
                writeChunks = List.of();
                listBytes = 0;
                replyBytes = XdrLengths.padded((long) bounds.maxBytes());
            }
            replyChunkBytes = (int) Math.min(replyBytes, Integer.MAX_VALUE - 3); // V1-064
            listBytes += ChunkLists.REPLY_CHUNK_BYTES;
        }
        CallPlan plan = convey(xid, callBytes, reducible, writeChunks, replyChunkBytes, listBytes);
        requireWithinLimit(xid, plan, callBytes);
        return plan;
    }

    /**
     * Capacities of the write chunks to offer. Results that turn out not to exist make later ones move up (section
     * 4.3.2), so a chunk has to hold the longest of its own and all later results.
     */
    private List<Integer> writeChunks(ReplyBounds bounds, Placement placement) {
        List<Integer> results = bounds.reducibleBytes();
        boolean fits = headerBytes + XdrLengths.padded((long) bounds.maxBytes()) <= thresholds.replyBytes();
        if (placement == Placement.ANYWHERE && fits) {
            return List.of(); // V1-096
        }
        List<Integer> capacities = new ArrayList<>();
        for (int i = 0; i < Math.min(results.size(), limits.writeChunks()); i++) { // V1-136
            int capacity = 0;
            for (int result : results.subList(i, results.size())) {
                capacity = Math.max(capacity, result); // V1-049, V1-055
            }
            if (capacity > 0) { // BIS-011
                capacities.add(capacity); // V1-091
            }
        }
        return capacities;
    }

    /** What the first results take in an unreduced reply. */
    private static long reducedBytes(ReplyBounds bounds, int results) {
        long bytes = 0;
        for (int result : bounds.reducibleBytes().subList(0, results)) {
            bytes += XdrLengths.padded((long) result);
        }
        return bytes;
    }

    private CallPlan convey(
            int xid,
            int callBytes,
            List<XdrItem> reducible,
            List<Integer> writeChunks,
            int replyChunkBytes,
            int listBytes)
            throws MessageTooLargeException {
        List<XdrItem> leaving = new ArrayList<>();
        long sendBytes = headerBytes + listBytes + (long) callBytes;
        if (sendBytes > thresholds.callBytes()) { // V1-059
            List<XdrItem> longestFirst = new ArrayList<>(reducible);
            longestFirst.sort(Comparator.comparingInt(XdrItem::lengthBytes).reversed());
            boolean odd = false;
            for (XdrItem item : longestFirst) {
                if (sendBytes <= thresholds.callBytes() || leaving.size() == limits.readChunks()) {
                    break;
                }
                boolean needsPadding = (item.lengthBytes() & 3) != 0;
                if (item.lengthBytes() == 0 || odd && needsPadding) {
                    continue; // two would be misplaced by responders that forget the padding of the first (A12)
                }
                odd |= needsPadding;
                leaving.add(item); // V1-036
                sendBytes += ChunkLists.READ_SEGMENT_BYTES - XdrLengths.padded((long) item.lengthBytes()); // V1-037
            }
        }
        if (sendBytes <= thresholds.callBytes()) { // V1-087
            leaving.sort(Comparator.comparingInt(XdrItem::offset)); // BIS-012
            return new CallPlan(CallPlan.Form.INLINE, leaving, writeChunks, replyChunkBytes);
        }
        requireFits(xid, allowsLong ? headerBytes + ChunkLists.READ_SEGMENT_BYTES + listBytes : sendBytes); // V2-140
        return new CallPlan(CallPlan.Form.LONG, List.of(), writeChunks, replyChunkBytes); // V1-061, V1-131, V1-147
    }

    private void requireFits(int xid, long sendBytes) throws MessageTooLargeException {
        if (sendBytes > thresholds.callBytes()) {
            throw new MessageTooLargeException(
                    xid,
                    sendBytes + " bytes with the header, the inline threshold of calls is " + thresholds.callBytes()
                            + ", and no chunks can carry them. To mend it: use an RDMA channel and a"
                            + " maxChunkBytesPerCall above 0, or raise both RpcRdmaConfig.inlineSendBytes and"
                            + " inlineReceiveBytes of the responder, of which the smaller is the threshold");
        }
    }

    private void requireWithinLimit(int xid, CallPlan plan, int callBytes) throws MessageTooLargeException {
        long bytes = plan.replyChunkBytes() + (plan.form() == CallPlan.Form.LONG ? (long) callBytes : 0);
        for (XdrItem item : plan.readChunks()) {
            bytes += item.lengthBytes();
        }
        for (int capacity : plan.writeChunkBytes()) {
            bytes += capacity;
        }
        if (bytes > limits.chunkBytes()) {
            throw new MessageTooLargeException(
                    xid,
                    "needs " + bytes + " bytes of chunks, RpcRdmaConfig.maxChunkBytesPerCall is "
                            + limits.chunkBytes());
        }
    }
}
