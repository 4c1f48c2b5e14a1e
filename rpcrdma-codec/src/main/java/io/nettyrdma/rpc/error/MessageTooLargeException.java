/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc.error;

/**
 * A message fits neither the inline threshold of its direction nor the chunks that were offered for it, or is continued
 * for longer than this side takes.
 */
public final class MessageTooLargeException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private MessageTooLargeException(int xid, String message) {
        super(xid, message);
    }

    /** For a call of so many octets, header included, that cannot go into chunks. */
    public static MessageTooLargeException ofCall(int xid, long bytes, int thresholdBytes) {
        return new MessageTooLargeException(
                xid,
                bytes + " octets with the header, the inline threshold of calls is " + thresholdBytes
                        + ": the smaller of RpcRdmaConfig.inlineSendBytes and inlineReceiveBytes of the responder;"
                        + " there are chunks only over an RDMA channel, and if maxChunkBytesPerCall is not 0");
    }

    /**
     * For a reply of which a part does not fit where it has to go.
     *
     * @param where {@code inline threshold}, or which chunk
     */
    public static MessageTooLargeException ofReply(int xid, long bytes, long limitBytes, String where) {
        String remedy = where.equals("inline threshold")
                ? ": the smaller of RpcRdmaConfig.inlineSendBytes and inlineReceiveBytes of the requester,"
                        + " which offers a reply chunk only for replies that its RpcCall.maxReplyBytes, upper-layer"
                        + " binding or RpcRdmaConfig.assumedReplyBytes says to be longer"
                : ", as the requester's RpcCall.maxReplyBytes, upper-layer binding or RpcRdmaConfig.assumedReplyBytes"
                        + " says";
        return new MessageTooLargeException(xid, bytes + " octets, the " + where + " is " + limitBytes + remedy);
    }

    /** For a reply of version 2 in fragments, if the connections of its event loop hold too much of that already. */
    public static MessageTooLargeException ofReplyWithoutRoom(int xid, long bytes, long limitBytes) {
        return new MessageTooLargeException(
                xid,
                bytes + " octets in fragments; with what else waits for peers on this event loop that is more than"
                        + " RpcRdmaConfig.maxWaitingBytesPerLoop, " + limitBytes);
    }

    /** For a reply of version 2 that has come in fragments of so many octets, header excluded, when it was given up. */
    public static MessageTooLargeException ofContinuedReply(int xid, long bytes, int limitBytes) {
        return new MessageTooLargeException(
                xid,
                "the reply has " + bytes + " octets or more, RpcRdmaConfig.maxContinuedBytes is " + limitBytes
                        + ": raise it, or give RpcCall.maxReplyBytes so that a reply chunk is offered");
    }
}
