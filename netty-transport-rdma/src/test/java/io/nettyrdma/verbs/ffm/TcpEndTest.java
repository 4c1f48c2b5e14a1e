// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who closed a TCP connection first: of printed lists, and of real connections of this machine. */
class TcpEndTest {

    private static InetSocketAddress address(String host, int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByName(host), port);
    }

    /** The lines are of an x86-64. */
    private static boolean ofThisSide(String list, InetSocketAddress local, InetSocketAddress remote)
            throws IOException {
        assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
        return TcpEnd.isOfThisSide(new BufferedReader(new StringReader(list)), local, remote);
    }

    @ParameterizedTest
    @CsvSource({
        "01, true",
        "04, true",
        "05, true",
        "06, true",
        "0B, true", // the peer has sent no FIN, or not the first
        "02, false",
        "03, false",
        "07, false",
        "08, false",
        "09, false",
        "0A, false"
    })
    void stateTellsWhoClosedFirst(String state, boolean thisSide) throws IOException {
        String list = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode\n"
                + "   0: 0F02000A:1C17 0202000A:D431 01 00000000:00000000 00:00000000 00000000 0 0 1 1 0\n"
                + "   1: 0F02000A:1C16 0202000A:D431 " + state
                + " 00000000:00000000 03:00001750 00000000     0        0 0 3 0\n";
        assertThat(ofThisSide(list, address("10.0.2.15", 7190), address("10.0.2.2", 54321)))
                .isEqualTo(thisSide);
    }

    @Test
    void connectionThatIsNotListedWasEndedByThePeer() throws IOException {
        String list = "   1: 0F02000A:1C16 0202000A:D432 06 0\n";
        assertThat(ofThisSide(list, address("10.0.2.15", 7190), address("10.0.2.2", 54321)))
                .isFalse();
    }

    @Test
    void addressesOfVersion6AreFourNumbers() throws IOException {
        String list =
                "   4: 000000FD000000000000000015000000:1C16 000000FD000000000000000002000000:0001 05 00000000:0 0\n";
        assertThat(ofThisSide(list, address("fd00::15", 7190), address("fd00::2", 1)))
                .isTrue();
    }

    /** The channels are of the family of the address, as those of siw are; a plain socket is one of IPv6. */
    @ParameterizedTest
    @CsvSource({"127.0.0.1, INET", "::1, INET6"})
    void kernelsListIsRead(String loopback, StandardProtocolFamily family) throws IOException {
        assumeTrue(Files.isReadable(Path.of("/proc/self/net/tcp6")));
        try (ServerSocketChannel server = ServerSocketChannel.open(family)) {
            server.bind(address(loopback, 0));
            SocketChannel client = SocketChannel.open(family);
            client.connect(server.getLocalAddress());
            SocketChannel accepted = server.accept();
            InetSocketAddress clients = (InetSocketAddress) client.getLocalAddress();
            InetSocketAddress servers = (InetSocketAddress) accepted.getLocalAddress();
            try {
                assertThat(TcpEnd.isOfThisSide(servers, clients)).isTrue();
                assertThat(TcpEnd.isOfThisSide(servers, address(loopback, 0))).isFalse();
            } finally {
                client.close();
            }
            try {
                assertThat(accepted.read(ByteBuffer.allocate(1))).isEqualTo(-1);
                assertThat(TcpEnd.isOfThisSide(clients, servers)).isTrue();
                assertThat(TcpEnd.isOfThisSide(servers, clients)).isFalse();
            } finally {
                accepted.close();
            }
            assertThat(TcpEnd.isOfThisSide(servers, clients)).isFalse();
        }
    }

    @Test
    void unknownAddressesAreNobodysFault() {
        assertThat(TcpEnd.isOfThisSide(null, new InetSocketAddress(1))).isFalse();
        assertThat(TcpEnd.isOfThisSide(InetSocketAddress.createUnresolved("host", 1), new InetSocketAddress(1)))
                .isFalse();
    }
}
