// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.XdrLengths;
import io.nettyrdma.rpc.wire.codec.Defect;
import java.util.ArrayList;
import java.util.List;

/**
 * First pass over a set of properties (draft -01, section 5.1): {@code count, count × {which, length, data, padding}}.
 * What is too short for its words or too long is no set; a property that is too long for the message, or of a length
 * that its kind does not have, has no such value (C20). Nothing is allocated.
 *
 * <p>Threading: confined to one thread. Ownership: keeps no reference to the octets.
 */
final class PropertyScan {

    private final Defect defect;
    private boolean badValue;

    PropertyScan(Defect defect) {
        this.defect = defect;
    }

    /** The answer to what {@link #scan} has refused. */
    Rdma2Error error() {
        return badValue ? Rdma2Error.BAD_PROPVAL : Rdma2Error.BAD_XDR;
    }

    /**
     * Checks a set that ends where the octets end.
     *
     * @param first octet at which it begins, counted from the reader index
     */
    boolean scan(ByteBuf octets, int first) {
        badValue = false;
        int start = octets.readerIndex();
        int length = octets.readableBytes();
        int at = first + 4;
        if (length < at) {
            return defect.is("property count cut short", first, length - first, 4);
        }
        long count = octets.getUnsignedInt(start + first);
        for (long i = 0; i < count; i++) { // at most as often as the octets last
            if (length - at < 8) {
                return defect.is("property cut short", at, length - at, 8);
            }
            int id = octets.getInt(start + at);
            long bytes = octets.getUnsignedInt(start + at + 4);
            int left = length - at - 8;
            if (bytes > left) {
                return badValue("property exceeds the message", at + 4, bytes, left); // V2-081
            }
            if (!checkLength(octets, start, at, id, (int) bytes)) {
                return false;
            }
            if (XdrLengths.padded(bytes) > left) {
                return defect.is("padding of a property cut short", at + 4, left, XdrLengths.padded(bytes));
            }
            at += 8 + XdrLengths.padded((int) bytes); // V2-078
        }
        return at == length || defect.is("octets after the last property", at, length - at, 0);
    }

    private boolean checkLength(ByteBuf octets, int start, int at, int id, int bytes) {
        if (bytes == 0 || Integer.compareUnsigned(id - Rdma2.SBSIZ, Rdma2.HOSTAUTH - Rdma2.SBSIZ) > 0) {
            return true; // the default, or unknown. V2-079, V2-082, V2-169
        }
        if (id != Rdma2.HOSTAUTH) {
            return bytes == 4 || badValue("length of property " + id, at + 4, bytes, 4);
        }
        if (bytes < 4) {
            return badValue("length of property " + id, at + 4, bytes, 4);
        }
        long token = octets.getUnsignedInt(start + at + 8);
        return XdrLengths.padded(token) == bytes - 4 || badValue("length of a token", at + 8, token, bytes - 4);
    }

    private boolean badValue(String what, int octet, long found, long expected) {
        badValue = true; // V2-080
        return defect.is(what, octet, found, expected);
    }

    /** The set that {@link #scan} has passed, as objects. */
    static List<TransportProperty> read(ByteBuf octets, int first) {
        int at = octets.readerIndex() + first + 4;
        int count = octets.getInt(at - 4);
        List<TransportProperty> properties = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            TransportProperty property = TransportProperty.read(octets, at);
            properties.add(property);
            at += property.encodedBytes();
        }
        return properties;
    }
}
