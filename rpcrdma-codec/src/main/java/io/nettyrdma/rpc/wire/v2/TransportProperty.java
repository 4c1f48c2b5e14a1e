// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.nettyrdma.rpc.message.XdrLengths;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One property as it is on the wire: which (4 octets), length of its data (4), data, padded to a multiple of 4 with
 * zeros; {@code rpcrdma2_propval} of draft -01, section 8.3.
 *
 * <p>Threading: immutable.
 */
public final class TransportProperty {

    private final int id;
    private final byte[] data;

    private TransportProperty(int id, byte[] data) {
        this.id = id;
        this.data = data;
    }

    /** Any property, also of an extension; the data are copied. */
    public static TransportProperty of(int id, byte[] data) {
        return new TransportProperty(id, data.clone());
    }

    /** {@code SBSIZ}: octets of the longest Send of this side, 0 to 2<sup>32</sup>-1. */
    public static TransportProperty sendBytes(long bytes) {
        return number(Rdma2.SBSIZ, bytes);
    }

    /** {@code RBSIZ}: octets of the Receives of this side, 0 to 2<sup>32</sup>-1. */
    public static TransportProperty receiveBytes(long bytes) {
        return number(Rdma2.RBSIZ, bytes);
    }

    /** {@code RSSIZ}: octets of the longest segment this side takes, 0 to 2<sup>32</sup>-1. */
    public static TransportProperty segmentBytes(long bytes) {
        return number(Rdma2.RSSIZ, bytes);
    }

    /** {@code RCSIZ}: segments in one header that this side takes, 0 to 2<sup>32</sup>-1. */
    public static TransportProperty segmentsPerHeader(long segments) {
        return number(Rdma2.RCSIZ, segments);
    }

    /** {@code BRS}: what calls in the reverse direction may use. */
    public static TransportProperty reverseLevel(ReverseLevel level) {
        return number(Rdma2.BRS, level.number());
    }

    /** {@code HOSTAUTH}: the token is data within the data, so that two lengths are on the wire. */
    public static TransportProperty hostAuthentication(byte[] token) {
        byte[] data = new byte[4 + XdrLengths.padded(token.length)];
        putWord(data, token.length);
        System.arraycopy(token, 0, data, 4, token.length);
        return new TransportProperty(Rdma2.HOSTAUTH, data);
    }

    /**
     * The token of host authentication in a set, of which the last one counts; {@code null} if there is none, or an
     * empty one (C21).
     */
    public static byte @Nullable [] hostAuthentication(List<TransportProperty> set) {
        byte @Nullable [] token = null;
        for (TransportProperty property : set) {
            token = property.id == Rdma2.HOSTAUTH ? property.token() : token;
        }
        return token == null || token.length == 0 ? null : token;
    }

    private static TransportProperty number(int id, long value) {
        Rdma2.requireWord(value, "property " + id);
        byte[] data = new byte[4];
        putWord(data, (int) value);
        return new TransportProperty(id, data);
    }

    private static void putWord(byte[] data, int word) {
        data[0] = (byte) (word >>> 24);
        data[1] = (byte) (word >>> 16);
        data[2] = (byte) (word >>> 8);
        data[3] = (byte) word;
    }

    private static int word(byte[] data) {
        return data[0] << 24 | (data[1] & 0xff) << 16 | (data[2] & 0xff) << 8 | data[3] & 0xff;
    }

    /** Which property; any number, those of extensions need be neither small nor dense. */
    public int id() {
        return id; // V2-169
    }

    /** A copy of the data, without padding. */
    public byte[] data() {
        return data.clone();
    }

    /** Whether the data are empty: the sender has the default (draft -01, section 5.1). */
    public boolean isDefault() {
        return data.length == 0;
    }

    /** The number in the data, {@code -1} if they are not four octets. */
    long number() {
        return data.length == 4 ? Integer.toUnsignedLong(word(data)) : -1;
    }

    /** The data within the data, {@code null} if there are none. */
    byte @Nullable [] token() {
        return data.length < 4 ? null : Arrays.copyOfRange(data, 4, 4 + Math.min(word(data), data.length - 4));
    }

    /** Octets on the wire. */
    int encodedBytes() {
        return 8 + XdrLengths.padded(data.length);
    }

    void write(ByteBuf out) {
        out.writeInt(id).writeInt(data.length).writeBytes(data); // V2-078
        out.writeZero(XdrLengths.padded(data.length) - data.length);
    }

    /** Reads what a scan has found to be well-formed. */
    static TransportProperty read(ByteBuf octets, int at) {
        byte[] data = new byte[octets.getInt(at + 4)];
        octets.getBytes(at + 8, data);
        return new TransportProperty(octets.getInt(at), data);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TransportProperty property && id == property.id && Arrays.equals(data, property.data);
    }

    @Override
    public int hashCode() {
        return 31 * id + Arrays.hashCode(data);
    }

    @Override
    public String toString() {
        return "property " + Integer.toUnsignedString(id) + ": " + ByteBufUtil.hexDump(data);
    }
}
