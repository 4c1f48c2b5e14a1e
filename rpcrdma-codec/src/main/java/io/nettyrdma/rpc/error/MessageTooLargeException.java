// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/**
 * A message fits neither the inline threshold of its direction nor the chunks offered for it, or continues in fragments
 * beyond the limit of this side.
 */
public final class MessageTooLargeException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final long lengthBytes;
    private final long limitBytes;

    private MessageTooLargeException(int xid, long lengthBytes, long limitBytes, String message) {
        super(xid, message);
        this.lengthBytes = lengthBytes;
        this.limitBytes = limitBytes;
    }

    /** Returns the exception for a call of {@code bytes}, header included, that cannot use chunks. */
    public static MessageTooLargeException ofCall(int xid, long bytes, int thresholdBytes) {
        return new MessageTooLargeException(
                xid,
                bytes,
                thresholdBytes,
                bytes + " bytes with the header, the inline threshold of calls is " + thresholdBytes
                        + ", and no chunks can carry them. To mend it: use an RDMA channel and a maxChunkBytesPerCall"
                        + " above 0, or raise both RpcRdmaConfig.inlineSendBytes and inlineReceiveBytes of the"
                        + " responder, of which the smaller is the threshold");
    }

    /**
     * Returns the exception for a reply of which a part does not fit.
     *
     * @param where   {@code inline threshold}, or which chunk
     * @param unnamed whether the call offers write chunks, and no binding of this side names a result for them
     */
    public static MessageTooLargeException ofReply(
            int xid, long bytes, long limitBytes, String where, boolean unnamed) {
        String why = unnamed
                ? "; the call offers write chunks, for which RpcRdmaConfig.bindings of this side names no result"
                : "";
        final String remedy;
        if (unnamed) {
            remedy = "set these bindings, the same on both sides";
        } else if (where.equals("inline threshold")) {
            remedy = "let the requester offer a reply chunk, by RpcRdmaCall.maxReplyBytes or an upper-layer binding, or"
                    + " raise both RpcRdmaConfig.inlineSendBytes and inlineReceiveBytes of the requester, of which the"
                    + " smaller is the threshold";
        } else {
            remedy = "raise the requester's RpcRdmaCall.maxReplyBytes, or correct its upper-layer binding";
        }
        return new MessageTooLargeException(
                xid,
                bytes,
                limitBytes,
                bytes + " bytes, the " + where + " is " + limitBytes + why + ". To mend it: " + remedy);
    }

    /** Returns the exception for a reply of version 2 in fragments that exceeds the memory for slow peers. */
    public static MessageTooLargeException ofReplyWithoutRoom(int xid, long bytes, long limitBytes) {
        return new MessageTooLargeException(
                xid,
                bytes,
                limitBytes,
                bytes + " bytes in fragments, with the other messages that wait for peers of this process, exceed the "
                        + limitBytes + " that it may hold, a quarter of -XX:MaxDirectMemorySize: raise that, or let"
                        + " the requester offer a reply chunk by RpcRdmaCall.maxReplyBytes or an upper-layer binding");
    }

    /** Returns the exception for a reply of version 2 in fragments that exceeds the memory of its connection. */
    public static MessageTooLargeException ofReplyBesideOthers(int xid, long bytes, long limitBytes) {
        return new MessageTooLargeException(
                xid,
                bytes,
                limitBytes,
                bytes + " bytes in fragments, with the other replies of this connection that are executed or sent,"
                        + " exceed RpcRdmaConfig.maxPushingBytes, " + limitBytes
                        + "; an upper-layer binding that knows the longest reply makes such calls wait instead");
    }

    /** Returns the exception for a reply of version 2 abandoned after {@code bytes} in fragments, without headers. */
    public static MessageTooLargeException ofContinuedReply(int xid, long bytes, int limitBytes) {
        return new MessageTooLargeException(
                xid,
                bytes,
                limitBytes,
                "the reply has " + bytes + " bytes or more, RpcRdmaVersion2Settings.maxContinuedBytes is " + limitBytes
                        + ": raise it, or set RpcRdmaCall.maxReplyBytes to offer a reply chunk");
    }

    /** Returns the bytes of the message, or of its part that does not fit. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** Returns the limit that is exceeded, in bytes; the message names it. */
    public long limitBytes() {
        return limitBytes;
    }
}
