// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Rejection;

/**
 * Classifies messages that a link decodes as version 2, for the negotiation of either side.
 *
 * <p>Threading: stateless.
 */
final class MessageKinds {

    private MessageKinds() {}

    /**
     * Returns the kind of a message.
     *
     * @param decoded the result of decoding {@code message}
     */
    static MessageKind of(Rdma2Decoded decoded, ByteBuf message) {
        return decoded instanceof Rdma2Rejection rejection ? of(rejection, message) : of((Rdma2Message) decoded);
    }

    private static MessageKind of(Rdma2Rejection rejection, ByteBuf message) {
        return switch (rejection.reaction()) {
            case RDMA2_ERROR -> MessageKind.REJECTED;
            case ERR_VERS -> MessageKind.OTHER_VERSION;
            case ERR_CHUNK, DISCARD ->
                RpcRdmaDecoder.isErrChunk(message) ? MessageKind.ERR_CHUNK : MessageKind.DISCARDED;
        };
    }

    private static MessageKind of(Rdma2Message header) {
        if (header instanceof Rdma2Message.ErrorMsg error) {
            return error.error().code() == Rdma2ErrorCode.VERS ? MessageKind.ERR_VERS : MessageKind.ERROR;
        } else if (header instanceof Rdma2Message.ConnProp) {
            return MessageKind.PROPERTIES;
        } else if (header instanceof Rdma2Message.CreditGrant) {
            return MessageKind.REFRESH;
        }
        return ofRpc(header);
    }

    /** Returns the kind of an RDMA2_MSG or RDMA2_NOMSG, which must be whole. */
    static MessageKind ofRpc(Rdma2Message header) {
        return header.response() ? MessageKind.REPLY : MessageKind.CALL;
    }
}
