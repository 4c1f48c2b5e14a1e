// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Tells which side closed a TCP connection of siw first. The kernel lists siw's connections in {@code /proc/net/tcp}
 * like any other, and the state of a connection that is closing depends on who sent the first FIN (RFC 9293, section
 * 3.3.2): the side that did goes through FIN-WAIT to TIME-WAIT, the other one through CLOSE-WAIT to LAST-ACK.
 *
 * <p>Reading the list takes time in proportion to the TCP connections of the machine, so it is read only when a
 * connection has failed, or within {@link TcpListBudget} when one is over.
 */
final class TcpEnd {

    private static final Path IPV4 = Path.of("/proc/self/net/tcp");
    private static final Path IPV6 = Path.of("/proc/self/net/tcp6");

    // include/net/tcp_states.h, as the list prints them.
    private static final String ESTABLISHED = "01";
    private static final String FIN_WAIT1 = "04";
    private static final String FIN_WAIT2 = "05";
    private static final String TIME_WAIT = "06";
    private static final String CLOSING = "0B";

    private TcpEnd() {}

    /**
     * Returns whether a connection that fails was not closed by the peer: the peer has sent neither FIN nor RST, or
     * this side sent its FIN first. Returns {@code false} if the connection is not listed. That is the rule when the
     * peer has closed it and all is acknowledged; but siw also resets a connection that it ends while received octets
     * are unread, which cannot be told apart.
     */
    static boolean isOfThisSide(@Nullable InetSocketAddress local, @Nullable InetSocketAddress remote) {
        if (local == null || remote == null || local.isUnresolved() || remote.isUnresolved()) {
            return false;
        }
        Path list = local.getAddress() instanceof Inet6Address ? IPV6 : IPV4;
        try (BufferedReader lines = Files.newBufferedReader(list, StandardCharsets.US_ASCII)) {
            return isOfThisSide(lines, local, remote);
        } catch (IOException e) {
            return false; // not Linux as we know it: the status of the request is all there is
        }
    }

    /** As above, of the text of such a list. */
    static boolean isOfThisSide(BufferedReader lines, InetSocketAddress local, InetSocketAddress remote)
            throws IOException {
        String connection = ' ' + listed(local) + ' ' + listed(remote) + ' ';
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int found = line.indexOf(connection);
            if (found >= 0) {
                String state = line.substring(found + connection.length()).split(" ", 2)[0];
                return switch (state) {
                    case ESTABLISHED, FIN_WAIT1, FIN_WAIT2, TIME_WAIT, CLOSING -> true;
                    default -> false;
                };
            }
        }
        return false;
    }

    /** An address as it is listed: 32 bits at a time in the order of the processor, the port as a number. */
    private static String listed(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        ByteBuffer octets = ByteBuffer.wrap(host.getAddress());
        HexFormat hex = HexFormat.of().withUpperCase();
        StringBuilder text = new StringBuilder();
        octets.order(ByteOrder.nativeOrder());
        while (octets.hasRemaining()) {
            text.append(hex.toHexDigits(octets.getInt()));
        }
        return text.append(':')
                .append(hex.toHexDigits((short) address.getPort()))
                .toString();
    }
}
