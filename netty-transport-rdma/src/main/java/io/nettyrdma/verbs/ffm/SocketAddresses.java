// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** {@code struct sockaddr_in} and {@code struct sockaddr_in6}. */
final class SocketAddresses {

    /** Enough for either. */
    static final int BYTES = VerbsLayout.SOCKADDR_IN6_BYTES;

    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final int PORT_MASK = 0xffff;

    private SocketAddresses() {}

    /**
     * Writes an address.
     *
     * @param out of {@link #BYTES} octets or more, in native order, zero
     * @throws IOException if it is no resolved internet address
     */
    static void encode(@Nullable SocketAddress address, ByteBuffer out) throws IOException {
        if (!(address instanceof InetSocketAddress inet) || inet.isUnresolved()) {
            throw new IOException("not a resolved internet address: " + address);
        }
        byte[] octets = inet.getAddress().getAddress();
        if (inet.getAddress() instanceof Inet4Address) {
            out.putShort(VerbsLayout.SOCKADDR_IN_SIN_FAMILY, AF_INET);
            out.put(VerbsLayout.SOCKADDR_IN_SIN_ADDR, octets);
        } else {
            out.putShort(VerbsLayout.SOCKADDR_IN6_SIN6_FAMILY, AF_INET6);
            out.put(VerbsLayout.SOCKADDR_IN6_SIN6_ADDR, octets);
            out.putInt(VerbsLayout.SOCKADDR_IN6_SIN6_SCOPE_ID, ((Inet6Address) inet.getAddress()).getScopeId());
        }
        // In the order of the network, at the same place in both.
        out.put(VerbsLayout.SOCKADDR_IN_SIN_PORT, (byte) (inet.getPort() >> Byte.SIZE));
        out.put(VerbsLayout.SOCKADDR_IN_SIN_PORT + 1, (byte) inet.getPort());
    }

    /**
     * Reads an address.
     *
     * @return {@code null} if there is none of these two families
     */
    static @Nullable InetSocketAddress decode(ByteBuffer in) {
        short family = in.getShort(VerbsLayout.SOCKADDR_IN_SIN_FAMILY);
        if (family != AF_INET && family != AF_INET6) {
            return null;
        }
        int port = (in.get(VerbsLayout.SOCKADDR_IN_SIN_PORT) << Byte.SIZE & PORT_MASK)
                | Byte.toUnsignedInt(in.get(VerbsLayout.SOCKADDR_IN_SIN_PORT + 1));
        try {
            if (family == AF_INET) {
                byte[] octets = new byte[Integer.BYTES];
                in.get(VerbsLayout.SOCKADDR_IN_SIN_ADDR, octets);
                return new InetSocketAddress(InetAddress.getByAddress(octets), port);
            }
            byte[] octets = new byte[2 * Long.BYTES];
            in.get(VerbsLayout.SOCKADDR_IN6_SIN6_ADDR, octets);
            int scope = in.getInt(VerbsLayout.SOCKADDR_IN6_SIN6_SCOPE_ID);
            InetAddress address =
                    scope == 0 ? InetAddress.getByAddress(octets) : Inet6Address.getByAddress(null, octets, scope);
            return new InetSocketAddress(address, port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // of arrays of another length only
        }
    }
}
