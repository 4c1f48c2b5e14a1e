// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SocketAddressesTest {

    private final ByteBuffer octets = ByteBuffer.allocate(SocketAddresses.BYTES).order(ByteOrder.nativeOrder());

    private static Stream<InetSocketAddress> addresses() throws UnknownHostException {
        return Stream.of(
                new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 20049),
                new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0),
                new InetSocketAddress(InetAddress.getByName("::1"), 65535),
                new InetSocketAddress(
                        Inet6Address.getByAddress(null, HexFormat.of().parseHex("fe80" + "00".repeat(13) + "01"), 3),
                        128));
    }

    @ParameterizedTest
    @MethodSource("addresses")
    void whatIsWrittenIsRead(InetSocketAddress address) throws Exception {
        SocketAddresses.encode(address, octets);
        assertThat(SocketAddresses.decode(octets)).isEqualTo(address);
    }

    @Test
    void portAndAddressAreInTheOrderOfTheNetwork() throws Exception {
        SocketAddresses.encode(new InetSocketAddress(InetAddress.getByName("10.1.2.3"), 20049), octets);
        assertThat(octets.getShort(0)).as("AF_INET").isEqualTo((short) 2);
        assertThat(HexFormat.of().formatHex(octets.array(), 2, 8)).isEqualTo("4e510a010203");
    }

    @Test
    void otherFamiliesAreNone() {
        assertThat(SocketAddresses.decode(octets)).isNull();
    }

    @Test
    void unresolvedAddressIsRefusedByName() {
        assertThatThrownBy(() -> SocketAddresses.encode(InetSocketAddress.createUnresolved("nowhere", 1), octets))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nowhere");
        assertThatThrownBy(() -> SocketAddresses.encode(new SocketAddress() {}, octets))
                .isInstanceOf(IOException.class);
    }
}
