// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.codec.ChunkListCodec;
import io.nettyrdma.rpc.wire.codec.ErrVers;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes headers of the -01 wire format. There is no way to write a reserved flag, {@code TPMORE} but with properties,
 * or chunks in a fragment that others follow; {@code ERR_VERS} is written in the layout of all versions, as who
 * receives it does not speak this one (C5).
 *
 * <p>Threading: stateless. Ownership: the buffer stays the caller's; nothing is allocated.
 */
public final class Rdma2Encoder {

    private Rdma2Encoder() {}

    /** Octets {@link #encode} writes. */
    public static int encodedBytes(Rdma2Message message) {
        if (message instanceof Rdma2Message.Msg msg) {
            return headerBytes(msg.chunks());
        } else if (message instanceof Rdma2Message.NoMsg noMsg) {
            return headerBytes(noMsg.chunks());
        } else if (message instanceof Rdma2Message.CreditGrant) {
            return Rdma2.MIN_HEADER_BYTES;
        } else if (message instanceof Rdma2Message.ErrorMsg error) {
            Rdma2ErrorCode code = error.error().code();
            return code == Rdma2ErrorCode.VERS ? ErrVers.BYTES : Rdma2Error.messageBytes(code);
        }
        @Nullable List<TransportProperty> properties = ((Rdma2Message.ConnProp) message).properties();
        return Rdma2.PREFIX_BYTES + (properties == null ? 0 : encodedBytes(properties));
    }

    /** Octets of an {@code RDMA2_MSG} or {@code RDMA2_NOMSG} header with these lists. */
    public static int headerBytes(ChunkLists chunks) {
        return Rdma2.LISTS_OFFSET + chunks.encodedBytes();
    }

    /** Octets of a set of properties behind the prefix. */
    public static int encodedBytes(List<TransportProperty> properties) {
        int bytes = 4;
        for (int i = 0; i < properties.size(); i++) {
            bytes += properties.get(i).encodedBytes();
        }
        return bytes;
    }

    /**
     * Appends a header.
     *
     * @throws IllegalArgumentException if the message is {@code ERR_VERS} without a version 1 grant
     */
    public static void encode(Rdma2Message message, ByteBuf out) {
        final int start = out.writerIndex();
        if (message instanceof Rdma2Message.Msg msg) {
            encodeMsg(msg.xid(), msg.credits(), msg.flags(), msg.invHandle(), msg.chunks(), out);
        } else if (message instanceof Rdma2Message.NoMsg noMsg) {
            writeWithLists(
                    Rdma2.NOMSG, noMsg.xid(), noMsg.credits(), noMsg.flags(), noMsg.invHandle(), noMsg.chunks(), out);
        } else if (message instanceof Rdma2Message.CreditGrant grant) {
            writeWithLists(Rdma2.NOMSG, 0, grant.credits(), grant.flags(), 0, ChunkLists.ABSENT, out);
        } else if (message instanceof Rdma2Message.ErrorMsg error) {
            encodeError(error, out);
        } else if (message instanceof Rdma2Message.ConnProp set) {
            writePrefix(Rdma2.CONNPROP, set.xid(), set.credits(), set.flags(), out);
            @Nullable List<TransportProperty> properties = set.properties();
            if (properties != null) {
                encodeProperties(properties, out);
            }
        }
        assert out.writerIndex() - start == encodedBytes(message) : "computed size differs from encoded size";
    }

    /**
     * Appends an {@code RDMA2_MSG} header; the payload stream, or a fragment of it, is to follow.
     *
     * @param credits   as {@link Rdma2#credits} makes them
     * @param flags     {@link Rdma2#RESPONSE}, {@link Rdma2#MORE}
     * @param invHandle handle that the reply may invalidate, 0 for none; 0 in replies, and if more follows
     * @param chunks    absent if more follows
     * @throws IllegalArgumentException if a value is out of its range
     */
    public static void encodeMsg(int xid, int credits, int flags, int invHandle, ChunkLists chunks, ByteBuf out) {
        Rdma2Message.Msg.require(flags, invHandle, chunks);
        writeWithLists(Rdma2.MSG, xid, credits, flags, invHandle, chunks, out);
    }

    /** Appends a set of properties, as it stands behind a prefix, or behind several, cut into parts. */
    public static void encodeProperties(List<TransportProperty> properties, ByteBuf out) {
        out.writeInt(properties.size());
        for (int i = 0; i < properties.size(); i++) {
            properties.get(i).write(out);
        }
    }

    private static void writeWithLists(
            int type, int xid, int credits, int flags, int invHandle, ChunkLists chunks, ByteBuf out) {
        writePrefix(type, xid, credits, flags, out);
        out.writeInt(invHandle); // V2-117
        ChunkListCodec.write(chunks, out); // V2-005, V2-046
    }

    private static void encodeError(Rdma2Message.ErrorMsg message, ByteBuf out) {
        Rdma2Error error = message.error();
        if (error.code() == Rdma2ErrorCode.VERS) {
            encodeErrVers(message, error, out);
            return;
        }
        writePrefix(Rdma2.ERROR, message.xid(), message.credits(), message.flags(), out); // V2-135
        out.writeInt(error.code().number());
        if (error.code().arguments() > 0) { // V2-126
            out.writeInt((int) error.first());
        }
        if (error.code().arguments() > 1) {
            out.writeInt((int) error.second());
        }
    }

    private static void encodeErrVers(Rdma2Message.ErrorMsg message, Rdma2Error error, ByteBuf out) {
        if (message.version1Grant() == 0) {
            throw new IllegalArgumentException("version 1 grant: 0 (expected: 1 to 2^32-1)");
        }
        out.writeInt(message.xid()).writeInt(message.version());
        out.writeInt((int) message.version1Grant()).writeInt(Rdma2.ERROR);
        ErrVers.write(new VersionRange(error.first(), error.second()), out);
    }

    private static void writePrefix(int type, int xid, int credits, int flags, ByteBuf out) {
        out.writeLong(twoWords(xid, Rdma2.VERSION)); // V2-007, V2-070, V2-095
        out.writeLong(twoWords(credits, type));
        out.writeInt(flags); // V2-096
    }

    private static long twoWords(int first, int second) {
        return (long) first << Integer.SIZE | Integer.toUnsignedLong(second);
    }
}
