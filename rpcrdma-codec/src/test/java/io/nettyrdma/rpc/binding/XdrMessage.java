// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** Writes RPC messages by hand. */
final class XdrMessage {

    static final int XID = 0xabcdef01;

    private final ByteBuf out = Unpooled.buffer();

    private XdrMessage() {}

    static XdrMessage empty() {
        return new XdrMessage();
    }

    /** A call up to its arguments, with AUTH_NONE: 40 octets. */
    static XdrMessage call(int program, int version, int procedure) {
        return callWith(program, version, procedure, empty().words(0, 0));
    }

    /** A call up to its arguments, with this flavor and body of a credential, and no verifier. */
    static XdrMessage callWith(int program, int version, int procedure, XdrMessage credential) {
        return empty().words(XID, 0, 2, program, version, procedure)
                .raw(credential)
                .words(0, 0);
    }

    /** The credential of RPCSEC_GSS with a handle of 4 octets. */
    static XdrMessage gss(int version, int procedure, int service) {
        return empty().words(6, 24, version, procedure, 77, service, 4, 0x11223344);
    }

    /** A successful reply up to its results: 24 octets. */
    static XdrMessage reply() {
        return empty().words(XID, 1, 0, 0, 0, 0);
    }

    XdrMessage words(int... words) {
        for (int word : words) {
            out.writeInt(word);
        }
        return this;
    }

    XdrMessage zeros(int words) {
        out.writeZero(4 * words);
        return this;
    }

    XdrMessage raw(XdrMessage other) {
        out.writeBytes(other.out, 0, other.out.readableBytes());
        return this;
    }

    /** Variable-length opaque data with content that is not zero, padded with zeros. */
    XdrMessage opaque(int bytes) {
        out.writeInt(bytes);
        for (int i = 0; i < bytes; i++) {
            out.writeByte(0x5a);
        }
        out.writeZero(-bytes & 3);
        return this;
    }

    /** What is left of variable-length opaque data whose content is in a chunk. */
    XdrMessage reduced(int bytes) {
        out.writeInt(bytes);
        return this;
    }

    int bytes() {
        return out.readableBytes();
    }

    /** The message. */
    ByteBuf buf() {
        return out.copy();
    }

    /** The message behind so many other octets, which are read already. */
    ByteBuf behind(int bytes) {
        ByteBuf shifted = Unpooled.buffer().writeZero(bytes).writeBytes(out, 0, out.readableBytes());
        return shifted.readerIndex(bytes);
    }

    @Override
    public String toString() {
        return ByteBufUtil.hexDump(out);
    }
}
